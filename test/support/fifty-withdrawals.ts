import type { ExpiringClient } from '../../src/chains/expiring.js';
import { eventually } from './eventually.js';
import type { ExpiringPayoutScene } from './expiring-payout-scene.js';

/** An open scene whose hot wallet can pay. */
type Scene<Token extends string> = ExpiringPayoutScene<Token, ExpiringClient & { close(): Promise<void> }>;

/** Declares the test that 50 withdrawals, each of so many smallest units, are paid once each. */
export function itPaysFifty<Token extends string>(open: () => Scene<Token>, token: Token, units: bigint): void {
  it.each([token])('have 50 ids in %s, and each is paid once on the chain [I-118]', async () => {
    const scene = open();
    const paying = await scene.merchants(50, token);
    const destination = await scene.freshAddress();
    const sentBefore = new Set(await scene.sent());
    const ids: string[] = [];
    for (const merchant of paying) ids.push((await scene.order(merchant, { destination })).id);
    // On a busy machine what was read for them may be too old when they are signed.
    await eventually(async () => {
      await scene.sign();
      return (await Promise.all(ids.map((id) => scene.shown(id)))).every((order) => order?.is_signed);
    });
    await scene.finish();
    const payouts = (await Promise.all(ids.map((id) => scene.payouts(id)))).flat();
    expect(payouts).toHaveLength(50);
    expect(payouts.filter(({ status }) => status !== 'succeeded')).toEqual([]);
    const hashes = payouts.map(({ tx_hash: hash }) => hash);
    expect(new Set(hashes).size).toBe(50);
    const sent = (await scene.sent()).filter((hash) => !sentBefore.has(hash));
    expect(sent.toSorted()).toEqual(hashes.toSorted());
    expect(await scene.balanceOf(destination, token)).toBe(50n * units);
    expect(await scene.breaches()).toEqual([]);
  });
}

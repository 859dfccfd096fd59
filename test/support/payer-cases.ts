import { moveOpenIntents } from '../../src/offers/replaced-chains.js';
import type { PayerScene, ExpiringDevChain } from './payer-scene.js';

/** What is ordered: an amount of a token by its symbol. */
interface Ordered {
  readonly symbol: string;
  readonly amount: bigint;
}

/**
 * Declares the tests that hold for the orders of every chain whose transactions expire.
 * @param tokens Each is paid once
 * @param fine A small amount of a token, ordered many times
 */
export function itPaysOrders<Chain extends ExpiringDevChain>(
  scene: () => PayerScene<Chain>,
  tokens: readonly Ordered[],
  fine: Ordered,
): void {
  it.each(tokens)(
    'in $symbol pays once, and is final once the listener has recorded its block',
    async ({ symbol, amount }) => {
      const at = scene();
      const intent = await at.intentIn(symbol);
      const id = await at.order(intent, amount);
      await at.pay(id);
      const sent = await at.rowOf(id);
      expect(sent).toMatchObject({ status: 'sent', tx_hash: expect.any(String) });
      expect(await at.untilHeld(intent, amount)).toBe(true);
      await at.chain.controls.mine(20);
      await at.pay(id);
      expect(await at.rowOf(id)).toEqual(sent);
      await at.readAll();
      await at.pay(id);
      await at.pay(id);
      expect(await at.rowOf(id)).toEqual({ ...sent, status: 'final' });
      expect(await at.balanceOf(intent)).toBe(amount);
    },
  );

  it('is one payment among 50 equal ones: each has an id of its own', async () => {
    const at = scene();
    const intent = await at.intentIn(fine.symbol);
    const ids = await Promise.all(Array.from({ length: 50 }, () => at.order(intent, fine.amount)));
    await Promise.all(ids.map((id) => at.pay(id)));
    const hashes = await Promise.all(ids.map(async (id) => (await at.rowOf(id)).tx_hash));
    expect(new Set(hashes).size).toBe(50);
    expect(await at.untilHeld(intent, 50n * fine.amount)).toBe(true);
    await at.readAll();
    for (const id of ids) await at.untilStatus(id, 'final');
    expect(await at.balanceOf(intent)).toBe(50n * fine.amount);
  });

  it('moves with its intent to the chain that replaced its own, and is paid there', async () => {
    const at = scene();
    const intent = await at.intentIn(fine.symbol);
    const id = await at.order(intent, fine.amount);
    await at.pay(id);
    const { genesisHash: replaced } = at.chain;
    await at.replaceChain();
    expect(at.chain.genesisHash).not.toBe(replaced);
    await moveOpenIntents(at.db.database.em());
    await at.payer.wakeDue();
    expect(await at.rowOf(id)).toMatchObject({ status: 'queued', chain_ref: at.chainRef, tx_hash: null });
    await at.readAll();
    await at.untilStatus(id, 'final');
    expect(await at.balanceOf(intent)).toBe(fine.amount);
  });
}

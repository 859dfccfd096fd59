import { Transaction } from 'ethers';
import { alteredVault } from '../../../test/support/altered-vault.js';
import { PayoutScene } from '../../../test/support/payout-scene.js';
import { RecordingQueue } from '../../../test/support/recording-queue.js';
import { vaultServices } from '../../../test/support/vault-services.js';
import { type Payout, payoutOf } from '../../../test/withdrawals/payouts.js';
import type { Tenant } from '../../domain/tenant.js';
import type { UnsignedEvmTransaction } from '../../chains/evm/evm-transaction.js';
import type { Replacements } from './replacements.service.js';

const GWEI = 10n ** 9n;
const COIN = 10n ** 18n;
/** Of polygon; nothing is signed above it. */
const CAP = 5_000n * GWEI;

let scene: PayoutScene;
let tenant: Tenant;
let replacements: Replacements;
let jobs: RecordingQueue;

beforeAll(async () => {
  scene = await PayoutScene.open();
});
afterAll(() => scene.close());
beforeEach(async () => {
  // Resets what an earlier test left wanted, frozen, expensive or empty.
  await scene.query(`update chain_transaction set replace_wanted_at = null`);
  await scene.query(`update hot_wallet set frozen_reason = null`);
  await scene.query(`delete from fee_round where taken_at > now() + interval '90 minutes'`);
  await scene.hold(10n ** 12n, 1_000n * COIN);
  tenant = await scene.merchant();
  jobs = new RecordingQueue();
  ({ replacements } = vaultServices(scene.database, jobs.queue));
});

/** A withdrawal that was signed, and for which the worker wants more to be offered. */
async function aStuckOne(token: 'USDC' | 'USDT' = 'USDC'): Promise<{ id: string; stuck: Payout }> {
  const { id } = await scene.order(tenant, { token });
  await scene.signer.sign(scene.vault, id);
  await scene.query(`update chain_transaction set replace_wanted_at = now() where purpose_id = $1`, [id]);
  return { id, stuck: await payoutFor(id) };
}

async function payoutFor(id: string): Promise<Payout> {
  const payout = await payoutOf(scene.database, id);
  if (payout === null) throw new Error('Nothing was signed.');
  return payout;
}

const isWanted = async (id: string): Promise<boolean> =>
  (await scene.query(`select from chain_transaction where purpose_id = $1 and replace_wanted_at is not null`, [id]))
    .length > 0;

/** From now on the network asks for this base fee, in gwei. */
const setBaseFee = (gwei: bigint) =>
  scene.query(
    `insert into fee_round (chain_ref, base_fee, tip_standard, tip_fast, taken_at)
     values ($1, $2, 30000000000, 30000000000, now() + interval '2 hours')`,
    [scene.chain.chainRef, gwei * GWEI],
  );

describe('a replacement', () => {
  it('has the same nonce and 15 % more in both fee fields, though the network asks for less [I-114]', async () => {
    const { id, stuck } = await aStuckOne();
    await replacements.signWanted(scene.vault);
    const { nonce, attempts } = await payoutFor(id);
    const [original, replacement] = attempts;
    expect([nonce, attempts.length, original]).toEqual([stuck.nonce, 2, stuck.attempts[0]]);
    const signedNonces = attempts.map(({ raw }) => Transaction.from(raw).nonce);
    expect({ signedNonces }).toEqual({ signedNonces: [stuck.nonce, stuck.nonce] });
    for (const field of ['maxFeePerGas', 'maxPriorityFeePerGas'] as const) {
      expect((replacement?.[field] ?? 0n) * 100n).toBeGreaterThanOrEqual((original?.[field] ?? 0n) * 115n);
      expect((replacement?.[field] ?? 0n) * 1000n).toBeGreaterThanOrEqual((original?.[field] ?? 0n) * 1125n);
    }
    expect(await isWanted(id)).toBe(false);
    expect(await jobs.woken('treasury.broadcast')).toHaveLength(1);
  });

  it('offers the current price of the network, up to the cap; beyond it the last offer keeps waiting [I-114]', async () => {
    const { id } = await aStuckOne();
    await setBaseFee(4_000n);
    await replacements.signWanted(scene.vault);
    expect((await payoutFor(id)).attempts.at(-1)?.maxFeePerGas).toBe(CAP);
    await scene.query(`update chain_transaction set replace_wanted_at = now()`);
    await replacements.signWanted(scene.vault);
    expect((await payoutFor(id)).attempts).toHaveLength(2);
    expect(await isWanted(id)).toBe(true);
  });

  it('is signed once, however many vaults are asked at once [I-112]', async () => {
    const { id, stuck } = await aStuckOne();
    await Promise.all(Array.from({ length: 4 }, () => replacements.sign(scene.vault, stuck.id)));
    expect((await payoutFor(id)).attempts).toHaveLength(2);
  });

  it('waits while the wallet is frozen, and while its gas cannot be paid [I-117]', async () => {
    const { id } = await aStuckOne();
    await scene.query(`update hot_wallet set frozen_reason = 'under investigation'`);
    await replacements.signWanted(scene.vault);
    await scene.query(`update hot_wallet set frozen_reason = null`);
    await scene.hold(10n ** 12n, 0n);
    await replacements.signWanted(scene.vault);
    expect([(await payoutFor(id)).attempts.length, await isWanted(id)]).toEqual([1, true]);
    await scene.hold(10n ** 12n, 100n * COIN);
    await replacements.signWanted(scene.vault);
    expect((await payoutFor(id)).attempts).toHaveLength(2);
  });

  it.each<[what: string, bends: (asked: UnsignedEvmTransaction) => UnsignedEvmTransaction]>([
    ['recipient', (asked) => ({ ...asked, data: asked.data.replace('7a7a', '6666') })],
    ['amount', (asked) => ({ ...asked, data: `${asked.data.slice(0, -1)}f` })],
    ['token', (asked) => ({ ...asked, to: `0x${'66'.repeat(20)}` })],
    ['nonce', (asked) => ({ ...asked, nonce: asked.nonce + 1 })],
    ['chain', (asked) => ({ ...asked, chainId: 1n })],
    ['fee', (asked) => ({ ...asked, maxFeePerGas: asked.maxFeePerGas + 1n })],
  ])(
    'whose signed bytes say another %s is thrown away, and nothing more is signed there [I-125]',
    async (_what, bends) => {
      const { id, stuck } = await aStuckOne();
      await replacements.signWanted(alteredVault(scene.vault, bends));
      expect((await payoutFor(id)).attempts).toEqual(stuck.attempts);
      const verdicts = await scene.query(`select verdict from vault_audit where purpose_id = $1 order by id`, [id]);
      expect(verdicts).toEqual([{ verdict: 'signed' }, { verdict: 'refused' }]);
      const frozen = await scene.query(`select from hot_wallet where frozen_reason like 'The signed transaction%'`);
      expect(frozen).toHaveLength(1);
      await replacements.signWanted(scene.vault);
      expect((await payoutFor(id)).attempts).toHaveLength(1);
    },
  );

  it('that cannot be signed delays no other', async () => {
    const [first, second] = [await aStuckOne('USDC'), await aStuckOne('USDT')];
    const failing = alteredVault(scene.vault, (asked) => {
      if (asked.nonce === first.stuck.nonce) throw new Error('The vault is out of breath.');
      return asked;
    });
    await replacements.signWanted(failing);
    expect((await payoutFor(first.id)).attempts).toHaveLength(1);
    expect((await payoutFor(second.id)).attempts).toHaveLength(2);
  });
});

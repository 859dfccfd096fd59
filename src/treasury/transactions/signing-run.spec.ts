import { alteredVault } from '../../../test/support/altered-vault.js';
import type { SeededChain } from '../../../test/support/factories.js';
import { LogLines } from '../../../test/support/log-lines.js';
import { type Ordered, type OrderTraits, PayoutScene } from '../../../test/support/payout-scene.js';
import { RecordingQueue } from '../../../test/support/recording-queue.js';
import { simulated } from '../../../test/support/simulated-payments.js';
import { aPlannedSweep } from '../../../test/support/sweep-scene.js';
import { vaultServices, type VaultServices } from '../../../test/support/vault-services.js';
import { createLogger } from '../../platform/logging.js';

const COIN = 10n ** 18n;
/** The highest gas cost of a token payment at the scene's fees: 120,000 at twice the base fee of 1 gwei and a tip of 30. */
const GAS_COST = 120_000n * 32n * 10n ** 9n;
const ORDERED = 25_000_000n;

let scene: PayoutScene;
let chain: SeededChain;
let log: LogLines;
let services: VaultServices;

beforeAll(async () => {
  scene = await PayoutScene.open();
});
afterAll(() => scene.close());
beforeEach(async () => {
  chain = await scene.addChain('polygon');
  log = new LogLines();
  services = vaultServices(scene.database, new RecordingQueue().queue, createLogger('info', { destination: log }));
});

const order = async (minutesAgo: number, traits: OrderTraits = {}): Promise<Ordered> =>
  scene.order(await scene.merchant(), { chain, minutesAgo, ...traits });
const waitingOf = (orders: readonly Ordered[]) => Promise.all(orders.map(({ id }) => scene.waitsFor(id)));

/** The signed transactions of the chain, by nonce: the order, and the transaction of the database that wrote it. */
const signedOn = () =>
  scene.query<{ nonce: string; purpose_id: string; written_by: string }>(
    `select nonce, purpose_id, xmin::text as written_by from chain_transaction where chain_ref = $1 order by nonce`,
    [chain.chainRef],
  );

/** The orders that were signed, the first nonce first; every nonce from 0 on was used once. */
async function signedInTurn(): Promise<string[]> {
  const rows = await signedOn();
  const [wallet] = await scene.query<{ next_nonce: string }>(`select next_nonce from hot_wallet where chain_ref = $1`, [
    chain.chainRef,
  ]);
  expect(rows.map(({ nonce }) => Number(nonce))).toEqual(rows.map((_row, place) => place));
  expect(Number(wallet?.next_nonce)).toBe(rows.length);
  return rows.map((row) => row.purpose_id);
}

const idsOf = (orders: readonly Ordered[]): string[] => orders.map(({ id }) => id);

describe('orders of one chain', () => {
  it('are signed in one transaction, the oldest first, with nonces in a row', async () => {
    const orders = [await order(5), await order(4), await order(3, { token: 'USDT' }), await order(2)];
    await services.signer.signWaiting(scene.vault);
    expect(await signedInTurn()).toEqual(idsOf(orders));
    expect(new Set((await signedOn()).map((row) => row.written_by)).size).toBe(1);
    expect(log.lines.filter(({ level }) => level !== 'info')).toEqual([]);
  });

  it('are signed once each, however many passes run at once [I-112]', async () => {
    const orders = [await order(3), await order(2), await order(1)];
    const others = vaultServices(scene.database, new RecordingQueue().queue);
    await Promise.all([services, others, services].map(({ signer }) => signer.signWaiting(scene.vault)));
    expect((await signedInTurn()).toSorted()).toEqual(idsOf(orders).toSorted());
    expect(await waitingOf(orders)).toEqual([null, null, null]);
  });

  it('leave nothing behind when their transaction dies in the middle, and are signed afterwards [I-108]', async () => {
    const orders = [await order(3), await order(2), await order(1)];
    let asked = 0;
    const dying = alteredVault(scene.vault, async (transaction) => {
      asked++;
      if (transaction.nonce === 1 && asked <= orders.length) {
        await scene.query(`select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and state = 'idle in transaction'`);
      }
      return transaction;
    });
    await services.signer.signWaiting(dying);
    expect(log.named('The withdrawals are signed one by one.')).toHaveLength(1);
    await services.signer.signWaiting(scene.vault);
    expect(await signedInTurn()).toEqual(idsOf(orders));
  });

  it('are signed one by one when one of them fails: those beside it are, with nonces in a row', async () => {
    const [first, failing, last] = [
      await order(3),
      await order(2, { destination: `0x${'66'.repeat(20)}` }),
      await order(1),
    ];
    const faulty = alteredVault(scene.vault, async (transaction) => {
      if (transaction.data.includes('66'.repeat(20))) throw new Error('The vault cannot sign this.');
      return transaction;
    });
    await services.signer.signWaiting(faulty);
    expect(await signedInTurn()).toEqual(idsOf([first, last]));
    expect(log.named('The withdrawal was not signed.')).toMatchObject([{ withdrawalId: failing.id }]);
    await services.signer.signWaiting(scene.vault);
    expect(await signedInTurn()).toEqual(idsOf([first, last, failing]));
  });

  it('are signed up to the one for which the vault signs something else: that freezes the wallet [I-125]', async () => {
    const orders = [await order(3), await order(2), await order(1)];
    const rogue = alteredVault(scene.vault, async (transaction) =>
      transaction.nonce === 1 ? { ...transaction, data: `${transaction.data.slice(0, -1)}1` } : transaction,
    );
    await services.signer.signWaiting(rogue);
    expect(await signedInTurn()).toEqual(idsOf(orders.slice(0, 1)));
    expect(await waitingOf(orders)).toEqual([null, 'nothing', 'wallet_frozen']);
    const refused = await scene.query(
      `select purpose_id from vault_audit where verdict = 'refused' and purpose_id = any($1)`,
      [idsOf(orders)],
    );
    expect(refused).toEqual([{ purpose_id: orders[1]?.id }]);
  });
});

describe('funds of one order are not available to the next of the same run', () => {
  it('of the tokens of the hot wallet', async () => {
    const orders = [await order(3), await order(2), await order(1, { token: 'USDT' })];
    await scene.hold(2n * ORDERED - 1n, COIN, chain);
    await services.signer.signWaiting(scene.vault);
    expect(await waitingOf(orders)).toEqual([null, 'coins_missing', null]);
  });

  it('of its gas', async () => {
    const orders = [await order(3), await order(2), await order(1)];
    await scene.hold(COIN, 3n * GAS_COST - 1n, chain);
    await services.signer.signWaiting(scene.vault);
    expect(await waitingOf(orders)).toEqual([null, null, 'gas_missing']);
    await scene.hold(COIN, 3n * GAS_COST, chain);
    await services.signer.signWaiting(scene.vault);
    expect(await waitingOf(orders)).toEqual([null, null, null]);
  });

  it("of a merchant's daily count, and an order that waits for another reason does not use it [I-124]", async () => {
    const tenant = await scene.merchant();
    const [waiting, first, second] = [
      await scene.order(tenant, { chain, minutesAgo: 3, token: 'POL', isSimulated: false }),
      await scene.order(tenant, { chain, minutesAgo: 2, token: 'USDC' }),
      await scene.order(tenant, { chain, minutesAgo: 1, token: 'USDT' }),
    ];
    await scene.query(`insert into withdrawal_policy (merchant_id, environment, daily_count) values ($1, $2, 1)`, [
      tenant.merchantId,
      tenant.environment,
    ]);
    await services.signer.signWaiting(scene.vault);
    expect(await waitingOf([waiting, first, second])).toEqual(['not_simulated', null, 'over_limit']);
  });

  it('of the coin payments that may be in flight to one contract', async () => {
    const destination = `0x${'c0'.repeat(20)}`;
    const orders = [
      await order(2, { token: 'POL', destination, isSimulated: false }),
      await order(1, { token: 'POL', destination, isSimulated: false }),
    ];
    for (const { id } of orders) await simulated(scene.database, id, { hasCode: true });
    await services.signer.signWaiting(scene.vault);
    expect(await waitingOf(orders)).toEqual([null, 'payments_in_flight']);
  });
});

it('waiting sweeps of one chain delay none on another, however many they are', async () => {
  const frozen = chain;
  await scene.query(`update hot_wallet set frozen_reason = 'asked for' where chain_ref = $1`, [frozen.chainRef]);
  const { id } = await aPlannedSweep(scene, frozen);
  await scene.query(
    `insert into sweep (id, chain_ref, reason, delegate, batch, created_at, waiting_reason)
     select id || n, chain_ref, reason, delegate, batch, created_at - n * interval '1 second', 'wallet_frozen'
       from sweep, generate_series(1, 400) n where id = $1`,
    [id],
  );
  const other = await scene.addChain('bnb');
  const elsewhere = await aPlannedSweep(scene, other);
  await services.sweeps.signWaiting(scene.vault);
  const signed = await scene.query(`select id from sweep where signed_at is not null`);
  expect(signed).toEqual([{ id: elsewhere.id }]);
  const waiting = await scene.query(`select waiting_reason from sweep where id = $1`, [id]);
  expect(waiting).toEqual([{ waiting_reason: 'wallet_frozen' }]);
});

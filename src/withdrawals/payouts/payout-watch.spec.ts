import { runCommand } from '../../../test/support/cli-run.js';
import { hotWalletCap } from '../../../test/support/hot-wallet-cap.js';
import { LogLines } from '../../../test/support/log-lines.js';
import { PayoutScene } from '../../../test/support/payout-scene.js';
import { RecordingQueue } from '../../../test/support/recording-queue.js';
import { RefundScene } from '../../../test/support/refund-scene.js';
import { query } from '../../../test/support/sql.js';
import { aPlannedSweep } from '../../../test/support/sweep-scene.js';
import { vaultServices } from '../../../test/support/vault-services.js';
import { HotWalletReader } from '../../treasury/wallets/hot-wallet-reader.service.js';
import { createLogger } from '../../platform/logging.js';
import { Metrics } from '../../platform/metrics.js';
import { SanctionsList } from '../../sanctions/sanctions-list.service.js';
import { RefundReader } from '../../suspense/refunds/refund-reader.service.js';
import { SweepReader } from '../../treasury/sweeps/sweep-reader.service.js';
import { VaultState } from '../../vault-status/vault-state.service.js';
import { VaultHeartbeat } from '../../vault-status/vault-heartbeat.service.js';
import { PayoutHealthReader } from './payout-health-reader.service.js';
import { PayoutWatch } from './payout-watch.service.js';

const BEGUN = 'A payout problem began.';
const OVER = 'A payout problem is over.';

let scene: PayoutScene;
let log: LogLines;
let metrics: Metrics;
let vaultState: VaultState;
let vault: VaultHeartbeat;

beforeEach(async () => {
  scene = await PayoutScene.open();
  log = new LogLines();
  metrics = new Metrics();
  vaultState = new VaultState();
  vault = new VaultHeartbeat(scene.database, vaultState, createLogger('silent'));
});
afterEach(() => scene.close());

function reader({ devChains = [] as ('polygon' | 'bnb')[] } = {}): PayoutHealthReader {
  const elsewhere = new VaultHeartbeat(scene.database, new VaultState(), createLogger('silent'));
  const wallets = new HotWalletReader(scene.database);
  const sweeps = new SweepReader(scene.database, hotWalletCap(scene.database));
  const refunds = new RefundReader(scene.database);
  return new PayoutHealthReader(scene.database, elsewhere, wallets, sweeps, refunds, { devChains });
}

/** The payout watch of a worker without a vault of its own. */
function watch(configured: Parameters<typeof reader>[0] = {}): PayoutWatch {
  return new PayoutWatch(
    reader(configured),
    new SanctionsList(scene.database),
    metrics,
    createLogger('info', { destination: log }),
  );
}

const logged = (message: string): unknown[] => log.named(message).map((line) => line['code']);
const shown = async (name: string): Promise<string[]> => {
  const text = await metrics.registry.getSingleMetricAsString(name);
  return text.split('\n').filter((line) => line.startsWith(name));
};

it('measures what payments wait for, and logs each problem once when it begins and once when it ends', async () => {
  const payouts = watch();
  const late = await scene.order(await scene.merchant(), { minutesAgo: 11 });
  await payouts.measure();
  await payouts.measure();
  expect(logged(BEGUN)).toEqual(['vault_sealed', 'waits_long']);
  expect(await shown('coffer_vault_open')).toEqual(['coffer_vault_open 0']);
  expect(await shown('coffer_withdrawals_waiting')).toEqual(['coffer_withdrawals_waiting{reason="not_looked_at"} 1']);
  expect(await shown('coffer_sanctions_list_age_days')).toEqual(['coffer_sanctions_list_age_days 0']);

  vaultState.isOpen = true;
  await vault.beat();
  await scene.signer.sign(scene.vault, late.id);
  await payouts.measure();
  expect(logged(BEGUN)).toHaveLength(2);
  expect(logged(OVER)).toEqual(['vault_sealed', 'waits_long']);
  expect(await shown('coffer_vault_open')).toEqual(['coffer_vault_open 1']);
  expect(await shown('coffer_withdrawals_waiting')).toEqual(['coffer_withdrawals_waiting{reason="not_sent"} 1']);
  expect(await shown('coffer_transactions_open')).toEqual([
    `coffer_transactions_open{chain="${scene.chain.chainRef}"} 1`,
  ]);
});

it('a payment that waits for others in flight is late as soon as those would be late', async () => {
  vaultState.isOpen = true;
  await vault.beat();
  const payouts = watch();
  const { id } = await scene.order(await scene.merchant(), { minutesAgo: 44 });
  await scene.query(`update withdrawal set waiting_reason = 'payments_in_flight' where id = $1`, [id]);
  await payouts.measure();
  expect(logged(BEGUN)).toEqual([]);
  await scene.order(await scene.merchant(), { minutesAgo: 46 });
  await scene.query(`update withdrawal set waiting_reason = 'payments_in_flight'`);
  await payouts.measure();
  expect(logged(BEGUN)).toEqual(['waits_long']);
});

it('measures and logs refunds and withdrawals separately', async () => {
  vaultState.isOpen = true;
  await vault.beat();
  const payouts = watch();
  await scene.order(await scene.merchant(), { minutesAgo: 11 });
  const refunds = await RefundScene.open(scene);
  const { id } = await refunds.anOrder();
  await scene.hold(0n, 10n ** 21n);
  await refunds.signer.sign(scene.vault, id);
  await payouts.measure();
  expect(await shown('coffer_returns_waiting')).toEqual(['coffer_returns_waiting{reason="coins_missing"} 1']);
  expect(logged(BEGUN)).toEqual(['waits_long']);
  const depositId = await refunds.aDeposit();
  await scene.query(
    `insert into deposit_return (id, deposit_id, destination, destination_key, status, created_at)
     values ('ret_old', $1, '0x', '0x', 'broadcasting', now() - interval '11 minutes')`,
    [depositId],
  );
  await payouts.measure();
  expect(logged(BEGUN)).toEqual(['waits_long', 'refund_waits_long']);
  expect(log.named(BEGUN).at(-1)).toMatchObject({
    sentence: 'A refund has been waiting for 11 minutes (not_looked_at).',
  });
});

it('warns of a wallet with gas for only a few more payments, unless the sandbox fills it automatically [I-117]', async () => {
  vaultState.isOpen = true;
  await vault.beat();
  // A token payment may use 120,000 gas at 2 * 1 + 30 gwei.
  const reserve = 120_000n * 32n * 10n ** 9n;
  const gasPayments = async (coins: bigint, payouts = watch()) => {
    await scene.hold(10n ** 12n, coins);
    await payouts.measure();
    const [line = ''] = await shown('coffer_hot_wallet_gas_payments');
    return { payments: line.split(' ')[1], logged: logged(BEGUN).length };
  };
  expect(await gasPayments(10n * reserve)).toEqual({ payments: '10', logged: 0 });
  expect(await gasPayments(10n * reserve - 1n, watch({ devChains: ['polygon'] }))).toEqual({
    payments: '9',
    logged: 0,
  });
  expect(await gasPayments(10n * reserve - 1n)).toEqual({ payments: '9', logged: 1 });
  expect(await gasPayments(0n)).toEqual({ payments: '0', logged: 2 });
  expect(logged(BEGUN)).toEqual(['low_on_gas', 'low_on_gas']);
});

it('logs a stuck transaction that the vault does not replace, with the reason, until it does', async () => {
  vaultState.isOpen = true;
  await vault.beat();
  const payouts = watch();
  const listed = await scene.order(await scene.merchant());
  await scene.signer.sign(scene.vault, listed.id);
  await scene.query(`update chain_transaction set replace_wanted_at = now()`);
  await scene.query(`
    insert into sanctioned_address (family, address_key, added_in)
      select 'evm', destination_key, (select max(id) from sanctions_import) from withdrawal`);
  const { replacements } = vaultServices(
    scene.database,
    new RecordingQueue().queue,
    createLogger('info', { destination: log }),
  );
  for (let looks = 0; looks < 2; looks++) {
    await replacements.signWanted(scene.vault);
    await payouts.measure();
  }
  const [payout] = await scene.query<{ id: string }>(`select id from chain_transaction`);
  const about = { transactionId: payout?.id, chainRef: scene.chain.chainRef };
  expect(log.named('A stuck transaction was not replaced.')).toMatchObject([{ ...about, reason: 'address_blocked' }]);
  expect((await reader().state()).refusals).toEqual([
    { ...about, nonce: 0, reason: 'Its destination is on a sanctions list by now.' },
  ]);
  expect(logged(BEGUN)).toEqual(['not_replaced']);
  await scene.query(`
    with newer as (insert into sanctions_import (source, published_on, addresses, content_hash)
                   values ('test', now(), 1, repeat('b', 64)) returning id)
    update sanctioned_address set removed_in = newer.id from newer`);
  await replacements.signWanted(scene.vault);
  await payouts.measure();
  expect(logged(OVER)).toHaveLength(1);
});

it('logs the next transaction when no node accepts it, whatever its purpose, and none that waits behind it', async () => {
  vaultState.isOpen = true;
  await vault.beat();
  const payouts = watch();
  const { id } = await aPlannedSweep(scene, scene.chain);
  const { sweeps } = vaultServices(scene.database, new RecordingQueue().queue);
  expect(await sweeps.sign(scene.vault, 'sweep', id)).toBeNull();
  await scene.signer.sign(scene.vault, (await scene.order(await scene.merchant())).id);
  const seconds = async (): Promise<string | undefined> => {
    await payouts.measure();
    const [line] = await shown('coffer_transactions_not_taken_seconds');
    return line?.split(' ')[1];
  };
  expect([await seconds(), logged(BEGUN)]).toEqual([undefined, []]);
  await query(scene.db.owner, `alter table chain_transaction disable trigger all`);
  await scene.query(`update chain_transaction set created_at = now() - interval '5 minutes'`);
  expect(Number(await seconds())).toBeGreaterThanOrEqual(300);
  expect(logged(BEGUN)).toEqual(['not_taken']);
  expect((await reader().state()).untaken).toMatchObject([{ nonce: 0, purpose: 'sweep' }]);
  const { out } = await runCommand(['doctor'], { DATABASE_URL: scene.db.url });
  expect(out).toMatch(
    /No node has accepted the next transaction for 5 minutes\. Later ones wait behind it\. \(ctx_\w+, nonce 0: a sweep\)/,
  );
  await scene.query(`update chain_transaction set broadcast_at = now() where purpose = 'sweep'`);
  expect([await seconds(), log.named(OVER).length]).toEqual([undefined, 1]);
});

it('shows in every process whether any process holds an open vault', async () => {
  const elsewhere = new VaultHeartbeat(scene.database, new VaultState(), createLogger('silent'));
  await vault.beat();
  expect(await elsewhere.check()).toEqual({ isOpen: false, seenSecondsAgo: null });
  vaultState.isOpen = true;
  await vault.beat();
  expect(await elsewhere.check()).toMatchObject({ isOpen: true });
  await scene.query(`update vault_presence set seen_at = now() - interval '1 minute'`);
  expect(await elsewhere.check()).toEqual({ isOpen: false, seenSecondsAgo: 60 });
  await vault.beat();
  expect(await elsewhere.check()).toMatchObject({ isOpen: true });
});

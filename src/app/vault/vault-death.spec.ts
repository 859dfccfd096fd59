import { LogLines } from '../../../test/support/log-lines.js';
import { PayoutScene } from '../../../test/support/payout-scene.js';
import { RecordingQueue } from '../../../test/support/recording-queue.js';
import { RefundScene } from '../../../test/support/refund-scene.js';
import { aPlannedSweep } from '../../../test/support/sweep-scene.js';
import { startVaultJobs, type VaultJobs } from '../../../test/support/vault-jobs.js';
import { createLogger } from '../../platform/logging.js';
import { LocalVault } from '../../vault/local-vault.js';

const SEALED = 'The vault is sealed. No new addresses are derived, and withdrawals wait.';

let scene: PayoutScene;
let jobs: VaultJobs;
let log: LogLines;

beforeEach(async () => {
  scene = await PayoutScene.open();
  log = new LogLines();
  jobs = await startVaultJobs(scene.database, {
    queue: new RecordingQueue().queue,
    logger: createLogger('info', { destination: log }),
    vault: scene.vaultFile,
    poolTarget: 1,
  });
  await scene.countOnChain();
});
afterEach(async () => {
  await jobs.vault.beforeApplicationShutdown();
  await scene.close();
});

const order = async (): Promise<string> => (await scene.order(await scene.merchant())).id;

async function killThread(): Promise<void> {
  const vault = jobs.vault['vault'];
  if (!(vault instanceof LocalVault)) throw new Error('The vault is sealed.');
  await vault['worker'].terminate();
}

/** Each creates something to sign and returns how to sign it. */
const JOBS: Record<string, () => Promise<() => Promise<void>>> = {
  'a withdrawal': async () => {
    await order();
    return () => jobs.signing.signAll();
  },
  'a withdrawal that a job wakes the vault for': async () => {
    await order();
    return () => jobs.signing.signWithdrawals();
  },
  'a replacement': async () => {
    await scene.signer.sign(scene.vault, await order());
    await scene.query(`update chain_transaction set replace_wanted_at = now()`);
    return () => jobs.signing.signAll();
  },
  'a refund': async () => {
    const refunds = await RefundScene.open(scene);
    await refunds.anOrder();
    return () => jobs.signing.signAll();
  },
  'a sweep': async () => {
    await aPlannedSweep(scene, scene.chain);
    return () => jobs.signing.signAll();
  },
};

it.each(Object.entries(JOBS))(
  'a vault whose thread died is sealed by the first signature: %s',
  async (_what, prepare) => {
    const act = await prepare();
    const signed = async () => scene.query(`select from transaction_attempt`);
    const before = await signed();
    expect(jobs.state.isOpen).toBe(true);
    await killThread();
    await act();
    expect(jobs.state.isOpen).toBe(false);
    expect(await signed()).toHaveLength(before.length);
    await jobs.signing.signAll();
    await jobs.addresses.refill();
    expect(log.named(SEALED)).toHaveLength(1);
  },
);

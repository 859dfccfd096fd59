import { eventually } from '../../../test/support/eventually.js';
import { LogLines } from '../../../test/support/log-lines.js';
import { PayoutScene } from '../../../test/support/payout-scene.js';
import { QueueRig } from '../../../test/support/queue-rig.js';
import { ReturnScene } from '../../../test/support/return-scene.js';
import { aPlannedSweep } from '../../../test/support/sweep-scene.js';
import { vaultDuties } from '../../../test/support/vault-duties.js';
import { parseConfig } from '../../platform/config.js';
import { createLogger } from '../../platform/logging.js';
import { LocalVault } from '../../vault/local-vault.js';
import { AddressProof } from '../../payments/addresses/address-proof.service.js';
import { PoolFiller } from '../../payments/addresses/pool-filler.service.js';
import { VaultState } from '../../vault-status/vault-state.service.js';
import { VaultRole } from './vault.role.js';

const SEALED = 'the vault stays sealed: no new addresses are derived, and withdrawals wait';

let scene: PayoutScene;
let rig: QueueRig;
let role: VaultRole;
let state: VaultState;
let log: LogLines;

beforeEach(async () => {
  scene = await PayoutScene.open();
  rig = await QueueRig.open({ databaseUrl: scene.db.url, redisUrl: null });
  log = new LogLines();
  state = new VaultState();
  const logger = createLogger('info', { destination: log });
  const filler = new PoolFiller(scene.database, parseConfig({ WALLET_POOL_TARGET: '1' }), logger);
  const runtime = {
    databaseUrl: '',
    secretsKey: '',
    vault: scene.vaultFile,
    chains: [],
    devChains: [],
    baseUrl: () => '',
  };
  const { wallets, signer, replacements, sweeps, returns, databaseWatch } = vaultDuties(
    scene.database,
    rig.queue,
    logger,
  );
  role = new VaultRole(
    filler,
    new AddressProof(scene.database, filler, logger),
    wallets,
    signer,
    replacements,
    sweeps,
    returns,
    databaseWatch,
    state,
    rig.workers,
    scene.database,
    runtime,
    logger,
  );
  await role.onApplicationBootstrap();
  await scene.countOnChain();
});
afterEach(async () => {
  await role.beforeApplicationShutdown();
  await rig.close();
  await scene.close();
});

const order = async (): Promise<string> => (await scene.order(await scene.merchant())).id;

async function killThread(): Promise<void> {
  const vault = role['vault'];
  if (!(vault instanceof LocalVault)) throw new Error('The role has no vault.');
  await vault['worker'].terminate();
}

/** Something to sign; gives how to have it signed. */
const DUTIES: Record<string, () => Promise<() => Promise<void>>> = {
  'a withdrawal': async () => {
    await order();
    return () => role.sign();
  },
  'a withdrawal that a job names': async () => {
    const withdrawalId = await order();
    return async () => {
      rig.queue.wake('withdrawals.sign', { withdrawalId });
      await eventually(() => !state.isOpen);
    };
  },
  'a replacement': async () => {
    await scene.signer.sign(scene.vault, await order());
    await scene.database.query(`update chain_transaction set replace_wanted_at = now()`);
    return () => role.sign();
  },
  'a return': async () => {
    const returns = await ReturnScene.open(scene);
    await returns.anOrder();
    return () => role.sign();
  },
  'a sweep': async () => {
    await aPlannedSweep(scene, scene.chain);
    return () => role.sign();
  },
};

it.each(Object.entries(DUTIES))(
  'a vault whose thread died is sealed by the first signature: %s',
  async (_what, prepare) => {
    const act = await prepare();
    const signed = async () => scene.database.query(`select from transaction_attempt`);
    const before = await signed();
    expect(state.isOpen).toBe(true);
    await killThread();
    await act();
    expect(state.isOpen).toBe(false);
    expect(await signed()).toHaveLength(before.length);
    await role.sign();
    await role.sweep();
    expect(log.named(SEALED)).toHaveLength(1);
  },
);

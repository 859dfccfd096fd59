import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aChain, freeAddresses } from '../../../test/support/factories.js';
import { LogLines } from '../../../test/support/log-lines.js';
import { QueueRig } from '../../../test/support/queue-rig.js';
import { asIfRotten } from '../../../test/support/rotten-rows.js';
import { vaultDuties } from '../../../test/support/vault-duties.js';
import { parseConfig } from '../../platform/config.js';
import { createLogger } from '../../platform/logging.js';
import { createVaultFile } from '../../vault/vault-file.js';
import { SCRYPT_N } from '../../vault/vault-format.js';
import { AddressProof } from '../../payments/addresses/address-proof.service.js';
import { PoolFiller } from '../../payments/addresses/pool-filler.service.js';
import { VaultState } from '../../vault-status/vault-state.service.js';
import { VaultRole } from './vault.role.js';

const PASSPHRASE = 'correct horse battery staple';
const SEALED = 'the vault stays sealed: no new addresses are derived, and withdrawals wait';

let directory: string;
let db: TestDatabase;
let rig: QueueRig;
let role: VaultRole;
let state: VaultState;
let log: LogLines;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'coffer-vault-role-'));
  await createVaultFile(join(directory, 'vault.json'), PASSPHRASE, { scryptN: SCRYPT_N.min });
  db = await freshDatabase();
  rig = await QueueRig.open({ databaseUrl: db.url, redisUrl: null });
  await aChain(db.database);
});
afterEach(async () => {
  await role.beforeApplicationShutdown();
  await rig.close();
  await db.drop();
  await rm(directory, { recursive: true });
});

/** The role of a process whose configuration holds this passphrase, or none. */
async function start(passphrase: string | null = PASSPHRASE): Promise<void> {
  log = new LogLines();
  state = new VaultState();
  const logger = createLogger('info', { destination: log });
  const filler = new PoolFiller(db.database, parseConfig({ WALLET_POOL_TARGET: '5' }), logger);
  const runtime = {
    databaseUrl: db.url,
    secretsKey: '',
    vault: passphrase === null ? null : { path: join(directory, 'vault.json'), passphrase },
    chains: [],
    devChains: [],
    baseUrl: () => '',
  };
  const { wallets, signer, replacements, sweeps, returns, databaseWatch } = vaultDuties(db.database, rig.queue, logger);
  const { workers } = rig;
  role = new VaultRole(
    filler,
    new AddressProof(db.database, filler, logger),
    wallets,
    signer,
    replacements,
    sweeps,
    returns,
    databaseWatch,
    state,
    workers,
    db.database,
    runtime,
    logger,
  );
  await role.onApplicationBootstrap();
}

const poolSize = async (): Promise<number> => (await db.database.query(`select from pool_address`)).length;

describe('the vault role', () => {
  it('opens the vault and fills the pools of the environments whose chains are served', async () => {
    await start();
    await role.sweep();
    expect([state.isOpen, await poolSize()]).toEqual([true, 5]);
    await role.beforeApplicationShutdown();
    expect(state.isOpen).toBe(false);
  });

  it.each<[what: string, passphrase: string | null]>([
    ['a wrong passphrase', 'another passphrase'],
    ['no passphrase at all', null],
  ])('runs on with a vault that stays sealed for %s, and derives nothing [L-154]', async (_what, passphrase) => {
    await start(passphrase);
    await role.sweep();
    expect([state.isOpen, await poolSize()]).toEqual([false, 0]);
    expect(log.named(SEALED)).toHaveLength(1);
    expect(state.sealedBecause).toEqual(expect.any(String));
  });

  it('knows from the first which database a wallet lies in, and stops it on another though nothing is to be signed', async () => {
    await start();
    await role.sweep();
    await role.sign();
    const wallet = async () =>
      (
        await db.database.query(
          `select frozen_reason, database_identity = database_identity() as is_known from hot_wallet`,
        )
      )[0];
    expect(await wallet()).toEqual({ frozen_reason: null, is_known: true });
    await db.database.query(`update hot_wallet set database_identity = '7434/1'`);
    await role.sign();
    expect(await wallet()).toEqual({ frozen_reason: expect.stringContaining('is another one'), is_known: true });
  });

  it('believes no count of a chain that is older than its start: the rows may be restored ones [H-106]', async () => {
    await start();
    await role.sweep();
    await db.database.query(`update hot_wallet set chain_nonce = 0`);
    await role.beforeApplicationShutdown();
    await start();
    const wallets = await db.database.query(`select chain_nonce from hot_wallet`);
    expect(wallets).toEqual([{ chain_nonce: null }]);
  });

  it('derives stored addresses again, and takes one that differs off the pool [L-158]', async () => {
    await start();
    await role.sweep();
    await asIfRotten(db.owner, `set address = '0x00', address_key = '0x00' where derivation_index = 3`);
    await role.prove();
    const free = await db.database.query(`select derivation_index from pool_address where retired_at is null`);
    expect(free).toHaveLength(4);
    expect(log.named('a stored address is not the one that the vault derives: it is never handed out')).toMatchObject([
      { path: "m/44'/60'/0'/0/3", address: '0x00' },
    ]);
    expect(state.isOpen).toBe(true);
  });

  it('seals a vault that the addresses of the database did not come from, and says so once', async () => {
    await freeAddresses(db.database, 1);
    await start();
    await Promise.all([role.sweep(), role.prove(), role.sweep()]);
    await role.sweep();
    expect([state.isOpen, await poolSize()]).toEqual([false, 1]);
    const told = log.named(SEALED);
    expect(told).toHaveLength(1);
    expect(JSON.stringify(told)).toContain('This vault is not the one that the sandbox addresses came from');
  });
});

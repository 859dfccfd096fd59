import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aChain, freeAddresses } from '../../../test/support/factories.js';
import { LogLines } from '../../../test/support/log-lines.js';
import { RecordingQueue } from '../../../test/support/recording-queue.js';
import { asIfRotten } from '../../../test/support/rotten-rows.js';
import { startVaultJobs, type VaultJobs } from '../../../test/support/vault-jobs.js';
import { createLogger } from '../../platform/logging.js';
import { createVaultFile } from '../../vault/vault-file.js';
import { SCRYPT_N } from '../../vault/vault-format.js';

const PASSPHRASE = 'correct horse battery staple';
const SEALED = 'The vault is sealed. No new addresses are derived, and withdrawals wait.';

let directory: string;
let db: TestDatabase;
let jobs: VaultJobs;
let log: LogLines;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'coffer-open-vault-'));
  await createVaultFile(join(directory, 'vault.json'), PASSPHRASE, { scryptN: SCRYPT_N.min });
  db = await freshDatabase();
  await aChain(db.database);
});
afterEach(async () => {
  await jobs.vault.beforeApplicationShutdown();
  await db.drop();
  await rm(directory, { recursive: true });
});

/** Starts a process with this passphrase, or none. */
async function start(passphrase: string | null = PASSPHRASE): Promise<void> {
  log = new LogLines();
  jobs = await startVaultJobs(db.database, {
    queue: new RecordingQueue().queue,
    logger: createLogger('info', { destination: log }),
    vault: passphrase === null ? null : { path: join(directory, 'vault.json'), passphrase },
    poolTarget: 5,
  });
}

const poolSize = async (): Promise<number> => (await db.query(`select from pool_address`)).length;

describe('the vault of a process', () => {
  it('opens the vault and fills the pools of the environments whose chains are served', async () => {
    await start();
    await jobs.addresses.refill();
    expect([jobs.state.isOpen, await poolSize()]).toEqual([true, 5]);
    await jobs.vault.beforeApplicationShutdown();
    expect(jobs.state.isOpen).toBe(false);
  });

  it.each<[what: string, passphrase: string | null]>([
    ['a wrong passphrase', 'another passphrase'],
    ['no passphrase at all', null],
  ])(
    'keeps running with a vault that is sealed because of %s, and derives nothing [L-154]',
    async (_what, passphrase) => {
      await start(passphrase);
      await jobs.addresses.refill();
      expect([jobs.state.isOpen, await poolSize()]).toEqual([false, 0]);
      expect(log.named(SEALED)).toHaveLength(1);
      expect(jobs.state.sealedBecause).toEqual(expect.any(String));
    },
  );

  it('records the database of a wallet at once, and freezes it on another database even when nothing is to be signed', async () => {
    await start();
    await jobs.addresses.refill();
    await jobs.signing.signAll();
    const wallet = async () =>
      (await db.query(`select frozen_reason, database_identity = database_identity() as is_known from hot_wallet`))[0];
    expect(await wallet()).toEqual({ frozen_reason: null, is_known: true });
    await db.query(`update hot_wallet set database_identity = '7434/1'`);
    await jobs.signing.signAll();
    expect(await wallet()).toEqual({ frozen_reason: expect.stringContaining('on another database'), is_known: true });
  });

  it('trusts no transaction count that is older than its start: the rows may be restored [H-106]', async () => {
    await start();
    await jobs.addresses.refill();
    await db.query(`update hot_wallet set chain_nonce = 0`);
    await jobs.vault.beforeApplicationShutdown();
    await start();
    const wallets = await db.query(`select chain_nonce from hot_wallet`);
    expect(wallets).toEqual([{ chain_nonce: null }]);
  });

  it('derives stored addresses again, and removes one that differs from the pool [L-158]', async () => {
    await start();
    await jobs.addresses.refill();
    await asIfRotten(db.owner, `set address = '0x00', address_key = '0x00' where derivation_index = 3`);
    await jobs.addresses.prove();
    const free = await db.query(`select derivation_index from pool_address where retired_at is null`);
    expect(free).toHaveLength(4);
    expect(
      log.named('A stored address differs from the one that the vault derives: it is never assigned.'),
    ).toMatchObject([{ path: "m/44'/60'/0'/0/3", address: '0x00' }]);
    expect(jobs.state.isOpen).toBe(true);
  });

  it('seals a vault that did not derive the addresses of the database, and logs it once', async () => {
    await freeAddresses(db.database, 1);
    await start();
    await Promise.all([jobs.addresses.refill(), jobs.addresses.prove(), jobs.addresses.refill()]);
    await jobs.addresses.refill();
    expect([jobs.state.isOpen, await poolSize()]).toEqual([false, 1]);
    const sealed = log.named(SEALED);
    expect(sealed).toHaveLength(1);
    expect(JSON.stringify(sealed)).toContain('This vault is not the one that the sandbox addresses came from');
  });
});

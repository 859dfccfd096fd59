import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Readiness } from '../../src/health/health.service.js';
import type { PaymentIntentObject } from '../../src/payments/intents/payment-intent.schema.js';
import type { PocketObject } from '../../src/ledger/pocket.schema.js';
import { createVaultFile, openVaultFile } from '../../src/vault/vault-file.js';
import { SCRYPT_N } from '../../src/vault/vault-format.js';
import type { WithdrawalObject } from '../../src/withdrawals/withdrawal.schema.js';
import { addressOf, intentWithAddress, untilStatus } from '../http/intents.js';
import type { ApiClient } from '../support/api-client.js';
import { everyRow, grownFrom, writtenDown } from '../support/backup.js';
import { type BnbTestnet, startBnbTestnet } from '../support/bnb-testnet.js';
import { expectBooksInOrder } from '../support/books.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { auditBooksOf } from '../support/final-audit.js';
import { openAccount } from '../support/fleet.js';
import { FleetMember } from '../support/fleet-member.js';
import { hexOf } from '../support/probe-contracts.js';
import { sandboxDir, type SandboxDir } from '../support/sandbox-dir.js';
import { bundleService, type ServiceBuild } from '../support/service-build.js';
import { provideUsdcWithBalances } from '../support/usdc-with-balances.js';
import { pocketOn, untilEnded, withdraw } from '../withdrawals/withdrawals.js';

const PASSPHRASE = 'correct horse battery staple';
const SECRETS_KEY = '5e'.repeat(32);
/** Paths of the first deposit address and of the hot wallets. */
const KEY_PATHS = ["m/44'/60'/0'/0/0", ...[0, 1, 2].map((network) => `m/44'/60'/1'/0/${network}`)];
const COIN = 10n ** 18n;
const BLOCK_EVERY_MS = 100;
const OTHERS = ['listener', 'worker', 'api'] as const;

let build: ServiceBuild;
let dir: SandboxDir;
let db: TestDatabase;
let testnet: BnbTestnet;
let miner: NodeJS.Timeout;
let members: Record<(typeof OTHERS)[number] | 'vault', FleetMember>;
let api: ApiClient;
let apiKey: string;

beforeAll(async () => {
  [build, dir, db, testnet] = await Promise.all([bundleService(), sandboxDir(), freshDatabase(), startBnbTestnet()]);
  await provideUsdcWithBalances(testnet);
  await Promise.all([mkdir(join(dir.path, 'vault')), mkdir(join(dir.path, 'others'))]);
  await createVaultFile(join(dir.path, 'vault', 'vault.json'), PASSPHRASE, { scryptN: SCRYPT_N.min });
  await promisify(execFile)('mkfifo', ['-m', '000', trap()]);
  ({ apiKey } = await openAccount(db.database));
  members = {
    vault: member('vault', { VAULT_PASSPHRASE: PASSPHRASE }),
    listener: member('listener'),
    worker: member('worker'),
    api: member('api'),
  };
  miner = setInterval(() => void testnet.controls.mine().catch(() => undefined), BLOCK_EVERY_MS);
  await Promise.all(Object.values(members).map((one) => one.start()));
  api = members.api.client(apiKey);
  await eventually(async () => (await readiness(members.api)).can_collect, 45_000);
  await fillHotWallet();
}, 120_000);
afterAll(async () => {
  clearInterval(miner);
  await Promise.all(Object.values(members).map((one) => one.end('SIGKILL').catch(() => undefined)));
  try {
    await auditBooksOf({ DATABASE_URL: db.url, SANDBOX_BNB_RPC_URL: testnet.url });
  } finally {
    await Promise.all([testnet.stop(), db.drop()]);
    await dir.remove();
  }
});

/**
 * The path where the other processes would read the vault file. It is a pipe without a writer: an open never returns, so
 * an attempt is visible at any later time, whatever user the processes run as.
 */
const trap = (): string => join(dir.path, 'others', 'vault.json');

async function wasOpened(): Promise<boolean> {
  try {
    await (await open(trap(), constants.O_WRONLY | constants.O_NONBLOCK)).close();
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENXIO' });
    return false;
  }
}

function member(kind: FleetMember['kind'], secrets: Readonly<Record<string, string>> = {}): FleetMember {
  const env = {
    DATABASE_URL: db.url,
    DATABASE_POOL_MAX: '6',
    SECRETS_KEY,
    SANDBOX_BNB_RPC_URL: testnet.url,
    PRICE_SOURCES: 'fixed',
    RATE_LIMIT_PER_SECOND: '0',
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
    WALLET_POOL_TARGET: '50',
    LOG_LEVEL: 'info',
    ...secrets,
  };
  return new FleetMember({
    kind,
    name: kind,
    build,
    dataDir: join(dir.path, kind === 'vault' ? 'vault' : 'others'),
    env,
  });
}

async function readiness({ url }: FleetMember): Promise<Readiness> {
  return JSON.parse(await (await fetch(`${url}/health/ready`)).text()) as Readiness;
}

/** Funds the wallet as an operator does: coins for gas, and tokens to pay out. */
async function fillHotWallet(): Promise<void> {
  const address = await eventually(async () => {
    const [wallet] = await db.query<{ address: string }>(`select address from hot_wallet`);
    return wallet?.address;
  });
  await testnet.node.send('anvil_setBalance', address, hexOf(10n * COIN));
  await testnet.controls.pay({ to: address, token: 'USDC', amount: 1_000n * COIN });
}

async function payIn(): Promise<PaymentIntentObject> {
  const intent = await intentWithAddress(api, { network: 'bnb' });
  await testnet.controls.pay({ to: addressOf(intent), token: 'USDC', amount: BigInt(intent.crypto_amount ?? 0) });
  return eventually(() => untilStatus(api, intent.id, 'completed'), 30_000);
}

async function payOut({ id }: PocketObject): Promise<WithdrawalObject> {
  const { status, body, text } = await withdraw(api, id);
  expect([status, text]).toEqual([202, text]);
  return body;
}

async function environmentOf({ pid }: FleetMember): Promise<string> {
  return readFile(`/proc/${pid}/environ`, 'utf8');
}

describe('a separate vault process', () => {
  it('is the only process that has the passphrase or opens the file, and payments work in both directions [L-153]', async () => {
    await payIn();
    const withdrawal = await payOut(await pocketOn(api, 'bnb'));
    const { tx_hash: hash } = await untilEnded(api, withdrawal.id, 'completed', 45_000);
    expect(hash).toMatch(/^0x[0-9a-f]{64}$/);
    expect(await environmentOf(members.vault)).toContain(PASSPHRASE);
    for (const kind of OTHERS) {
      const environment = await environmentOf(members[kind]);
      expect([kind, environment.includes(PASSPHRASE), environment.includes('VAULT_')]).toEqual([kind, false, false]);
    }
    expect(await wasOpened()).toBe(false);
    await expectBooksInOrder(db.database);
  }, 120_000);

  it('opens no debugger, and neither does any other process [L-160]', async () => {
    for (const one of Object.values(members)) process.kill(one.pid, 'SIGUSR1');
    for (const one of Object.values(members)) {
      await eventually(
        () => one.printed,
        (seen) => seen.includes('SIGUSR1 was received'),
      );
      expect([one.name, one.printed.includes('Debugger listening')]).toEqual([one.name, false]);
    }
  });

  it('leaves no secret in a backup [L-161]', async () => {
    const { body: endpoint } = await api.post<{ secret: string }>('/v1/webhook-endpoints', {
      url: 'http://127.0.0.1:50000/hooks',
    });
    expect(endpoint.secret).toMatch(/^whsec_/);
    const vaultFile = join(dir.path, 'vault', 'vault.json');
    const backup = [await everyRow(db.database), await readFile(vaultFile, 'utf8')].join('\n').toLowerCase();
    // The backup has the hash of the key and the URL of the webhooks.
    expect(backup).toContain(createHash('sha256').update(apiKey).digest('hex'));
    expect(backup).toContain('http://127.0.0.1:50000/hooks');
    const { sandbox, live } = await openVaultFile(vaultFile, PASSPHRASE);
    const keys = [sandbox, live].flatMap((entropy) => grownFrom(entropy, KEY_PATHS));
    const secrets = [...[PASSPHRASE, SECRETS_KEY, apiKey, endpoint.secret].flatMap(writtenDown), ...keys];
    expect(secrets.filter((secret) => backup.includes(secret.toLowerCase()))).toEqual([]);
  });

  it('may be away or sealed: withdrawals are accepted and wait, the rest runs, and they are paid once it is open [L-154]', async () => {
    await payIn();
    await members.vault.end('SIGKILL');
    const { id } = await payOut(await pocketOn(api, 'bnb'));
    await members.vault.start({ VAULT_PASSPHRASE: 'another passphrase' });
    expect(await readiness(members.vault)).toMatchObject({
      status: 'ready',
      dependencies: { vault: { status: 'down' } },
    });
    await payIn();
    await eventually(
      async () => (await readiness(members.api)).withdrawals?.vault,
      (seen) => seen === 'sealed',
      20_000,
    );
    expect(await readiness(members.api)).toMatchObject({
      status: 'ready',
      can_collect: true,
      withdrawals: {
        status: 'degraded',
        vault: 'sealed',
        reasons: expect.arrayContaining(['No process holds an open vault: withdrawals wait.']),
        waiting: 1,
      },
    });
    const [waiting] = await db.query(`select signed_at, tx_hash from withdrawal where id = $1`, [id]);
    expect(waiting).toEqual({ signed_at: null, tx_hash: null });
    expect(members.vault.printed).toContain('The vault is sealed');

    await members.vault.end('SIGTERM');
    await members.vault.start();
    await untilEnded(api, id, 'completed', 45_000);
    expect(await readiness(members.api)).toMatchObject({ withdrawals: { status: 'ok', vault: 'open', waiting: 0 } });
    expect(await wasOpened()).toBe(false);
    await expectBooksInOrder(db.database);
  }, 180_000);
});

import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { ApiKeysService } from '../../src/auth/api-keys.service.js';
import { MerchantsService } from '../../src/auth/merchants.service.js';
import type { Role } from '../../src/platform/config.js';
import type { Database } from '../../src/platform/database/database.js';
import { createVaultFile } from '../../src/vault/vault-file.js';
import { SCRYPT_N } from '../../src/vault/vault-format.js';
import type { ApiClient } from './api-client.js';
import { type BnbTestnet, startBnbTestnet } from './bnb-testnet.js';
import { freshDatabase, type TestDatabase } from './database.js';
import { resendStuckTransactions } from '../../src/devtools/devnet/stuck-transactions.js';
import { eventually } from './eventually.js';
import { auditBooksOf } from './final-audit.js';
import { FleetMember } from './fleet-member.js';
import { RedisServer } from './redis-server.js';
import { sandboxDir, type SandboxDir } from './sandbox-dir.js';
import { bundleService, type ServiceBuild } from './service-build.js';

const PASSPHRASE = 'correct horse battery staple';
/** The number of processes per role, as docs/operations.md recommends. */
const COUNTS: Readonly<Record<Role, number>> = { api: 2, worker: 2, listener: 2, vault: 1 };

interface Grounds {
  readonly build: ServiceBuild;
  readonly dir: SandboxDir;
  readonly db: TestDatabase;
  readonly redis: RedisServer;
  readonly testnet: BnbTestnet;
}

interface Account {
  readonly merchantId: string;
  readonly apiKey: string;
}

export interface FleetOptions {
  readonly counts?: Partial<Record<Role, number>>;
  /** Additional settings of every process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Pause between two blocks. A payment is final 15 blocks below the head. */
  readonly blockEveryMs?: number;
}

/**
 * The service like a deployment: one or more processes per role, one PostgreSQL, one Redis, and a node that serves
 * BNB's test network, with a block ten times a second. One merchant has an account.
 */
export class Fleet {
  private mining = true;
  private readonly miner: Promise<void>;

  private constructor(
    private readonly grounds: Grounds,
    readonly account: Account,
    readonly members: readonly FleetMember[],
    blockEveryMs: number,
  ) {
    this.miner = this.mine(blockEveryMs);
  }

  /** Starts everything; resolves when payments can be collected. */
  static async start({ counts = {}, env = {}, blockEveryMs = 100 }: FleetOptions = {}): Promise<Fleet> {
    const [build, dir, db, redis, testnet] = await Promise.all([
      bundleService(),
      sandboxDir(),
      freshDatabase(),
      RedisServer.start(),
      startBnbTestnet(),
    ]);
    const grounds = { build, dir, db, redis, testnet };
    await createVaultFile(join(dir.path, 'vault.json'), PASSPHRASE, { scryptN: SCRYPT_N.min });
    const account = await openAccount(db.database);
    await testnet.controls.setAutomine(false);
    const members = membersOf(grounds, { ...COUNTS, ...counts }, env);
    const fleet = new Fleet(grounds, account, members, blockEveryMs);
    try {
      await Promise.all(fleet.members.map((member) => member.start()));
      await fleet.untilCollecting();
      return fleet;
    } catch (error) {
      await fleet.stop();
      throw error;
    }
  }

  get db(): TestDatabase {
    return this.grounds.db;
  }

  get redis(): RedisServer {
    return this.grounds.redis;
  }

  get testnet(): BnbTestnet {
    return this.grounds.testnet;
  }

  /** The processes of a role. */
  of(kind: Role): FleetMember[] {
    return this.members.filter((member) => member.kind === kind);
  }

  /** One process of a role. */
  one(kind: Role, index = 0): FleetMember {
    const member = this.of(kind)[index];
    if (member === undefined) throw new Error(`The fleet has no ${kind} ${index + 1}.`);
    return member;
  }

  /** The merchant's client for one api process. */
  api(index = 0): ApiClient {
    return this.one('api', index).client(this.account.apiKey);
  }

  /** Waits until every api process reports that payments can be collected. */
  async untilCollecting(): Promise<void> {
    await Promise.all(
      this.of('api').map((member) =>
        eventually(
          async () => {
            const answer = await fetch(`${member.url}/health/ready`);
            const body: { can_collect?: boolean } = JSON.parse(await answer.text());
            return body.can_collect;
          },
          (seen) => seen === true,
          45_000,
        ),
      ),
    );
  }

  /** Stops everything, in any state, and audits the ledger. @throws Error that names the first violation */
  async stop(): Promise<void> {
    this.mining = false;
    await this.miner;
    await Promise.all(this.members.map((member) => member.end('SIGKILL').catch(() => undefined)));
    const { dir, db, redis, testnet } = this.grounds;
    try {
      await auditBooksOf({ DATABASE_URL: db.url, SANDBOX_BNB_RPC_URL: testnet.url });
    } finally {
      await Promise.all([redis.remove(), testnet.stop(), db.drop()]);
      await dir.remove();
    }
  }

  private async mine(everyMs: number): Promise<void> {
    while (this.mining) {
      await this.testnet.controls.mine();
      await resendStuckTransactions(this.testnet.url);
      await sleep(everyMs);
    }
  }
}

/** Makes a merchant and a key for its sandbox, before any chain is registered, so that the listener opens its pockets. */
export function openAccount(database: Database): Promise<Account> {
  return database.transaction(async (tx) => {
    const { id: merchantId } = await new MerchantsService().createMerchant(tx, { name: 'Acme' });
    const { key } = await new ApiKeysService().createKey(tx, { merchantId, environment: 'sandbox' });
    return { merchantId, apiKey: key };
  });
}

function membersOf(
  { build, dir, db, redis, testnet }: Grounds,
  counts: Readonly<Record<Role, number>>,
  more: Readonly<Record<string, string>>,
): FleetMember[] {
  const env = {
    DATABASE_URL: db.url,
    DATABASE_POOL_MAX: '6',
    REDIS_URL: redis.url,
    SECRETS_KEY: '5e'.repeat(32),
    SANDBOX_BNB_RPC_URL: testnet.url,
    PRICE_SOURCES: 'fixed',
    RATE_LIMIT_PER_SECOND: '0',
    WALLET_POOL_TARGET: '200',
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
    WEBHOOK_BACKOFF_BASE_MS: '50',
    WEBHOOK_TIMEOUT_MS: '1000',
    LOG_LEVEL: 'info',
    ...more,
  };
  const members: FleetMember[] = [];
  for (const kind of ['vault', 'listener', 'worker', 'api'] as const) {
    for (let number = 1; number <= counts[kind]; number++) {
      const secrets: Record<string, string> = kind === 'vault' ? { VAULT_PASSPHRASE: PASSPHRASE } : {};
      members.push(
        new FleetMember({
          kind,
          name: `${kind}-${number}`,
          build,
          dataDir: dir.path,
          env: { ...env, ...secrets },
        }),
      );
    }
  }
  return members;
}

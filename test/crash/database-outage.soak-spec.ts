import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { MikroORM } from '@mikro-orm/postgresql';
import { ENTITIES } from '../../src/app/entities.js';
import { Database } from '../../src/platform/database/database.js';
import { findRunningEmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/database/embedded-postgres.js';
import { ormOptions } from '../../src/platform/database/orm.config.js';
import { readPostmaster } from '../../src/platform/database/postmaster-file.js';
import { addressOf, getIntent, intentWithAddress, untilStatus } from '../http/intents.js';
import type { ApiClient } from '../support/api-client.js';
import { eventsOf, expectBooksInOrder } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { auditBooksOf } from '../support/final-audit.js';
import { sandboxDir, type SandboxDir } from '../support/sandbox-dir.js';
import { bundleService, type ServiceBuild } from '../support/service-build.js';
import { ServiceProcess } from '../support/service-process.js';
import { query } from '../support/sql.js';

const ORDER = { amount_cents: 2500, currency: 'USD', network: 'polygon', token: 'USDC' } as const;
const CLIENTS = 6;
const RECOVERED_WITHIN_MS = 30_000;

let build: ServiceBuild;
let dir: SandboxDir;
let postgres: string;
let service: ServiceProcess;

beforeAll(async () => {
  [build, dir] = await Promise.all([bundleService(), sandboxDir()]);
  postgres = join(dir.path, 'postgres');
  service = await start();
});
// An outage ends no service: if one has ended, its last lines say why.
afterEach(() => {
  if (service.hasEnded) throw new Error(`The service has ended: ${service.printed.slice(-5_000)}`);
});
afterAll(async () => {
  try {
    await auditBooksOf({ DATABASE_URL: await databaseUrl(), DATA_DIR: dir.path });
  } finally {
    await service.stop();
    await dir.remove();
  }
});

/** A service with its own PostgreSQL, as `npm start` runs it. */
function start(): Promise<ServiceProcess> {
  const env = { DEV_CHAINS: 'polygon', DEV_BLOCK_INTERVAL_MS: '100', WALLET_POOL_TARGET: '60' };
  return ServiceProcess.start(build, { dataDir: dir.path, env });
}

/** Clients that create intents without a pause; one without a good answer tries again with the same key. */
class Load {
  /** The good answer of each key. */
  readonly answers = new Map<string, string>();
  readonly refusals = new Set<number>();
  private running = true;
  private readonly clients: Promise<void>[];

  constructor(private readonly api: ApiClient) {
    this.clients = Array.from({ length: CLIENTS }, () => this.create());
  }

  /** Waits until this many more intents are created. */
  async goesOn(count: number): Promise<void> {
    const before = this.answers.size;
    await eventually(
      () => this.answers.size,
      (seen) => seen >= before + count,
      RECOVERED_WITHIN_MS,
    );
  }

  async stop(): Promise<void> {
    this.running = false;
    await Promise.all(this.clients);
  }

  private async create(): Promise<void> {
    while (this.running) {
      const idempotencyKey = randomUUID();
      const text = await eventually(async () => {
        const answer = await this.api.post('/v1/payment-intents', ORDER, { idempotencyKey });
        if (answer.status !== 201) this.refusals.add(answer.status);
        return answer.status === 201 ? answer.text : null;
      }, RECOVERED_WITHIN_MS);
      this.answers.set(idempotencyKey, text);
    }
  }
}

/** Cuts every connection to the database, at any point of its transaction. */
async function cutConnections(database: Database): Promise<void> {
  await query(
    database,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
  ).catch(() => undefined);
}

async function endPostgres(signal: 'SIGQUIT' | 'SIGKILL'): Promise<void> {
  const pid = (await readPostmaster(postgres))?.pid;
  if (pid === undefined) throw new Error('PostgreSQL does not run.');
  process.kill(pid, signal);
}

async function databaseUrl(): Promise<string> {
  const running = await findRunningEmbeddedPostgres(postgres);
  if (running === null) throw new Error('PostgreSQL does not run.');
  return running.url;
}

async function connect(): Promise<{ database: Database; close(): Promise<void> }> {
  const orm = await MikroORM.init(
    ormOptions({ url: await databaseUrl(), poolMax: 2, entities: ENTITIES, migrations: [] }),
  );
  return { database: new Database(orm), close: () => orm.close(true) };
}

it('the embedded database has the service work as a role that owns nothing, from the first start on [H-101]', async () => {
  const { database, close } = await connect();
  // A connection that is still being opened has no role yet.
  const roles = await query<{ name: string; owns: string }>(
    database,
    `select usename as name, (select count(*) from pg_class where relowner = usesysid) as owns from pg_stat_activity
      where backend_type = 'client backend' and pid <> pg_backend_pid() and usename is not null
      group by usename, usesysid`,
  );
  await close();
  expect(roles).toEqual([{ name: 'coffer_service', owns: '0' }]);
});

describe('a database that goes away under load', () => {
  it('loses no answer that a client received, and no payment [K-144]', async () => {
    const api = await service.api();
    const load = new Load(api);
    await load.goesOn(10);
    const cutter = await connect();
    for (let cut = 0; cut < 3; cut++) {
      await cutConnections(cutter.database);
      await load.goesOn(10);
    }
    await cutter.close();
    const paid = await intentWithAddress(api);
    const chain = await service.chain('polygon');
    for (const signal of ['SIGQUIT', 'SIGKILL'] as const) {
      await endPostgres(signal);
      await eventually(
        async () => (await fetch(`${service.url}/health/ready`)).status,
        (seen) => seen === 503,
      );
      await chain.pay({ to: addressOf(paid), token: 'USDC', amount: BigInt(paid.crypto_amount ?? 0) / 2n });
      await startEmbeddedPostgres({ dir: postgres, log: () => undefined });
      await load.goesOn(10);
    }
    await load.stop();
    await eventually(
      async () => (await getIntent(api, paid.id)).status,
      (seen) => seen === 'completed',
      RECOVERED_WITHIN_MS,
    );

    const { database, close } = await connect();
    await eventually(
      async () => (await eventsOf(database, paid.id)).filter((type) => type === 'payment_received').length,
      (seen) => seen > 0,
    );
    await expectBooksInOrder(database);
    const [count] = await query<{ intents: string }>(database, `select count(*) as intents from payment_intent`);
    await close();
    expect(Number(count?.intents)).toBe(load.answers.size + 1);
    for (const [idempotencyKey, text] of [...load.answers].slice(0, 100)) {
      const again = await api.post('/v1/payment-intents', ORDER, { idempotencyKey });
      expect(again.text).toBe(text);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
    }
    // The outage was noticed, and reported as such.
    expect([...load.refusals]).toEqual([503]);
  }, 120_000);
});

describe('a service that is killed', () => {
  it('finds its database and its chain running, and continues where it was [K-143]', async () => {
    const api = await service.api();
    const intent = await intentWithAddress(api);
    const chain = await service.chain('polygon');
    await chain.pay({ to: addressOf(intent), token: 'USDC', amount: BigInt(intent.crypto_amount ?? 0) });
    const before = await readPostmaster(postgres);
    await service.kill();
    expect(
      await chain.find((await chain.pay({ to: addressOf(intent), token: 'USDC', amount: 1n })).txHash),
    ).not.toBeNull();
    service = await start();
    expect(await readPostmaster(postgres)).toEqual(before);
    const { overpaid_amount_cents: overpaid } = await untilStatus(await service.api(), intent.id, 'completed');
    expect(overpaid).toBe(0);
    const { database, close } = await connect();
    await eventually(
      async () => (await query(database, `select from deposit where status <> 'confirmed'`)).length,
      (seen) => seen === 0,
    );
    await expectBooksInOrder(database);
    await close();
  });
});

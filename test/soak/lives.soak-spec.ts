import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { addressOf, createIntent, intentWithAddress, untilStatus } from '../http/intents.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { auditBooksOf } from '../support/final-audit.js';
import { sandboxDir, type SandboxDir } from '../support/sandbox-dir.js';
import { bundleService, type ServiceBuild } from '../support/service-build.js';
import { ServiceProcess } from '../support/service-process.js';

const ORDER = { amount_cents: 2500, currency: 'USD', network: 'polygon', token: 'USDC' } as const;

let build: ServiceBuild;
let dir: SandboxDir;
let db: TestDatabase;
let service: ServiceProcess;

beforeAll(async () => {
  [build, dir, db] = await Promise.all([bundleService(), sandboxDir(), freshDatabase()]);
  service = await start();
});
afterAll(async () => {
  try {
    await auditBooksOf({ DATABASE_URL: db.url, DATA_DIR: dir.path });
  } finally {
    await service.stop();
    await db.drop();
    await dir.remove();
  }
});

function start(): Promise<ServiceProcess> {
  const env = {
    DATABASE_URL: db.url,
    DEV_CHAINS: 'polygon',
    DEV_BLOCK_INTERVAL_MS: '100',
    WALLET_POOL_TARGET: '20',
  };
  return ServiceProcess.start(build, { dataDir: dir.path, env });
}

describe('the data directory', () => {
  it('belongs to one service at a time: a second one ends and names the first', async () => {
    const second = ServiceProcess.spawn(build, { dataDir: dir.path, env: { DEV_CHAINS: 'polygon' } });
    expect(await second.exited).toEqual({ code: 1, signal: null });
    expect(second.printed).toMatch(
      new RegExp(`^coffer: The data directory ${dir.path} belongs to a running service \\(process ${service.pid}\\)`),
    );
    const { status } = await (await service.api()).get('/v1/networks');
    expect(status).toBe(200);
  });
});

describe('an orderly stop', () => {
  it('answers open requests, accepts no new ones, and exits with 0 within 10 s [K-149]', async () => {
    const api = await service.api();
    const blocker = new Client({ connectionString: db.url });
    await blocker.connect();
    await blocker.query('begin');
    // A new intent refers to its merchant, so the request waits inside its transaction.
    await blocker.query('select from merchant for update');
    const begun = api.post('/v1/payment-intents', ORDER, { idempotencyKey: randomUUID() });
    await eventually(
      async () => {
        const { rowCount } = await db
          .query<object>(`select from pg_locks where not granted and locktype in ('transactionid', 'tuple')`)
          .then((rows) => ({ rowCount: rows.length }));
        return rowCount;
      },
      (seen) => seen > 0,
    );
    const from = performance.now();
    const stopped = service.stop();
    const isRefused = (): Promise<boolean> =>
      api.get('/v1/networks').then(
        ({ status }) => status === 503,
        () => true,
      );
    // The request that is held may wait for 2 s: it goes on before the server is closed.
    await eventually(isRefused);
    await blocker.query('rollback');
    await blocker.end();
    const { status, body } = await begun;
    await eventually(() =>
      api.get('/v1/networks').then(
        () => false,
        () => true,
      ),
    );
    expect(status).toBe(201);
    expect(await stopped).toEqual({ code: 0, signal: null });
    expect(performance.now() - from).toBeLessThan(10_000);
    service = await start();
    const { status: found } = await (await service.api()).get(`/v1/payment-intents/${String(body['id'])}`);
    expect(found).toBe(200);
  });

  it('keeps the chains, their coins and all work in progress', async () => {
    const api = await service.api();
    const chain = await service.chain('polygon');
    const pending = await intentWithAddress(api);
    const unpaid = await createIntent(api);
    const payee = addressOf(pending);
    await chain.pay({ to: payee, token: 'USDC', amount: BigInt(pending.crypto_amount ?? 0) });
    await service.stop();
    service = await start();
    const { body } = await (await service.api()).get<{ data: { status: string }[] }>('/v1/networks');
    expect(body.data).toMatchObject([{ status: 'ok' }]);
    const chains = await db.query(`select from chain`);
    expect(chains).toHaveLength(1);
    const restored = await service.chain('polygon');
    expect(await restored.balance('USDC', payee)).toBe(BigInt(pending.crypto_amount ?? 0));
    const again = await service.api();
    await untilStatus(again, pending.id, 'completed');
    await untilStatus(again, unpaid.id, 'requires_action');
  });
});

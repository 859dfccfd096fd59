import type { ApiClient } from '../support/api-client.js';
import { addressOf, createIntent, getIntent, intentWithAddress, untilStatus } from '../http/intents.js';
import { expectBooksInOrder } from '../support/books.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { auditBooksOf } from '../support/final-audit.js';
import { sandboxDir, type SandboxDir } from '../support/sandbox-dir.js';
import { bundleService, type ServiceBuild } from '../support/service-build.js';
import { ServiceProcess } from '../support/service-process.js';

const HOURS_MS = 3_600_000;
const SHIFT = new URL('./shifted-clock.mjs', import.meta.url).href;

let build: ServiceBuild;
let dir: SandboxDir;
let db: TestDatabase;
let service: ServiceProcess;

beforeAll(async () => {
  build = await bundleService();
});
beforeEach(async () => {
  [dir, db] = await Promise.all([sandboxDir(), freshDatabase()]);
});
afterEach(async () => {
  try {
    await auditBooksOf({ DATABASE_URL: db.url, DATA_DIR: dir.path });
  } finally {
    await service.stop();
    await db.drop();
    await dir.remove();
  }
});

async function startShifted(shiftMs: number): Promise<ApiClient> {
  const env = {
    DATABASE_URL: db.url,
    DEV_CHAINS: 'polygon',
    DEV_BLOCK_INTERVAL_MS: '100',
    WALLET_POOL_TARGET: '20',
    CLOCK_SHIFT_MS: String(shiftMs),
  };
  service = await ServiceProcess.start(build, { dataDir: dir.path, env, imports: [SHIFT] });
  return service.api();
}

describe('a service whose clock is wrong', () => {
  it.each([
    ['two hours ahead', 2 * HOURS_MS],
    ['two hours behind', -2 * HOURS_MS],
  ])('by being %s collects and expires by the clock of the database [E-62]', async (_how, shiftMs) => {
    const api = await startShifted(shiftMs);
    // It expires in an hour, which is already past by the clock of a process that is ahead.
    const intent = await intentWithAddress(api);
    const lifetimeMs = Date.parse(intent.expires_at) - Date.now();
    expect(Math.abs(lifetimeMs - HOURS_MS)).toBeLessThan(60_000);
    const chain = await service.chain('polygon');
    await chain.pay({ to: addressOf(intent), token: 'USDC', amount: BigInt(intent.crypto_amount ?? 0) });
    await untilStatus(api, intent.id, 'completed');
    // It is far from due by the clock of a process that is behind.
    const { id } = await createIntent(api);
    await api.post(`/v1/sandbox/payment-intents/${id}/expire`);
    await untilStatus(api, id, 'expired');
    expect((await getIntent(api, intent.id)).status).toBe('completed');
    await expectBooksInOrder(db.database);
  });
});

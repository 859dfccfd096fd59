import { addressOf, getIntent, intentWithAddress, untilStatus } from '../http/intents.js';
import { expectBooksInOrder } from '../support/books.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { auditBooksOf } from '../support/final-audit.js';
import { sandboxDir, type SandboxDir } from '../support/sandbox-dir.js';
import { bundleService, type ServiceBuild } from '../support/service-build.js';
import { ServiceProcess } from '../support/service-process.js';
import { SeededRandom } from '../support/seeded-random.js';
import { MerchantReceiver } from './merchant-receiver.js';

const STEPS = new URL('./stepping-clock.mjs', import.meta.url).href;

/** Stored times of recent events. None may differ from the present by an hour. */
const WRONG_TIMES = `
  select 'payment_intent' as what from payment_intent where abs(extract(epoch from now() - created_at)) > 300
  union all select 'address' from pool_address where abs(extract(epoch from now() - assigned_at)) > 300
  union all select 'deposit' from deposit where abs(extract(epoch from now() - seen_at)) > 300
  union all select 'entry' from entry where abs(extract(epoch from now() - created_at)) > 300
  union all select 'event' from event where abs(extract(epoch from now() - created_at)) > 300
  union all select 'price_round' from price_round where abs(extract(epoch from now() - created_at)) > 300
  union all select 'delivery' from delivery where abs(extract(epoch from now() - finished_at)) > 300
  union all select 'attempt' from delivery_attempt where abs(extract(epoch from now() - started_at)) > 300`;

let build: ServiceBuild;
let dir: SandboxDir;
let db: TestDatabase;
let receiver: MerchantReceiver;
let service: ServiceProcess;

beforeAll(async () => {
  [build, dir, db, receiver] = await Promise.all([
    bundleService(),
    sandboxDir(),
    freshDatabase(),
    MerchantReceiver.listen(new SeededRandom(1)),
  ]);
  const env = {
    DATABASE_URL: db.url,
    DEV_CHAINS: 'polygon',
    DEV_BLOCK_INTERVAL_MS: '100',
    WALLET_POOL_TARGET: '20',
    WEBHOOK_BACKOFF_BASE_MS: '50',
    LOG_LEVEL: 'info',
    // Not the tests' own.
    TZ: 'America/New_York',
  };
  service = await ServiceProcess.start(build, { dataDir: dir.path, env, imports: [STEPS] });
});
afterAll(async () => {
  try {
    await auditBooksOf({ DATABASE_URL: db.url, DATA_DIR: dir.path });
  } finally {
    await service.stop();
    await receiver.close();
    await db.drop();
    await dir.remove();
  }
});

it('a clock that is stepped by hours, back and forth, costs no lease, no payment and no webhook [K-148]', async () => {
  const api = await service.api();
  await receiver.register(api);
  const chain = await service.chain('polygon');
  const paid: string[] = [];
  for (let n = 0; n < 6; n++) {
    const intent = await intentWithAddress(api);
    await chain.pay({ to: addressOf(intent), token: 'USDC', amount: BigInt(intent.crypto_amount ?? 0) });
    await untilStatus(api, intent.id, 'completed');
    paid.push(intent.id);
  }
  const { id: unpaid } = await intentWithAddress(api);
  await eventually(
    () => receiver.events.filter(({ type }) => type === 'payment_intent.completed').length,
    (seen) => seen === paid.length,
  );
  expect((await getIntent(api, unpaid)).status).toBe('requires_action');
  await expectBooksInOrder(db.database);
  expect(await db.query(`select name, epoch::int from lease where epoch > 1`)).toEqual([]);
  expect(await db.query(WRONG_TIMES)).toEqual([]);
  expect(service.printed).not.toContain('This process is no longer leader.');
}, 120_000);

import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { addRequests, requestIdAt } from '../../test/support/logged-requests.js';
import { readTypedByGenericPlan } from '../../test/support/query-plan.js';
import { sqlRefusalOf } from '../../test/support/sql-refusal.js';
import { query } from '../../test/support/sql.js';
import { RequestPruning } from './request-pruning.service.js';
import { deleteOldRequests, deleteRequestsBeyond } from './request-records.sql.js';

const DAY_MS = 86_400_000;
const callers = [{ merchantId: 'mer_1', keyId: 'key_1' }];

let db: TestDatabase;
let pruning: RequestPruning;
beforeEach(async () => {
  db = await freshDatabase();
  pruning = new RequestPruning(db.database, { requestLog: { retentionDays: 7 } });
});
afterEach(() => db.drop());

const daysAgo = (days: number): Date => new Date(Date.now() - days * DAY_MS);
const counts = (): Promise<{ environment: string; count: number }[]> =>
  db.query(`select environment, count(*)::int as count from api_request group by 1 order by 1`);

it('requests go after seven days, in batches, and not before', async () => {
  const { database } = db;
  await addRequests(database, { environment: 'sandbox', callers, count: 2_300, until: daysAgo(7.01) });
  await addRequests(database, { environment: 'sandbox', callers, count: 40, until: daysAgo(6.9) });
  await addRequests(database, { environment: 'live', callers, count: 30, until: daysAgo(7.01) });
  await pruning.prune();
  expect(await counts()).toEqual([{ environment: 'sandbox', count: 40 }]);
});

it('beyond a number of requests the oldest ones go, of whichever environment', async () => {
  const { database } = db;
  await addRequests(database, { environment: 'live', callers, count: 100, until: daysAgo(2) });
  await addRequests(database, { environment: 'sandbox', callers, count: 3_000, until: daysAgo(1) });
  await addRequests(database, { environment: 'live', callers, count: 50, until: daysAgo(0.5) });
  await pruning.keep(5_000);
  expect(await counts()).toEqual([
    { environment: 'live', count: 150 },
    { environment: 'sandbox', count: 3_000 },
  ]);
  await pruning.keep(700);
  expect(await counts()).toEqual([
    { environment: 'live', count: 50 },
    { environment: 'sandbox', count: 650 },
  ]);
  const [oldest] = await db.query<{ position: string }>(`select min(position) as position from api_request`);
  expect(Number(oldest?.position)).toBe(100 + 3_000 + 50 - 700 + 1);
});

it('what is to go is found along the index of the list', async () => {
  await addRequests(db.database, { environment: 'sandbox', callers, count: 2_100, until: daysAgo(8) });
  await query(db.owner, 'analyze api_request');
  for (const statement of [
    deleteOldRequests('sandbox', requestIdAt(daysAgo(8.01)), 10),
    deleteRequestsBeyond('sandbox', 2_000, 10),
  ]) {
    const { scans } = await readTypedByGenericPlan(db.database, statement);
    expect(scans).toContain('Index Scan on api_request by api_request_pkey');
    expect(scans.filter((scan) => scan.startsWith('Seq Scan'))).toEqual([]);
  }
});

it('the service adds and deletes requests, and changes none', async () => {
  expect(await sqlRefusalOf(db.database, `update api_request set status = 200`)).toBe(
    'permission denied for table api_request',
  );
});

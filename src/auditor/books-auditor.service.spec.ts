import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { aChain, aMerchant } from '../../test/support/factories.js';
import { LogLines } from '../../test/support/log-lines.js';
import { runtimeServing } from '../../test/support/served-chains.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { PocketsService } from '../ledger/pockets.service.js';
import { Sealer } from '../ledger/sealer.service.js';
import { sql } from '../platform/database/database.js';
import { createLogger } from '../platform/logging.js';
import { Metrics } from '../platform/metrics.js';
import { BooksAuditor } from './books-auditor.service.js';

let db: TestDatabase;
let auditor: BooksAuditor;
let metrics: Metrics;
let log: LogLines;

beforeEach(async () => {
  db = await freshDatabase();
  log = new LogLines();
  metrics = new Metrics();
  const runtime = { ...runtimeServing([]), databaseUrl: db.url };
  auditor = new BooksAuditor(db.database, metrics, runtime, createLogger('info', { destination: log }));
});
afterEach(() => db.drop());

/** Books and seals one entry of one merchant. */
async function bookAndSeal(reference: string): Promise<void> {
  const { database } = db;
  const [chain, tenant] = [await aChain(database, { network: 'bnb' }), await aMerchant(database)];
  await database.transaction(async (tx) => {
    const { asset, chainAccountId, availableAccountId } = await new PocketsService().depositAccounts(tx, tenant, chain);
    const legs = [
      { accountId: chainAccountId, asset, amount: -5n },
      { accountId: availableAccountId, asset, amount: 5n },
    ];
    await new LedgerService().book(tx, { reference, kind: 'deposit', environment: 'sandbox', legs });
  });
  await database.query(`update chain set active = false`);
  await new Sealer(database).seal();
}

/** Changes rows as somebody could who may switch the guards off. */
async function tamper(statement: string): Promise<void> {
  await db.database.transaction(async (tx) => {
    await sql(tx, `set local session_replication_role = replica`);
    await sql(tx, statement);
  });
}

interface AuditRow {
  readonly scope: string;
  readonly sealed_to: string;
  readonly finding_row: string | null;
}

async function audit(): Promise<AuditRow | undefined> {
  await auditor.auditDue();
  const [row] = await db.database.query<AuditRow>(
    `select scope, sealed_to, finding_row from books_audit order by id desc limit 1`,
  );
  return row;
}

async function measured(scope: string): Promise<number | undefined> {
  const { values } = (await metrics.registry.getSingleMetric('coffer_books_clean')?.get()) ?? { values: [] };
  return values.find(({ labels }) => labels['scope'] === scope)?.value;
}

it('looks at everything first, then at what was sealed since, and says up to where the books hold', async () => {
  expect(await audit()).toEqual({ scope: 'everything', sealed_to: '0', finding_row: null });
  await bookAndSeal('deposit:one');
  expect(await audit()).toEqual({ scope: 'new_entries', sealed_to: '1', finding_row: null });
  await bookAndSeal('deposit:two');
  expect(await audit()).toEqual({ scope: 'new_entries', sealed_to: '2', finding_row: null });
  const { hash } = (await new Sealer(db.database).head()) ?? {};
  expect(log.named('the books hold').at(-1)).toMatchObject({ level: 'info', sealed_to: 2, seal: hash });
  expect(await measured('new_entries')).toBe(1);
});

it('names what is wrong, in its row, the log and a metric, and says so again until it is right again', async () => {
  await audit();
  await bookAndSeal('deposit:one');
  await tamper(`update posting set amount = amount * 2`);
  const [entry] = await db.database.query<{ id: string }>(`select id from entry`);
  const bad = { scope: 'new_entries', sealed_to: '0', finding_row: `entry ${entry?.id}` };
  expect([await audit(), await audit()]).toEqual([bad, bad]);
  expect(await measured('new_entries')).toBe(0);
  expect(log.named('the books do not hold').at(-1)).toMatchObject({
    level: 'fatal',
    rule: 'seals_hold',
    row: `entry ${entry?.id}`,
    says: 'does not say any more what was booked as deposit:one',
  });
  await tamper(`update posting set amount = amount / 2`);
  expect(await audit()).toEqual({ scope: 'new_entries', sealed_to: '1', finding_row: null });
  expect(await measured('new_entries')).toBe(1);
});

it('looks at everything once a day, and every hour while that finds something', async () => {
  const age = (interval: string): Promise<unknown> =>
    db.database.query(`update books_audit set finished_at = finished_at - $1::interval`, [interval]);
  await audit();
  await age('23 hours');
  expect(await audit()).toMatchObject({ scope: 'new_entries' });
  // Nobody paid this in.
  await bookAndSeal('deposit:of_nobody');
  await age('1 hour');
  expect(await audit()).toMatchObject({ scope: 'everything', finding_row: expect.stringMatching(/^entry ent_/) });
  expect(await measured('everything')).toBe(0);
  await age('59 minutes');
  expect(await audit()).toMatchObject({ scope: 'new_entries', finding_row: null });
  await age('1 minute');
  expect(await audit()).toMatchObject({ scope: 'everything', finding_row: expect.any(String) });
});

import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { aChain, aMerchant } from '../../test/support/factories.js';
import { LogLines } from '../../test/support/log-lines.js';
import { aHotWallet } from '../../test/support/outgoing.js';
import { runtimeServing } from '../../test/support/served-chains.js';
import { sqlRefusalOf } from '../../test/support/sql-refusal.js';
import { query } from '../../test/support/sql.js';
import { AuditSealer } from '../audit-log/audit-sealer.service.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { PocketsService } from '../ledger/pockets.service.js';
import { Sealer } from '../ledger/sealer.service.js';
import { recordAction } from '../platform/audit-trail.js';
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
  await query(database, `update chain set active = false`);
  await new Sealer(database).seal();
}

/** Changes rows with all guards disabled. */
async function tamper(statement: string): Promise<void> {
  await db.owner.transaction(async (tx) => {
    await query(tx, `set local session_replication_role = replica`);
    await query(tx, statement);
  });
}

interface AuditRow {
  readonly scope: string;
  readonly sealed_to: string;
  readonly finding_row: string | null;
}

async function audit(): Promise<AuditRow | undefined> {
  await auditor.auditDue();
  const [row] = await db.query<AuditRow>(
    `select scope, sealed_to, finding_row from books_audit order by id desc limit 1`,
  );
  return row;
}

async function measured(scope: string): Promise<number | undefined> {
  await auditor.measure();
  const { values } = (await metrics.registry.getSingleMetric('coffer_books_clean')?.get()) ?? { values: [] };
  return values.find(({ labels }) => labels['scope'] === scope)?.value;
}

it('audits everything first, then new entries, and reports the last good seal', async () => {
  expect(await audit()).toEqual({ scope: 'everything', sealed_to: '0', finding_row: null });
  await bookAndSeal('deposit:one');
  expect(await audit()).toEqual({ scope: 'new_entries', sealed_to: '1', finding_row: null });
  await bookAndSeal('deposit:two');
  expect(await audit()).toEqual({ scope: 'new_entries', sealed_to: '2', finding_row: null });
  const [seal] = await db.query<{ hash: string }>(`select hash from ledger_seal where sequence = 2`);
  expect(log.named('The ledger audit passed.')).toHaveLength(1);
  expect(log.named('The ledger audit of new entries passed.').at(-1)).toMatchObject({
    level: 'info',
    sealed_to: 2,
    seal: seal?.hash,
  });
  expect(await measured('new_entries')).toBe(1);
});

it('reports a finding in its row, the log and a metric, each time until it is corrected', async () => {
  await audit();
  await bookAndSeal('deposit:one');
  await tamper(`update posting set amount = amount * 2`);
  const [entry] = await db.query<{ id: string }>(`select id from entry`);
  const bad = { scope: 'new_entries', sealed_to: '0', finding_row: `entry ${entry?.id}` };
  expect([await audit(), await audit()]).toEqual([bad, bad]);
  expect(await measured('new_entries')).toBe(0);
  expect(log.named('The ledger audit found broken rules.').at(-1)).toMatchObject({
    level: 'fatal',
    rule: 'seals_hold',
    row: `entry ${entry?.id}`,
    says: 'does not say any more what was booked as deposit:one',
  });
  await tamper(`update posting set amount = amount / 2`);
  expect(await audit()).toEqual({ scope: 'new_entries', sealed_to: '1', finding_row: null });
  expect(await measured('new_entries')).toBe(1);
});

it('stops all payouts when it finds something new [H-107]', async () => {
  const { database } = db;
  const { chainRef } = await aChain(database);
  await aHotWallet(database, chainRef);
  await audit();
  await bookAndSeal('deposit:one');
  const wallet = (): Promise<{ reason: string | null }[]> =>
    query(database, `select frozen_reason as reason from hot_wallet`);
  expect([await audit(), await wallet()]).toEqual([expect.anything(), [{ reason: null }]]);
  await bookAndSeal('deposit:two');
  await tamper(`update posting set amount = amount * 2`);
  await audit();
  const [entry] = await query<{ id: string }>(database, `select id from entry where reference = 'deposit:two'`);
  expect(await wallet()).toEqual([{ reason: `The books do not hold: seals_hold, entry ${entry?.id}.` }]);
  // Staff have unfrozen the wallet although the finding remains.
  await query(database, `update hot_wallet set frozen_reason = null`);
  await audit();
  expect(await wallet()).toEqual([{ reason: null }]);
});

it('audits everything once a day, and every hour while that finds something', async () => {
  const age = (interval: string): Promise<void> =>
    tamper(`update books_audit set finished_at = finished_at - interval '${interval}'`);
  await audit();
  await age('23 hours');
  expect(await audit()).toMatchObject({ scope: 'new_entries' });
  // No deposit is behind this entry.
  await bookAndSeal('deposit:missing');
  await age('1 hour');
  expect(await audit()).toMatchObject({ scope: 'everything', finding_row: expect.stringMatching(/^entry ent_/) });
  expect(await measured('everything')).toBe(0);
  await age('59 minutes');
  expect(await audit()).toMatchObject({ scope: 'new_entries', finding_row: null });
  await age('1 minute');
  expect(await audit()).toMatchObject({ scope: 'everything', finding_row: expect.any(String) });
});

it('ignores an audit dated in the future, which would suppress further audits', async () => {
  await db.query(`insert into books_audit (scope, sealed_to, seal_hash, started_at, finished_at)
     values ('everything', 0, '', now(), now() + interval '1 year')`);
  expect(await audit()).toMatchObject({ scope: 'everything' });
  expect(await audit()).toMatchObject({ scope: 'new_entries' });
});

it('reports entries that were deleted with their seals, in both scopes, until they are restored', async () => {
  await audit();
  await bookAndSeal('deposit:one');
  await bookAndSeal('deposit:two');
  expect(await audit()).toMatchObject({ sealed_to: '2', finding_row: null });
  await tamper(`create table kept as select * from ledger_seal where sequence = 2`);
  await tamper(`delete from ledger_seal where sequence = 2`);
  const missing = { scope: 'new_entries', sealed_to: '2', finding_row: 'ledger_seal 2' };
  expect([await audit(), await audit()]).toEqual([missing, missing]);
  await tamper(`update books_audit set finished_at = finished_at - interval '25 hours' where scope = 'everything'`);
  expect(await audit()).toMatchObject({ scope: 'everything', finding_row: 'ledger_seal 2' });
  await tamper(`insert into ledger_seal select * from kept`);
  expect(await audit()).toMatchObject({ scope: 'new_entries', sealed_to: '2', finding_row: null });
});

it('reports actions that were deleted at the end of the audit log, in both scopes, and prints where it ended [M-171]', async () => {
  const act = (subject: string): Promise<void> =>
    db.database.transaction((tx) =>
      recordAction(tx, { actor: 'root@vault-1', action: 'signing.freeze', subject, reason: null }),
    );
  await act('one');
  await act('two');
  await new AuditSealer(db.database).seal();
  expect(await audit()).toMatchObject({ scope: 'everything', finding_row: null });
  await act('three');
  await new AuditSealer(db.database).seal();
  expect(await audit()).toMatchObject({ scope: 'new_entries', finding_row: null });
  const [seal] = await db.query<{ hash: string }>(`select hash from audit_seal where sequence = 3`);
  expect(log.named('The ledger audit of new entries passed.').at(-1)).toMatchObject({
    audit_sealed_to: 3,
    audit_seal: seal?.hash,
  });
  await tamper(`delete from audit_seal where sequence = 3`);
  await tamper(`delete from audit_entry where subject = 'three'`);
  expect(await audit()).toMatchObject({ scope: 'new_entries', finding_row: 'audit_seal 3' });
  await tamper(`update books_audit set finished_at = finished_at - interval '25 hours' where scope = 'everything'`);
  expect(await audit()).toMatchObject({ scope: 'everything', finding_row: 'audit_seal 3' });
  expect(log.named('The ledger audit found broken rules.').at(-1)).toMatchObject({
    rule: 'audit_seals_hold',
    says: 'is gone: actions that were there are missing',
  });
});

it('audits new entries while the full audit fails', async () => {
  await bookAndSeal('deposit:one');
  await tamper(`alter table loss_item rename to lost`);
  await tamper(`update posting set amount = amount * 2`);
  await expect(auditor.auditDue()).rejects.toThrow('relation "loss_item" does not exist');
  expect(await db.query(`select scope, finding_check from books_audit`)).toEqual([
    { scope: 'new_entries', finding_check: 'seals_hold' },
  ]);
});

it('keeps its own records: nothing changes them, and only old ones of new entries without findings may be deleted', async () => {
  await audit();
  for (const statement of [`update books_audit set scope = 'new_entries'`, `delete from books_audit`]) {
    expect(await sqlRefusalOf(db.owner, statement)).toBe('audits of the books are kept');
  }
  await audit();
  await tamper(`update books_audit set finished_at = now() - interval '31 days'`);
  await auditor.prune();
  expect(await db.query(`select scope from books_audit`)).toEqual([{ scope: 'everything' }]);
});

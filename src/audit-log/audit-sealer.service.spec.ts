import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { sqlRefusalOf } from '../../test/support/sql-refusal.js';
import { query } from '../../test/support/sql.js';
import { checkRules } from '../auditor/books-verification.js';
import { recordAction } from '../platform/audit-trail.js';
import { Database, type Tx } from '../platform/database/database.js';
import { AuditSealer } from './audit-sealer.service.js';

let db: TestDatabase;
let sealer: AuditSealer;

beforeEach(async () => {
  db = await freshDatabase();
  sealer = new AuditSealer(db.database);
});
afterEach(() => db.drop());

const act = (tx: Tx, subject: string): Promise<void> =>
  recordAction(tx, { actor: 'root@vault-1', action: 'signing.freeze', subject, reason: null });

/** Records actions, each in its own transaction. */
const actAll = (...subjects: readonly string[]): Promise<void[]> =>
  Promise.all(subjects.map((subject) => db.database.transaction((tx) => act(tx, subject))));

/** The sealed subjects, in the order of the chain. */
async function sealed(): Promise<string[]> {
  const found = await db.query<{ subject: string }>(
    `select subject from audit_seal join audit_entry on audit_entry.id = entry_id order by sequence`,
  );
  return found.map(({ subject }) => subject);
}

const waiting = () => db.query(`select from unsealed_audit_entry`);

async function brokenRules(): Promise<readonly string[]> {
  const { rules } = await db.database.transaction((tx) => checkRules(tx));
  return rules.flatMap(({ name, finding }) => (finding === null ? [] : [name]));
}

/** Opens a transaction that has recorded an action, and returns the function that lets it commit. */
async function openAction(subject: string): Promise<() => Promise<void>> {
  const [acted, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const done = db.database.transaction(async (tx) => {
    await query(tx, 'set local idle_in_transaction_session_timeout = 0');
    await act(tx, subject);
    acted.resolve();
    await mayCommit.promise;
  });
  await Promise.race([acted.promise, done]);
  return () => {
    mayCommit.resolve();
    return done;
  };
}

it('every action is sealed once and without gaps, however many processes seal at the same time [M-171]', async () => {
  const others = [new AuditSealer(new Database(db.orm)), new AuditSealer(new Database(db.orm)), sealer];
  const counts: number[] = [];
  for (const round of ['a', 'b', 'c']) {
    const subjects = Array.from({ length: 20 }, (_, place) => `${round}${place}`);
    await Promise.all([actAll(...subjects), ...others.map(async (one) => counts.push(await one.seal()))]);
  }
  counts.push(await sealer.seal());
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(60);
  expect([new Set(await sealed()).size, await waiting(), await brokenRules()]).toEqual([60, [], []]);
  const [last] = await db.query(`select max(sequence)::int as sequence, count(*)::int as count from audit_seal`);
  expect(last).toEqual({ sequence: 60, count: 60 });
});

it('an action that commits after later ones is sealed behind them, and no check takes it for an intruder [M-171]', async () => {
  const commit = await openAction('late');
  await actAll('early');
  await sealer.seal();
  expect([await sealed(), await brokenRules()]).toEqual([['early'], []]);
  await commit();
  expect([await sealed(), await brokenRules()]).toEqual([['early'], []]);
  await sealer.seal();
  expect([await sealed(), await brokenRules()]).toEqual([['early', 'late'], []]);
  const ids = await db.query<{ id: string }>(`select entry_id as id from audit_seal order by sequence`);
  expect(ids.map(({ id }) => Number(id))).toEqual([2, 1]);
});

it('a sealer that dies after its seals and before its commit leaves nothing, and the next one seals all [M-171]', async () => {
  await actAll('a', 'b');
  await query(
    db.owner,
    `create function die() returns trigger language plpgsql as $$
     begin perform pg_terminate_backend(pg_backend_pid()); return old; end $$`,
  );
  await query(db.owner, `create trigger die before delete on unsealed_audit_entry for each row execute function die()`);
  await expect(sealer.seal()).rejects.toThrow();
  expect([await sealed(), await waiting()]).toEqual([[], [{}, {}]]);
  await query(db.owner, `drop trigger die on unsealed_audit_entry`);
  await actAll('c');
  expect(await sealer.seal()).toBe(3);
  expect([(await sealed()).toSorted(), await waiting(), await brokenRules()]).toEqual([['a', 'b', 'c'], [], []]);
});

it('thousands of actions, as before the update to this version, are sealed in turns, and one that waits twice once', async () => {
  await db.query(
    `insert into audit_entry (actor, action, subject, details)
     select 'x', 'signing.freeze', 's' || n, '{}' from generate_series(1, 2100) n`,
  );
  expect(await sealer.seal()).toBe(2_100);
  await db.query(`insert into unsealed_audit_entry select entry_id from audit_seal where sequence = 7`);
  await actAll('next');
  await sealer.seal();
  expect([(await sealed()).length, await waiting(), await brokenRules()]).toEqual([2_101, [], []]);
});

describe('the database itself', () => {
  it('dates an action, whatever time is given', async () => {
    await db.query(
      `insert into audit_entry (actor, action, subject, details, created_at)
       values ('x', 'signing.freeze', 's', '{}', '2020-01-01')`,
    );
    expect(await db.query(`select extract(year from created_at)::int > 2020 as now from audit_entry`)).toEqual([
      { now: true },
    ]);
  });

  it.each([
    ['whose hash is made up', `select 3, id, audit_content_hash(entry), repeat('f', 64)`, 3],
    ['that leaves a number out', `select 4, id, audit_content_hash(entry), repeat('f', 64)`, 4],
    [
      'of another content',
      `select 3, id, repeat('0', 64), encode(sha256(convert_to(concat_ws('|',
         (select hash from audit_seal where sequence = 2), 3, id, repeat('0', 64)), 'UTF8')), 'hex')`,
      3,
    ],
  ])('refuses a seal %s [M-171]', async (_name, forged, sequence) => {
    await actAll('a', 'b');
    await sealer.seal();
    await actAll('c');
    const insert = `insert into audit_seal (sequence, entry_id, content_hash, hash) ${forged}
      from audit_entry entry where subject = 'c'`;
    expect(await sqlRefusalOf(db.database, insert)).toBe(
      `audit seal ${sequence} does not follow from the one before it`,
    );
  });

  it.each([`update audit_seal set hash = 'x'`, `delete from audit_seal`, `truncate audit_seal`])(
    'refuses %s, to the owner too [M-171]',
    async (statement) => {
      await actAll('a');
      await sealer.seal();
      expect(await sqlRefusalOf(db.owner, statement)).toMatch(/^the ledger is append-only/);
      expect(await sqlRefusalOf(db.database, statement)).toBe('permission denied for table audit_seal');
    },
  );
});

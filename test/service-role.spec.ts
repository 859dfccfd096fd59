import { SERVICE_RIGHTS } from '../migrations/service-rights.js';
import { freshDatabase, type TestDatabase } from './support/database.js';
import { sqlRefusalOf } from './support/sql-refusal.js';
import { query } from './support/sql.js';

// PostgreSQL itself refuses these statements to the service's role, before any trigger runs and even without triggers.

/** Tables with a trigger that allows the deletion of some rows only. */
const PRUNED: readonly string[] = ['books_audit', 'delivery_attempt'];

/** Bits of `pg_trigger.tgtype`. */
const [ROW, DELETE, UPDATE, TRUNCATE] = [1, 8, 16, 32];

interface Guarded {
  readonly table: string;
  readonly column: string;
  /** A trigger for each row, whose function refuses whatever it is asked. */
  readonly appendOnly: boolean;
  readonly refusesDelete: boolean;
  readonly refusesTruncate: boolean;
}

let db: TestDatabase;
let tables: Guarded[];

beforeAll(async () => {
  db = await freshDatabase();
  tables = await query<Guarded>(
    db.owner,
    `select relname as table,
            (select attname from pg_attribute where attrelid = c.oid and attnum = 1) as column,
            coalesce(bool_or(tgtype & ${ROW} > 0 and tgtype & ${UPDATE} > 0 and proname like '%append_only%'), false) as "appendOnly",
            coalesce(bool_or(tgtype & ${ROW} > 0 and tgtype & ${DELETE} > 0), false) as "refusesDelete",
            coalesce(bool_or(tgtype & ${TRUNCATE} > 0), false) as "refusesTruncate"
       from pg_class c left join pg_trigger t on t.tgrelid = c.oid and not tgisinternal
       left join pg_proc on pg_proc.oid = tgfoid
      where relnamespace = 'public'::regnamespace and relkind = 'r'
      group by c.oid order by relname`,
  );
  await query(
    db.owner,
    `with added as (insert into account (kind, environment, asset) select kind, 'sandbox', 'polygon:0x'
                      from unnest(array['chain', 'fee_income']) kind returning id),
          booked as (insert into entry (id, reference, kind, content_hash) values ('ent_1', 'deposit:1', 'deposit', ''))
     insert into posting (entry_id, account_id, asset, environment, amount)
     select 'ent_1', id, 'polygon:0x', 'sandbox', case when id = min(id) over () then 7 else -7 end from added`,
  );
});
afterAll(() => db.drop());

const namesOf = (which: (table: Guarded) => boolean): string[] => tables.filter(which).map(({ table }) => table);

describe('the rights of the service', () => {
  it('are to add rows alone, wherever a guard lets nothing be changed, and to delete none that a guard keeps [H-101]', () => {
    const appendOnly = namesOf((table) => table.appendOnly);
    expect(appendOnly).toEqual(
      expect.arrayContaining(['audit_entry', 'entry', 'ledger_seal', 'posting', 'vault_audit']),
    );
    expect(appendOnly.filter((table) => table in SERVICE_RIGHTS)).toEqual([]);
    const kept = namesOf(({ table, refusesDelete }) => refusesDelete && !PRUNED.includes(table));
    expect(kept.filter((table) => SERVICE_RIGHTS[table]?.includes('delete'))).toEqual([]);
    expect(Object.keys(SERVICE_RIGHTS).filter((table) => !tables.some((known) => known.table === table))).toEqual([]);
  });

  it('hold nothing of an owner, of any table [H-101]', async () => {
    for (const { table } of tables) {
      const refused: readonly (readonly [statement: string, words: string])[] = [
        [`truncate ${table} cascade`, `permission denied for table ${table}`],
        [`alter table ${table} disable trigger all`, `must be owner of table ${table}`],
        [`alter table ${table} add column mine text`, `must be owner of table ${table}`],
        [`create trigger mine before insert on ${table} for each row execute function ledger_is_append_only()`, table],
        [`drop table ${table} cascade`, `must be owner of table ${table}`],
      ];
      for (const [statement, words] of refused) expect(await sqlRefusalOf(db.database, statement)).toContain(words);
    }
  });

  it.each([
    [`set session_replication_role = replica`, 'permission denied to set parameter'],
    [`set local session_replication_role = replica`, 'permission denied to set parameter'],
    [`set role coffer`, 'permission denied to set role'],
    [`set session authorization coffer`, 'permission denied to set session authorization'],
    [`drop trigger posting_append_only on posting`, 'must be owner of relation posting'],
    [`drop function ledger_is_append_only() cascade`, 'must be owner of function'],
    [
      `create or replace function ledger_is_append_only() returns trigger language plpgsql as 'begin return new; end'`,
      'permission denied for schema public',
    ],
    [`create table mine ()`, 'permission denied for schema public'],
    // It would be what the guards read instead of the table of that name, and a trigger of it may change balances.
    [`create temporary table posting (entry_id text)`, 'permission denied to create temporary tables'],
    [
      `create function pg_temp.mine() returns int language sql as 'select 1'`,
      'permission denied to create temporary tables',
    ],
    [`create schema mine`, 'permission denied for database'],
    [`alter role current_user superuser`, 'permission denied to alter role'],
    [`copy posting to program 'cat'`, 'permission denied to COPY'],
    [`update account set environment = 'live'`, 'permission denied for table account'],
    [`update pocket set available_account_id = held_account_id`, 'permission denied for table pocket'],
    [`insert into schema_migration (name) values ('mine')`, 'permission denied for table schema_migration'],
    [`delete from schema_migration`, 'permission denied for table schema_migration'],
    [`update bullmq.migration set version = 0`, 'permission denied for table migration'],
  ])('do not reach to: %s [H-101]', async (statement, words) => {
    expect(await sqlRefusalOf(db.database, statement)).toContain(words);
  });
});

describe('what is only added to', () => {
  it('can be neither changed nor removed by the service, triggers aside [H-101]', async () => {
    // As if somebody had taken every guard away.
    await query(
      db.owner,
      `do $$ declare t record; begin
      for t in select oid::regclass as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' loop
        execute format('alter table %s disable trigger user', t.name);
      end loop; end $$`,
    );
    try {
      for (const { table, column } of tables.filter(({ appendOnly }) => appendOnly)) {
        for (const statement of [
          `update ${table} set ${column} = default`,
          `delete from ${table}`,
          `truncate ${table}`,
        ]) {
          expect(await sqlRefusalOf(db.database, statement)).toBe(`permission denied for table ${table}`);
        }
      }
    } finally {
      await query(
        db.owner,
        `do $$ declare t record; begin
        for t in select oid::regclass as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' loop
          execute format('alter table %s enable trigger user', t.name);
        end loop; end $$`,
      );
    }
  });

  it('is kept by its triggers from the owner too [H-101]', async () => {
    for (const [table, column] of [
      ['entry', 'kind'],
      ['posting', 'amount'],
    ]) {
      for (const statement of [`update ${table} set ${column} = ${column}`, `delete from ${table}`]) {
        expect(await sqlRefusalOf(db.owner, statement)).toMatch(`the ledger is append-only: `);
      }
    }
    for (const table of namesOf(({ refusesTruncate }) => refusesTruncate)) {
      expect(await sqlRefusalOf(db.owner, `truncate ${table} cascade`)).toContain(
        'the ledger is append-only: TRUNCATE',
      );
    }
    const appendOnly = namesOf((table) => table.appendOnly);
    expect(appendOnly.filter((table) => !namesOf(({ refusesTruncate }) => refusesTruncate).includes(table))).toEqual(
      [],
    );
  });
});

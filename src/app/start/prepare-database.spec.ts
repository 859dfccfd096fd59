import { randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import { MIGRATIONS } from '../../../migrations/list.js';
import { SERVICE_RIGHTS } from '../../../migrations/service-rights.js';
import { createDatabase, migratedTemplate, type OwnedDatabase } from '../../../test/support/database-url.js';
import { ENTITIES } from '../entities.js';
import { withClient } from '../../platform/database/migrate.js';
import { migrate } from '../../../test/support/migrate.js';
import { makesTables, rightsDifferences } from '../../platform/database/table-rights.js';
import { prepareDatabase } from './prepare-database.js';

const ALL = MIGRATIONS.map(({ name }) => name);
/** With characters that an address must escape. */
const PASSWORD = `p@ss:w/ö'rd`;

let db: OwnedDatabase;
let role: string;
let owner: string;
let addresses: { readonly url: string; readonly ownerUrl: string };

const urlOf = (name: string, password = PASSWORD): string => {
  const url = new URL(db.ownerUrl);
  url.username = name;
  url.password = encodeURIComponent(password);
  return url.href;
};
const asOwner = <Row extends object>(text: string): Promise<Row[]> =>
  withClient(db.ownerUrl, async (client) => (await client.query<Row>(text)).rows);
const asService = <Result>(work: (client: Client) => Promise<Result>): Promise<Result> =>
  withClient(addresses.url, work);
const differences = () => asService((client) => rightsDifferences(client, role, SERVICE_RIGHTS));

const databaseName = (): string => new URL(db.ownerUrl).pathname.slice(1);

/** Creates a role that is not a superuser and makes it the owner of the database. */
async function anOwner(): Promise<string> {
  const name = databaseName();
  await asOwner(
    `create role ${owner} login password '${PASSWORD.replace("'", "''")}'; alter database ${name} owner to ${owner}`,
  );
  return urlOf(owner);
}

async function openDatabase(template: string): Promise<void> {
  db = await createDatabase(template);
  role = `service_${randomBytes(6).toString('hex')}`;
  owner = `owner_${role}`;
  addresses = { url: urlOf(role), ownerUrl: db.ownerUrl };
}
afterEach(async () => {
  await db.drop();
  await withClient(db.ownerUrl.replace(/[^/]+$/, 'postgres'), (client) =>
    client.query(`drop role if exists ${role}, ${owner}`),
  );
});

describe('a database that is prepared by its owner', () => {
  beforeEach(() => openDatabase('template1'));

  it('has a role that can log in, has the rights of the service and owns nothing, also when several processes prepare it [H-101]', async () => {
    const applied = await Promise.all([1, 2, 3].map(() => prepareDatabase(addresses, true)));
    expect(applied.toSorted((a, b) => b.length - a.length)).toEqual([ALL, [], []]);
    expect(await differences()).toEqual([]);
    const [made] = await asOwner(
      `select rolsuper, rolcreaterole, rolcreatedb, rolbypassrls, rolreplication, rolpassword like 'SCRAM-SHA-256$%' as hashed,
              (select count(*)::int from pg_shdepend where refobjid = r.oid and deptype = 'o') as owned,
              has_schema_privilege(rolname, 'public', 'create') as creates_tables,
              has_schema_privilege(rolname, 'bullmq', 'create') as creates_jobs,
              has_database_privilege(rolname, current_database(), 'create') as creates_schemas,
              has_database_privilege(rolname, current_database(), 'temporary') as creates_temporary_tables
         from pg_authid r where rolname = '${role}'`,
    );
    expect(made).toEqual({
      rolsuper: false,
      rolcreaterole: false,
      rolcreatedb: false,
      rolbypassrls: false,
      rolreplication: false,
      hashed: true,
      owned: 0,
      creates_tables: false,
      creates_jobs: false,
      creates_schemas: false,
      creates_temporary_tables: false,
    });
  });

  it('may come from a previous version in which one role did everything', async () => {
    await migrate(db.ownerUrl, ENTITIES, MIGRATIONS.slice(0, -1));
    await asOwner(`insert into merchant (id, name) values ('mer_1', 'A')`);
    expect(await prepareDatabase(addresses, false)).toEqual(ALL.slice(-1));
    expect(await asService(async (client) => (await client.query('select id from merchant')).rows)).toEqual([
      { id: 'mer_1' },
    ]);
    // The job queue was in Redis before.
    await expect(prepareDatabase({ url: addresses.url, ownerUrl: null }, true)).rejects.toThrow(
      'Migrations are missing: those of the queue. ',
    );
    await prepareDatabase(addresses, true);
    expect(await prepareDatabase({ url: addresses.url, ownerUrl: null }, true)).toEqual([]);
  });

  it('may have an owner without other rights, if the role of the service exists', async () => {
    addresses = { ...addresses, ownerUrl: await anOwner() };
    await expect(prepareDatabase(addresses, true)).rejects.toThrow('permission denied to create role');
    await asOwner(`create role ${role} login password '${PASSWORD.replace("'", "''")}'`);
    expect(await prepareDatabase(addresses, true)).toEqual(ALL);
    expect(await differences()).toEqual([]);
  });

  it('may have another owner than its tables, whose owner then cannot revoke rights on it from public', async () => {
    const url = await anOwner();
    await asOwner(`alter database ${databaseName()} owner to current_user;
                   grant create on schema public to ${owner};
                   create role ${role} login password '${PASSWORD.replace("'", "''")}'`);
    addresses = { ...addresses, ownerUrl: url };
    await prepareDatabase(addresses, false);
    expect(await differences()).toEqual([]);
    expect(await asService((client) => makesTables(client, role))).toBe(true);
  });
});

describe('a migrated database that is prepared by its owner for another role', () => {
  beforeEach(() => openDatabase(migratedTemplate()));

  it('revokes excess rights and grants missing ones, and changes no other rights [H-101]', async () => {
    await prepareDatabase(addresses, false);
    const grants = () =>
      asOwner<{ name: string; row: string }>(`select relname as name, xmin as row from pg_class order by relname, oid`);
    await asOwner(`grant all on posting, account to ${role}; revoke update on deposit from ${role};
                   grant create on schema public to public;
                   grant temporary, create on database ${databaseName()} to public, ${role}`);
    expect(await differences()).toEqual([
      { table: 'account', missing: [], needless: ['update', 'delete', 'truncate', 'references', 'trigger'] },
      { table: 'deposit', missing: ['update'], needless: [] },
      { table: 'posting', missing: [], needless: ['update', 'delete', 'truncate', 'references', 'trigger'] },
    ]);
    const before = await grants();
    await prepareDatabase(addresses, false);
    expect(await differences()).toEqual([]);
    const changed = (await grants()).filter(({ row }, index) => row !== before[index]?.row).map(({ name }) => name);
    expect(changed).toEqual(['account', 'deposit', 'posting']);
    for (const statement of ['create table mine ()', 'create temporary table posting ()', 'create schema mine']) {
      await expect(asService((client) => client.query(statement))).rejects.toThrow('permission denied');
    }
  });

  it('keeps the rights of a newer version, and still gets those that this version lacks', async () => {
    await prepareDatabase(addresses, false);
    await asOwner(`insert into schema_migration (name) values ('99990101-01-newer');
                   create table newer (id int);
                   grant select, insert, update, delete on newer to ${role};
                   revoke update on deposit from ${role}`);
    expect(await prepareDatabase(addresses, false)).toEqual([]);
    expect(await differences()).toEqual([{ table: 'newer', missing: [], needless: ['update', 'delete'] }]);
  });

  it('grants rights on new sequences and tables of the queue, when a newer version has added them', async () => {
    await prepareDatabase(addresses, true);
    await asOwner(
      `create table bullmq.newer (); insert into bullmq.newer default values; create sequence bullmq.newer_seq`,
    );
    await prepareDatabase(addresses, true);
    const counted = asService((client) => client.query(`select nextval('bullmq.newer_seq') from bullmq.newer`));
    expect((await counted).rows).toEqual([{ nextval: '1' }]);
    await expect(asService((client) => client.query(`truncate bullmq.job cascade`))).rejects.toThrow(
      'permission denied',
    );
  });

  it('does not change an existing role, even if its password differs', async () => {
    await asOwner(`create role ${role} login password 'sesame'`);
    await expect(prepareDatabase(addresses, false)).rejects.toThrow(
      `password authentication failed for user "${role}"`,
    );
    addresses = { ...addresses, url: urlOf(role, 'sesame') };
    await prepareDatabase(addresses, false);
    expect(await differences()).toEqual([]);
  });
});

describe('a process with only one role', () => {
  beforeEach(() => openDatabase('template1'));

  const start = () => prepareDatabase({ url: addresses.url, ownerUrl: null }, false);

  it('finds nothing missing, or reports what is missing and who can add it, without a password [H-101]', async () => {
    await prepareDatabase(addresses, false);
    expect(await start()).toEqual([]);
    await asOwner(`revoke insert on deposit from ${role}`);
    await expect(start()).rejects.toThrow(
      `Rights are missing on deposit. The role ${role} of DATABASE_URL does not own the tables. ` +
        'Run "npx coffer migrate" with MIGRATION_DATABASE_URL, the address of the same database for their owner.',
    );
    await asOwner(`delete from schema_migration where name = '${ALL.at(-1)}'`);
    await expect(start()).rejects.toThrow(`Migrations are missing: ${ALL.at(-1)}. `);
    await asOwner(`revoke all on all tables in schema public from ${role}`);
    await expect(start()).rejects.toThrow(`Migrations are missing: ${ALL[0]}, `);
  });

  it('migrates by itself, if that role is the owner', async () => {
    const alone = { url: db.ownerUrl, ownerUrl: null };
    expect([await prepareDatabase(alone, true), await prepareDatabase(alone, true)]).toEqual([ALL, []]);
  });

  it('revokes nothing from an owner that is configured for both roles', async () => {
    const url = await anOwner();
    expect(await prepareDatabase({ url, ownerUrl: url }, true)).toEqual(ALL);
    expect(await asOwner(`select has_table_privilege('${owner}', 'posting', 'truncate') as may`)).toEqual([
      { may: true },
    ]);
  });

  it('fails when the owner prepares another database than its own', async () => {
    const other = await createDatabase('template1');
    try {
      await expect(prepareDatabase({ ...addresses, ownerUrl: other.ownerUrl }, false)).rejects.toThrow(
        'Migrations are missing',
      );
    } finally {
      await other.drop();
    }
  });
});

import { randomBytes } from 'node:crypto';
import { Pool } from 'pg';

/** The separate database of one spec. */
export interface FreshDatabase {
  readonly url: string;
  /** Drops it, even with open connections. */
  drop(): Promise<void>;
}

/** A database with an owner beside the service's role, which `url` uses. */
export interface OwnedDatabase extends FreshDatabase {
  /** For the owner, who has all rights: to migrate, to bypass the triggers, to tamper. */
  readonly ownerUrl: string;
}

/** Creates an empty database, for its owner; `database.ts` creates migrated ones. */
export async function freshDatabase(): Promise<FreshDatabase> {
  const { ownerUrl: url, drop } = await createDatabase('template1');
  return { url, drop };
}

/** Creates a database as a copy of `template` on the server of the test run; `drop` removes it. */
export async function createDatabase(template: string): Promise<OwnedDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  // Copies files: half the time of a copy through the buffers and the log.
  await run(`create database ${name} template ${template} strategy file_copy`);
  // Only the rights on the database itself are not copied.
  if (template === migratedTemplate()) await run(`revoke temporary on database ${name} from public`);
  return {
    url: urlOf('TEST_DATABASE_URL', name),
    ownerUrl: urlOf('TEST_OWNER_URL', name),
    drop: async () => {
      await run(endSessions(name));
      await run(`drop database if exists ${name} with (force)`);
    },
  };
}

/**
 * Ends the sessions of a database, and waits until they have ended. `drop` with `force` does so too, but looks again only
 * after 100 ms, and a pool reports its end before its sessions have ended.
 */
const endSessions = (name: string): string => `do $$ begin
  perform pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}';
  for look in 1..100 loop
    perform pg_stat_clear_snapshot();
    exit when not exists (select from pg_stat_activity where datname = '${name}');
    perform pg_sleep(0.001);
  end loop;
end $$`;

/** The migrated database, which has no connections, so that it can be copied. */
export const migratedTemplate = (): string => new URL(serverUrl('TEST_OWNER_URL')).pathname.slice(1);

/** Set by the run's global setup. */
function serverUrl(variable: 'TEST_DATABASE_URL' | 'TEST_OWNER_URL'): string {
  const url = process.env[variable];
  if (url === undefined) throw new Error(`${variable} is not set: specs on PostgreSQL run under jest.`);
  return url;
}

function urlOf(variable: 'TEST_DATABASE_URL' | 'TEST_OWNER_URL', database: string): string {
  const url = new URL(serverUrl(variable));
  url.pathname = `/${database}`;
  return url.href;
}

let administrators: Pool | null = null;

/** Over the same connections for all databases of a process: new ones for each statement took as long as the copy. */
async function run(statement: string): Promise<void> {
  administrators ??= openAdministrators();
  await administrators.query(statement);
}

function openAdministrators(): Pool {
  const connectionString = urlOf('TEST_OWNER_URL', 'postgres');
  // Idle connections keep no process alive, and the end of the run closes them.
  const pool = new Pool({ connectionString, max: 2, idleTimeoutMillis: 0, allowExitOnIdle: true });
  pool.on('error', () => undefined);
  return pool;
}

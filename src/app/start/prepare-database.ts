import type { Client } from 'pg';
import { MIGRATIONS } from '../../../migrations/list.js';
import { SERVICE_RIGHTS } from '../../../migrations/service-rights.js';
import { ENTITIES } from '../entities.js';
import { applyMigrations, underMigrationLock, withClient } from '../../platform/database/migrate.js';
import { ensureServiceRole } from '../../platform/database/service-role.js';
import {
  grantMissingRights,
  grantRights,
  ownsTables,
  rightsDifferences,
} from '../../platform/database/table-rights.js';
import { hasErrorCode } from '../../platform/processes.js';
import { grantQueue, isQueueMigrated, migrateQueue } from '../../platform/queue/queue-schema.js';
import { rowsOn } from '../../platform/sql/rows-on.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { appliedMigrations, roleOfConnection } from './prepare-database.sql.js';

/** The addresses of one database for its two roles. Both contain passwords. */
export interface DatabaseAddresses {
  /** The role of the service. */
  readonly url: string;
  /** The owner of the tables; null: the role of `url` owns them, or nothing is to be migrated. */
  readonly ownerUrl: string | null;
}

/** The missing migrations and rights, as the service's role sees them. */
interface Gap extends RowOf<typeof roleOfConnection> {
  readonly migrations: readonly string[];
  /** Tables on which the role has too few rights. */
  readonly tables: readonly string[];
}

/**
 * Migrates the schema and the rights: as the owner, who grants the service's role its rights, or as the service's role if
 * that is the owner. When nothing is missing, the service's role is enough. Returns the names of the applied migrations.
 * @param hasQueue whether the job queue is in this database
 * @throws Error that names what is missing when the service's role could not work
 */
export async function prepareDatabase({ url, ownerUrl }: DatabaseAddresses, hasQueue: boolean): Promise<string[]> {
  if (ownerUrl === null) {
    const gap = await gapFor(url, hasQueue);
    if (isNothing(gap)) return [];
    if (!gap.mayMigrate) throw refusalOf(gap);
  }
  const applied = await underMigrationLock(ownerUrl ?? url, async (owner) => {
    const role = ownerUrl === null ? null : await ensureServiceRole(owner, url);
    const isCurrent = (await pendingMigrations(owner)).length === 0;
    const names = isCurrent ? [] : await applyMigrations(ownerUrl ?? url, ENTITIES, MIGRATIONS);
    if (hasQueue) await migrateQueue(owner);
    if (role !== null && !(await ownsTables(owner, role))) {
      const grant = (await isOfNewerVersion(owner)) ? grantMissingRights : grantRights;
      await grant(owner, role, SERVICE_RIGHTS);
      if (hasQueue) await grantQueue(owner, role);
    }
    return names;
  });
  const left = await gapFor(url, hasQueue);
  if (!isNothing(left)) throw refusalOf(left);
  return applied;
}

const isNothing = ({ migrations, tables }: Gap): boolean => migrations.length + tables.length === 0;

function gapFor(url: string, hasQueue: boolean): Promise<Gap> {
  return withClient(url, async (client) => {
    const [own] = await rowsOn(client, roleOfConnection);
    const { role, mayMigrate } = own ?? { role: '', mayMigrate: false };
    const migrations = await pendingMigrations(client);
    const differences = migrations.length > 0 ? [] : await rightsDifferences(client, role, SERVICE_RIGHTS);
    if (hasQueue && !(await isQueueMigrated(client))) migrations.push('those of the queue');
    const tables = differences.filter(({ missing }) => missing.length > 0).map(({ table }) => table);
    return { migrations, tables, role, mayMigrate };
  });
}

/** Returns the migrations to apply. A newer process may have applied more than this one has. */
async function pendingMigrations(client: Client): Promise<string[]> {
  const all = MIGRATIONS.map(({ name }) => name);
  try {
    const applied = new Set((await rowsOn(client, appliedMigrations)).map(({ name }) => name));
    return all.filter((name) => !applied.has(name));
  } catch (error) {
    // 42P01: the table does not exist. 42501: no right to read it.
    if (hasErrorCode(error, '42P01', '42501')) return all;
    throw error;
  }
}

/**
 * Whether a newer version has migrated the database. Its tables need rights that this version does not know, and must not
 * take away: during a rolling update a process of this version may start again.
 */
async function isOfNewerVersion(owner: Client): Promise<boolean> {
  const own = new Set(MIGRATIONS.map(({ name }) => name));
  return (await rowsOn(owner, appliedMigrations)).some(({ name }) => !own.has(name));
}

function refusalOf({ role, migrations, tables }: Gap): Error {
  const problem =
    migrations.length > 0
      ? `Migrations are missing: ${migrations.join(', ')}.`
      : `Rights are missing on ${tables.join(', ')}.`;
  return new Error(
    `${problem} The role ${role} of DATABASE_URL does not own the tables. ` +
      'Run "npx coffer migrate" with MIGRATION_DATABASE_URL, the address of the same database for their owner.',
  );
}

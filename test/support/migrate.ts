import type { MigrationObject } from '@mikro-orm/core';
import type { EntityClass } from '@mikro-orm/postgresql';
import { applyMigrations, underMigrationLock } from '../../src/platform/database/migrate.js';

/** Migrates the schema under the lock. Returns the names of the applied migrations. */
export function migrate(
  url: string,
  entities: readonly EntityClass<object>[],
  migrations: MigrationObject[],
): Promise<string[]> {
  return underMigrationLock(url, () => applyMigrations(url, entities, migrations));
}

import type { MigrationObject } from '@mikro-orm/core';
import type { EntityClass } from '@mikro-orm/postgresql';
import { MIGRATIONS } from '../../migrations/list.js';
import { applyMigrations, underMigrationLock } from '../../src/platform/database/migrate.js';

/** Returns the migrations before the one of this name, without its date and number. */
export function migrationsBefore(name: string): MigrationObject[] {
  const place = MIGRATIONS.findIndex((migration) => migration.name.endsWith(`-${name}`));
  if (place === -1) throw new Error(`There is no migration ${name}.`);
  return MIGRATIONS.slice(0, place);
}

/** Migrates the schema under the lock. Returns the names of the applied migrations. */
export function migrate(
  url: string,
  entities: readonly EntityClass<object>[],
  migrations: MigrationObject[],
): Promise<string[]> {
  return underMigrationLock(url, () => applyMigrations(url, entities, migrations));
}

import { type Client, escapeIdentifier } from 'pg';
import { rowsOn } from '../sql/rows-on.js';
import { creationRightOf, ownershipOf, rightsOf, schemaUseOf } from './table-rights.sql.js';

/** The rights of a role on each table besides reading, such as `insert` or `update (balance)`. */
export type TableRights = Readonly<Record<string, readonly string[]>>;

/** A table that is not listed is append-only: only rights to change rows must be listed. */
const DEFAULT: readonly string[] = ['insert'];

/** The difference between the rights of a role on a table and the rights it should have. */
export interface RightsDifference {
  readonly table: string;
  readonly missing: readonly string[];
  readonly needless: readonly string[];
}

/** Returns the tables of the schema on which `role` does not have exactly the rights it should have. */
export async function rightsDifferences(
  client: Client,
  role: string,
  rights: TableRights,
): Promise<RightsDifference[]> {
  const rows = await rowsOn(client, rightsOf(role));
  return rows
    .map((row) => {
      const columns = row.rights.includes('update') ? [] : row.updatable.map((column) => `update (${column})`);
      const has = [...row.rights, ...columns];
      const wanted = wantedOn(row.table, rights);
      return {
        table: row.table,
        missing: wanted.filter(
          (right) => !has.includes(right) && !(right.startsWith('update') && has.includes('update')),
        ),
        needless: has.filter((right) => !wanted.includes(right)),
      };
    })
    .filter(({ missing, needless }) => missing.length + needless.length > 0);
}

const wantedOn = (table: string, rights: TableRights): string[] => ['select', ...(rights[table] ?? DEFAULT)];

/** Whether `role` has all rights: it owns the tables, may become their owner, or is a superuser. */
export async function ownsTables(client: Client, role: string): Promise<boolean> {
  const rows = await rowsOn(client, ownershipOf(role));
  return rows[0]?.owns ?? false;
}

/**
 * Whether `role` may create tables in this schema, in its own schemas, or temporary ones. It must not: triggers of the
 * schema could read such a table instead of ours of the same name.
 */
export async function makesTables(client: Client, role: string): Promise<boolean> {
  const rows = await rowsOn(client, creationRightOf(role));
  return rows[0]?.makes ?? false;
}

/** Grants `role` the rights that it lacks on the tables of the schema, and revokes none. */
export async function grantMissingRights(owner: Client, role: string, rights: TableRights): Promise<void> {
  const to = escapeIdentifier(role);
  const statements = (await rightsDifferences(owner, role, rights))
    .filter(({ missing }) => missing.length > 0)
    .map(({ table, missing }) => `grant ${missing.join(', ')} on table ${escapeIdentifier(table)} to ${to}`);
  if (statements.length > 0) await owner.query(['begin', ...statements, 'commit'].join(';\n'));
}

/**
 * Grants `role` exactly these rights on the tables of the schema, and the use of the schema. Correct grants are not
 * repeated, because each grant makes every running process plan its statements again.
 */
export async function grantRights(owner: Client, role: string, rights: TableRights): Promise<void> {
  const rows = await rowsOn(owner, schemaUseOf(role));
  const mayMake = await makesTables(owner, role);
  const to = escapeIdentifier(role);
  const statements = (await rightsDifferences(owner, role, rights)).flatMap(({ table }) => [
    `revoke all on table ${escapeIdentifier(table)} from ${to}`,
    `grant ${wantedOn(table, rights).join(', ')} on table ${escapeIdentifier(table)} to ${to}`,
  ]);
  for (const place of rows) {
    const name = escapeIdentifier(place.name);
    if (!place.mayUse) statements.push(`grant usage on schema ${name} to ${to}`);
    // By default every role of PostgreSQL may create temporary tables, and before version 15 ordinary ones too.
    if (mayMake) {
      statements.push(`revoke create on schema ${name} from ${to}, public`);
      statements.push(`revoke create, temporary on database ${escapeIdentifier(place.database)} from ${to}, public`);
    }
  }
  if (statements.length > 0) await owner.query(['begin', ...statements, 'commit'].join(';\n'));
}

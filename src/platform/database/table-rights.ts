import { type Client, escapeIdentifier } from 'pg';

/** What a role may do with the rows of each table beside reading them, such as `insert` or `update (balance)`. */
export type TableRights = Readonly<Record<string, readonly string[]>>;

/** A table that is not named only grows: what may be changed is said, what must not be needs no word. */
const DEFAULT: readonly string[] = ['insert'];

/** What a role has of a table and what it should have, each in its order. */
export interface RightsDifference {
  readonly table: string;
  readonly missing: readonly string[];
  readonly needless: readonly string[];
}

/** Every right on the tables of the schema, however the role came by it: granted, by another role, or as the owner. */
const RIGHTS = `
  select relname as table,
         array(select kind
                 from unnest(array['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger']) kind
                where has_table_privilege($1, c.oid, kind)) as rights,
         array(select attname::text from pg_attribute
                where attrelid = c.oid and attnum > 0 and not attisdropped
                  and has_column_privilege($1, c.oid, attnum, 'update')) as updatable
    from pg_class c
   where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
   order by relname`;

/** The tables of the schema on which `role` has not exactly the rights it should have. */
export async function rightsDifferences(client: Client, role: string, rights: TableRights): Promise<RightsDifference[]> {
  const { rows } = await client.query<{ table: string; rights: string[]; updatable: string[] }>(RIGHTS, [role]);
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

/** Whether `role` is the owner of the schema's tables, may become it, or is a superuser: nothing is refused to it. */
export async function ownsTables(client: Client, role: string): Promise<boolean> {
  const { rows } = await client.query<{ owns: boolean }>(
    `select coalesce(bool_or(pg_has_role($1, relowner, 'member')), false) as owns from pg_class
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')`,
    [role],
  );
  return rows[0]?.owns ?? false;
}

/**
 * Whether `role` may make tables, here, in schemas of its own, or temporary ones. One that has the name of a table of ours
 * can be what the guards read in its stead, and a trigger of it passes for one of theirs: so it must not.
 */
export async function makesTables(client: Client, role: string): Promise<boolean> {
  const { rows } = await client.query<{ makes: boolean }>(
    `select has_schema_privilege($1, current_schema(), 'create')
         or has_database_privilege($1, current_database(), 'create, temporary') as makes`,
    [role],
  );
  return rows[0]?.makes ?? false;
}

/**
 * Gives `role` exactly these rights on the tables of the schema, and the use of the schema itself. Grants that are right
 * already are left alone, since each one makes every running process plan its statements anew.
 */
export async function grantRights(owner: Client, role: string, rights: TableRights): Promise<void> {
  const { rows } = await owner.query<{ name: string; database: string; may_use: boolean }>(
    `select current_schema() as name, current_database() as database,
            has_schema_privilege($1, current_schema(), 'usage') as may_use`,
    [role],
  );
  const mayMake = await makesTables(owner, role);
  const to = escapeIdentifier(role);
  const statements = (await rightsDifferences(owner, role, rights)).flatMap(({ table }) => [
    `revoke all on table ${escapeIdentifier(table)} from ${to}`,
    `grant ${wantedOn(table, rights).join(', ')} on table ${escapeIdentifier(table)} to ${to}`,
  ]);
  for (const place of rows) {
    const name = escapeIdentifier(place.name);
    if (!place.may_use) statements.push(`grant usage on schema ${name} to ${to}`);
    // PostgreSQL lets everybody make temporary tables, and before version 15 others too.
    if (mayMake) {
      statements.push(`revoke create on schema ${name} from ${to}, public`);
      statements.push(`revoke create, temporary on database ${escapeIdentifier(place.database)} from ${to}, public`);
    }
  }
  if (statements.length > 0) await owner.query(['begin', ...statements, 'commit'].join(';\n'));
}

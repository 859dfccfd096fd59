import type { Database } from '../../src/platform/database/database.js';
import { query } from './sql.js';

/** Every row of every table, by table, as JSON. */
export type Backup = ReadonlyMap<string, string>;

/** Returns the state of a database, as a backup has it. */
export async function backupOf(owner: Database): Promise<Backup> {
  return owner.transaction(async (tx) => {
    await query(tx, `set transaction isolation level repeatable read`);
    const tables = await query<{ name: string }>(
      tx,
      `select table_name as name from information_schema.tables
        where table_type = 'BASE TABLE' and table_schema = 'public' order by 1`,
    );
    const backup = new Map<string, string>();
    for (const { name } of tables) {
      const [row] = await query<{ rows: string | null }>(tx, `select json_agg(kept)::text as rows from "${name}" kept`);
      backup.set(name, row?.rows ?? '[]');
    }
    return backup;
  });
}

/** Replaces every row by those of a backup, whatever the guards say: as a restore does. */
export async function restore(owner: Database, backup: Backup): Promise<void> {
  await owner.transaction(async (tx) => {
    await query(tx, `set local session_replication_role = replica`);
    for (const [name, rows] of backup) {
      const [columns] = await query<{ list: string }>(
        tx,
        `select string_agg(format('%I', column_name), ', ' order by ordinal_position) as list
           from information_schema.columns
          where table_schema = 'public' and table_name = $1 and is_generated = 'NEVER'`,
        [name],
      );
      await query(tx, `delete from "${name}"`);
      await query(
        tx,
        `insert into "${name}" (${columns?.list}) overriding system value
         select ${columns?.list} from json_populate_recordset(null::"${name}", $1::json)`,
        [rows],
      );
    }
  });
}

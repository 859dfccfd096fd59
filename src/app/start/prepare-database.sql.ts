import { as } from '../../platform/sql/as.js';
import { raw, sql } from '../../platform/sql/sql.js';

/** Reads the role of the connection, and whether it may create tables in the schema. */
export const roleOfConnection = sql`
  select current_user ${as.text('role')},
         coalesce(has_schema_privilege(current_schema(), 'create'), false) ${as.boolean('mayMigrate')}`;

/** Reads the names of the migrations that were applied. The table is the ORM's own and has no entity. */
export const appliedMigrations = sql`select ${raw('name')} ${as.text('name')} from schema_migration`;

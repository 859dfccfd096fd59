import { as } from '../sql/as.js';
import { sql } from '../sql/sql.js';

/** Reads the role of the connection. */
export const currentRole = sql`select current_user ${as.text('name')}`;

/** Finds a role of the server. */
export const findRole = (name: string) => sql`select from pg_roles where rolname = ${name}`;

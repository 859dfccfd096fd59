import { as } from '../sql/as.js';
import { sql } from '../sql/sql.js';

/** Reads the data directory of the server. */
export const dataDirectory = sql`select current_setting('data_directory') ${as.text('dir')}`;

/** Finds a database of the server. */
export const findDatabase = (name: string) => sql`select from pg_database where datname = ${name}`;

import { types } from 'node:util';
import { prepareDatabase } from '../app/start/prepare-database.js';
import type { Config } from '../platform/config.js';
import { hasErrorCode } from '../platform/processes.js';
import { CommandFailure } from './command.js';
import type { DatabaseServer } from './database-server.js';

/** Applies pending migrations and rights. Returns the names of the applied migrations. */
export async function prepareSchema(server: DatabaseServer, config: Config): Promise<string[]> {
  try {
    return await prepareDatabase(server, config.redisUrl === null);
  } catch (error) {
    throw asDatabaseFailure(error, server.url);
  }
}

/** Returns a failure with advice if the error means that the database cannot be used; else the error itself. */
export function asDatabaseFailure(error: unknown, url: string): unknown {
  return isUnreachable(error) ? unreachable(url, error) : error;
}

/** No server, no such host, a timeout, or a server that refuses the user, the password or the name of the database. */
const isUnreachable = (error: unknown): boolean =>
  hasErrorCode(error, 'ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', '28P01', '28000', '3D000') ||
  (types.isNativeError(error) && /connection timeout|timeout expired/i.test(error.message));

/** Names only host and database, since the address contains the password. */
function unreachable(url: string, cause: unknown): CommandFailure {
  const { host, pathname } = new URL(url);
  const message = `The database ${pathname.slice(1)} at ${host} cannot be used.`;
  return new CommandFailure(message, 'check DATABASE_URL, MIGRATION_DATABASE_URL, and that the server runs.', {
    cause,
  });
}

import { types } from 'node:util';
import { prepareDatabase } from '../app/start/prepare-database.js';
import type { Config } from '../platform/config.js';
import { hasErrorCode } from '../platform/processes.js';
import { CommandFailure } from './command.js';
import type { DatabaseServer } from './database-server.js';

/** Brings schema and rights up to date; gives the names of the migrations that were applied. */
export async function prepareSchema(server: DatabaseServer, config: Config): Promise<string[]> {
  try {
    return await prepareDatabase(server, config.redisUrl === null);
  } catch (error) {
    throw asDatabaseFailure(error, server.url);
  }
}

/** A failure that says what to do, when the error means that the database cannot be used; else the error itself. */
export function asDatabaseFailure(error: unknown, url: string): unknown {
  return isUnreachable(error) ? unreachable(url, error) : error;
}

/** No server, no such host, too slow; or a server that refuses the user, the password or the database's name. */
const isUnreachable = (error: unknown): boolean =>
  hasErrorCode(error, 'ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', '28P01', '28000', '3D000') ||
  (types.isNativeError(error) && /connection timeout|timeout expired/i.test(error.message));

/** The place alone is named: the address carries the password. */
function unreachable(url: string, cause: unknown): CommandFailure {
  const { host, pathname } = new URL(url);
  const message = `The database ${pathname.slice(1)} at ${host} cannot be used.`;
  return new CommandFailure(message, 'check DATABASE_URL, MIGRATION_DATABASE_URL, and that the server runs.', {
    cause,
  });
}

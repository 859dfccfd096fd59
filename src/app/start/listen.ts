import { once } from 'node:events';
import { createServer } from 'node:net';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Config } from '../../platform/config.js';
import { hasErrorCode } from '../../platform/processes.js';

const PORTS_TRIED = 20;
const CAUSES: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is taken by another process. Stop that process, or set % to a free port',
  EACCES: 'needs more rights than this user has. Set % to a port above 1023',
  EADDRNOTAVAIL: 'cannot be used: HOST is not an address of this machine',
  ENOTFOUND: 'cannot be used: HOST is not a known name',
};

type Place = Pick<Config, 'http' | 'embedded'>;

/**
 * Tries the port before anything else is started, so that an unusable port ends the start at once.
 * @throws Error that says what to do when it cannot be used
 */
export async function assertPortUsable(place: Place): Promise<void> {
  const { host, port } = place.http;
  if (lastPortOf(place) !== port) return;
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    throw portRefusal(error, host, port);
  }
  server.close();
  await once(server, 'close');
}

/**
 * Listens on the configured port and returns it. Only the default port of the embedded sandbox moves to the next one when
 * it is taken: clients of a configured port would otherwise reach another service.
 * @throws Error that says what to do when the port cannot be used
 */
export async function listen(app: NestExpressApplication, place: Place): Promise<number> {
  const { host, port } = place.http;
  for (let candidate = port; ; candidate++) {
    try {
      await app.listen(candidate, host);
      const address = app.getHttpServer().address();
      return typeof address === 'object' && address !== null ? address.port : candidate;
    } catch (error) {
      if (hasErrorCode(error, 'EADDRINUSE') && candidate < lastPortOf(place)) continue;
      throw portRefusal(error, host, candidate);
    }
  }
}

const lastPortOf = ({ http: { port, isPortGiven }, embedded }: Place): number =>
  embedded && !isPortGiven ? port + PORTS_TRIED : port;

/** Explains the error in a sentence that says what to do; returns other errors unchanged. */
export function portRefusal(error: unknown, host: string, port: number, variable = 'PORT'): unknown {
  const [, cause] = Object.entries(CAUSES).find(([code]) => hasErrorCode(error, code)) ?? [];
  return cause === undefined
    ? error
    : new Error(`Port ${port} of ${host} ${cause.replace('%', variable)}.`, { cause: error });
}

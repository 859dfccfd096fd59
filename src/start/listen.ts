import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Config } from '../platform/config.js';
import { hasErrorCode } from '../platform/processes.js';

const PORTS_TRIED = 20;
const CAUSES: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is taken by another process. Stop that one, or set PORT to a free port',
  EACCES: 'may not be used by this user. Set PORT to one above 1023',
  EADDRNOTAVAIL: 'cannot be used: HOST is no address of this machine',
  ENOTFOUND: 'cannot be used: HOST is no known name',
};

/**
 * Listens on the configured port and returns it. Only the default port of the embedded sandbox moves to the next when it
 * is taken: whoever names a port reaches for it there, and may otherwise meet another service.
 * @throws Error that says what to do when the port cannot be used.
 */
export async function listen(
  app: NestExpressApplication,
  { http: { host, port, isPortGiven }, embedded }: Pick<Config, 'http' | 'embedded'>,
): Promise<number> {
  const last = embedded && !isPortGiven ? port + PORTS_TRIED : port;
  for (let candidate = port; ; candidate++) {
    try {
      await app.listen(candidate, host);
      const address = app.getHttpServer().address();
      return typeof address === 'object' && address !== null ? address.port : candidate;
    } catch (error) {
      if (hasErrorCode(error, 'EADDRINUSE') && candidate < last) continue;
      const [, cause] = Object.entries(CAUSES).find(([code]) => hasErrorCode(error, code)) ?? [];
      if (cause === undefined) throw error;
      throw new Error(`Port ${candidate} of ${host} ${cause}.`, { cause: error });
    }
  }
}

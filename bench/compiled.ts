import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The measured build of the service: that of `npm run build`, or the one in `BENCH_DIST`. */
export const DIST = process.env['BENCH_DIST'] ?? join(import.meta.dirname, '..', 'dist');

/** True when the build is not the repository's own, which `npm start` would rebuild. */
export const IS_OTHER_BUILD = process.env['BENCH_DIST'] !== undefined;

/** Returns the URL of a compiled source, for rows that load modules which not every build has. */
export const place = (path: string): string => pathToFileURL(join(DIST, 'src', path)).href;

export const { startEmbeddedPostgres }: typeof import('../src/platform/database/embedded-postgres.js') = await import(
  place('platform/database/embedded-postgres.js')
);
export const { postgresToolsFor }: typeof import('../src/platform/database/postgres-tools.js') = await import(
  place('platform/database/postgres-tools.js')
);
export const { newApiKey, hashApiKey }: typeof import('../src/domain/api-key.js') = await import(
  place('domain/api-key.js')
);
export const { newId }: typeof import('../src/domain/ids.js') = await import(place('domain/ids.js'));
export const { anvilBinaryPath }: typeof import('../src/devtools/devnet/anvil-binary.js') = await import(
  place('devtools/devnet/anvil-binary.js')
);
export const { networkProfile }: typeof import('../src/chains/networks.js') = await import(place('chains/networks.js'));
export const { MIGRATIONS }: typeof import('../migrations/list.js') = await import(
  pathToFileURL(join(DIST, 'migrations', 'list.js')).href
);

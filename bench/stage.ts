import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { z } from 'zod';
import { type ApiProcess, startApi } from './api-process.ts';
import { startEmbeddedPostgres } from './compiled.ts';
import { databaseSettings } from './database-settings.ts';
import type { LoadOrder, LoadResult } from './load.ts';
import { OPEN_INTENTS_MAX } from './open-intents.ts';
import { type ServiceProcess, startService } from './service-process.ts';

const address = z.object({ port: z.number() });

/** Connections of all processes that share the database. */
const SECRETS_KEY = '5e'.repeat(32);
/** The embedded database is configured for one process; here several share it. */
const MAX_CONNECTIONS = '120';

/** One PostgreSQL with the service, the bare server and the load generator. */
export interface Stage {
  readonly service: ServiceProcess;
  readonly bareUrl: string;
  /** Connection settings of the owner of the tables, which `query` uses too. */
  readonly databaseUrl: string;
  /** The file that PostgreSQL logs to. */
  readonly databaseLog: string;
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  load(order: LoadOrder): Promise<LoadResult>;
  /** Starts one more process of the service, in the role api alone, with the settings `own`. */
  startApi(own?: Readonly<Record<string, string>>): Promise<ApiProcess>;
  close(): Promise<void>;
}

/** Sets up the stage in `dir`: the embedded database, and every role in one process, with the settings `own`. */
export async function setStage(dir: string, own: Readonly<Record<string, string>> = {}): Promise<Stage> {
  mkdirSync(dir, { recursive: true });
  chmodSync(dir, 0o711);
  const data = join(dir, 'postgres');
  const settings = { max_connections: MAX_CONNECTIONS };
  const postgres = await startEmbeddedPostgres({ dir: data, preferredPort: 0, settings, log: () => undefined });
  const closers = [(): Promise<unknown> => postgres.stop()];
  const close = async (): Promise<void> => {
    for (const closer of closers.toReversed()) await closer();
  };
  try {
    const env = { ...databaseSettings(postgres), RATE_LIMIT_PER_SECOND: '0', OPEN_INTENTS_MAX, SECRETS_KEY };
    const dataDir = join(dir, 'service');
    const service = await startService({ dataDir, env: { ...env, DEV_CHAINS: 'polygon', ...own } });
    closers.push(() => service.stop());
    const bare = start('bare-server.ts', postgres.url);
    closers.push(() => end(bare));
    const { port } = address.parse((await once(bare, 'message'))[0]);
    const generator = start('load.ts');
    closers.push(() => end(generator));
    const client = new Client({ connectionString: postgres.url });
    await client.connect();
    closers.push(() => client.end());
    let apis = 0;
    return {
      service,
      bareUrl: `http://127.0.0.1:${port}`,
      databaseUrl: postgres.url,
      databaseLog: `${data}.log`,
      query: async <Row>(text: string, values: readonly unknown[] = []) =>
        // pg's own row type needs an index signature, which interfaces do not have.
        (await client.query<Row & Record<string, unknown>>(text, [...values])).rows,
      load: async (order) => {
        generator.send(order);
        const [result]: LoadResult[] = await once(generator, 'message');
        if (result === undefined || result.failure !== null) throw new Error(result?.failure ?? 'No result.');
        return result;
      },
      // The database is already migrated.
      startApi: (ownOfApi = {}) =>
        startApi(join(dir, `api-${++apis}`), {
          ...env,
          MIGRATION_DATABASE_URL: '',
          PRICE_SOURCES: 'fixed',
          ...ownOfApi,
        }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function start(file: string, ...args: string[]): ChildProcess {
  return fork(join(import.meta.dirname, file), args);
}

async function end(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

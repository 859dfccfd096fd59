import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { z } from 'zod';
import { DIST, startEmbeddedPostgres } from '../../bench/compiled.ts';
import { databaseSettings } from '../../bench/database-settings.ts';
import { type ServiceProcess, startService } from '../../bench/service-process.ts';
import { MovedClock } from './moved-clock.ts';

const EVM_NETWORKS = ['ethereum', 'polygon', 'bnb'];
const POLL_MS = 100;
/** Long enough for a loaded machine. */
const PATIENCE_MS = 120_000;
const SECRETS_KEY = '5e'.repeat(32);

const SETTINGS = {
  DEV_BLOCK_INTERVAL_MS: '150',
  RATE_LIMIT_PER_SECOND: '0',
  // A receiver that hangs must not hold up the month.
  WEBHOOK_TIMEOUT_MS: '400',
  WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
  // Else most requests of the month would be gone at its end.
  API_REQUEST_RETENTION_DAYS: '60',
  WALLET_POOL_TARGET: '300',
  LOG_LEVEL: 'warn',
};

const sandboxFile = z.object({
  networks: z.record(
    z.string(),
    z.object({
      rpc_url: z.string(),
      chain_id: z.union([z.number(), z.string()]),
      tokens: z.record(z.string(), z.object({ address: z.string().nullable() })),
    }),
  ),
});
export type NetworkFile = z.infer<typeof sandboxFile>['networks'][string];

/** A sandbox with its own database, service, five development chains and clock. */
export class MonthSandbox {
  readonly clock: MovedClock;
  readonly service: ServiceProcess;
  readonly networks: Readonly<Record<string, NetworkFile>>;
  private readonly sql: Client;
  private readonly env: Readonly<Record<string, string>>;
  private readonly stopDatabase: () => Promise<void>;

  private constructor(
    parts: Pick<MonthSandbox, 'clock' | 'service' | 'networks'> & {
      readonly sql: Client;
      readonly env: Readonly<Record<string, string>>;
      readonly stopDatabase: () => Promise<void>;
    },
  ) {
    this.clock = parts.clock;
    this.service = parts.service;
    this.networks = parts.networks;
    this.sql = parts.sql;
    this.env = parts.env;
    this.stopDatabase = parts.stopDatabase;
  }

  /** Starts the sandbox in an empty directory, with a clock that is `behindMs` behind. */
  static async start(dir: string, behindMs: number): Promise<MonthSandbox> {
    mkdirSync(dir, { recursive: true });
    chmodSync(dir, 0o711);
    const dataDir = join(dir, 'service');
    // The data need not survive a power failure.
    const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
    const postgres = await startEmbeddedPostgres({
      dir: join(dir, 'postgres'),
      preferredPort: 0,
      settings,
      log: () => undefined,
    });
    try {
      const clock = await MovedClock.install(postgres.url, dir, -behindMs);
      const env = {
        ...SETTINGS,
        DEV_CHAINS: 'ethereum,polygon,bnb,solana,tron',
        SECRETS_KEY,
        ...databaseSettings(postgres),
        ...clock.env,
      };
      const service = await startService({ dataDir, env });
      const sql = new Client({ connectionString: postgres.url });
      await sql.connect();
      const { networks } = sandboxFile.parse(JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8')));
      const sandbox = new MonthSandbox({
        clock,
        service,
        networks,
        sql,
        env: { ...env, DATA_DIR: dataDir },
        stopDatabase: () => postgres.stop(),
      });
      await sandbox.setEvmClocks();
      await sandbox.untilReady();
      return sandbox;
    } catch (error) {
      await postgres.stop();
      throw error;
    }
  }

  /** Moves every clock forward, and waits until the service has caught up. */
  async leap(byMs: number): Promise<void> {
    await this.clock.leap(byMs);
    await this.setEvmClocks();
    await this.untilReady();
  }

  /** Reads rows of the database. */
  async query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    // pg's own row type needs an index signature, which interfaces do not have.
    return (await this.sql.query<Row & Record<string, unknown>>(text, [...values])).rows;
  }

  /** Waits until a statement counts none. Returns whether it did in time. */
  async untilNone(text: string, values: readonly unknown[], withinMs = PATIENCE_MS): Promise<boolean> {
    const deadline = performance.now() + withinMs;
    while (performance.now() < deadline) {
      const [row] = await this.query<{ count: string }>(text, values);
      if (row?.count === '0') return true;
      await sleep(POLL_MS);
    }
    return false;
  }

  /** Runs a command of `npx coffer` and returns what it prints. @throws Error with it, when it fails */
  async coffer(...args: readonly string[]): Promise<string> {
    const cli = join(DIST, 'src', 'cli.js');
    const env = { ...process.env, ...this.env, BASE_URL: this.service.url };
    try {
      return (await promisify(execFile)(process.execPath, [cli, ...args], { env })).stdout;
    } catch (error) {
      const said = error instanceof Error && 'stdout' in error ? String(error.stdout) : '';
      throw new Error(`coffer ${args.join(' ')} failed: ${said}`, { cause: error });
    }
  }

  /** Calls a method of the node of an EVM network. @throws Error with its answer, when it refuses */
  async askNode(network: string, method: string, params: readonly unknown[]): Promise<void> {
    const url = this.networks[network]?.rpc_url;
    if (url === undefined) throw new Error(`The sandbox has no ${network}.`);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const response = await fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
    const answer = z.object({ error: z.unknown().optional() }).parse(await response.json());
    if (answer.error !== undefined) throw new Error(`${method} of ${network}: ${JSON.stringify(answer.error)}`);
  }

  /** Whether the service can collect payments on every network. */
  async untilReady(): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const { ok } = await fetch(`${this.service.url}/health/ready`);
      if (ok) return;
      if (performance.now() > deadline) throw new Error('The service is not ready.');
      await sleep(POLL_MS);
    }
  }

  async stop(): Promise<void> {
    await this.clock.close();
    await this.sql.end();
    await this.service.stop();
    await this.stopDatabase();
  }

  /** The other chains read the `Date` that the clock moves; anvil has one of its own. */
  private async setEvmClocks(): Promise<void> {
    const seconds = Math.floor(this.clock.now() / 1_000);
    for (const network of EVM_NETWORKS) await this.askNode(network, 'evm_setTime', [seconds]);
  }
}

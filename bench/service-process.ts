import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, closeSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { DIST } from './compiled.ts';

const READY_WITHIN_MS = 90_000;
const POLL_MS = 5;

const sandboxFile = z.object({
  api_url: z.string(),
  api_key: z.string(),
  merchant_id: z.string(),
  // Builds before the console have none.
  admin: z.object({ email: z.string(), password: z.string() }).optional(),
  networks: z.record(z.string(), z.object({ rpc_url: z.string() })),
});

/** A running service in a separate process. */
export interface ServiceProcess {
  readonly url: string;
  readonly pid: number;
  readonly apiKey: string;
  readonly merchantId: string;
  /** Who signs in to the console. */
  readonly admin: { readonly email: string; readonly password: string } | undefined;
  /** RPC addresses of the development chains, by network. */
  readonly chains: Readonly<Record<string, string>>;
  /** Milliseconds from the command until it printed that payments can be collected. */
  readonly readyMs: number;
  stop(): Promise<void>;
}

export interface ServiceOptions {
  readonly dataDir: string;
  /** Environment variables beside `DATA_DIR` and `PORT`. */
  readonly env?: Readonly<Record<string, string>>;
  /** Runs this command; default: the compiled service. */
  readonly command?: readonly [string, ...string[]];
}

/** Starts the service on a free port and waits until it is ready. Its output goes to a file, as in production. */
export async function startService({ dataDir, env = {}, command }: ServiceOptions): Promise<ServiceProcess> {
  mkdirSync(dataDir, { recursive: true, mode: 0o711 });
  const logPath = join(dataDir, 'service.log');
  const log = openSync(logPath, 'w');
  const [program, ...args] = command ?? [process.execPath, '--enable-source-maps', join(DIST, 'src', 'main.js')];
  const startedAt = performance.now();
  const child = spawn(program, args, {
    env: { ...process.env, DATA_DIR: dataDir, PORT: '0', ...env },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  await untilReady(child, logPath);
  const readyMs = performance.now() - startedAt;
  const written = sandboxFile.parse(JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8')));
  const pid = Number(readFileSync(join(dataDir, 'service.pid'), 'utf8'));
  return {
    url: written.api_url,
    pid,
    apiKey: written.api_key,
    merchantId: written.merchant_id,
    admin: written.admin,
    chains: Object.fromEntries(Object.entries(written.networks).map(([name, { rpc_url: url }]) => [name, url])),
    readyMs,
    stop: async () => {
      process.kill(pid, 'SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

/** The banner is the last step of a start. */
async function untilReady(child: ChildProcess, logPath: string): Promise<void> {
  const deadline = performance.now() + READY_WITHIN_MS;
  for (;;) {
    const said = readFileSync(logPath, 'utf8');
    if (said.includes('ready in')) return;
    if (child.exitCode !== null || performance.now() > deadline) {
      child.kill('SIGTERM');
      throw new Error(`The service did not start:\n${said.slice(-2_000)}`);
    }
    await sleep(POLL_MS);
  }
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DIST } from './compiled.ts';

const UP_WITHIN_MS = 90_000;
const POLL_MS = 20;
/** The log line of a process that listens. */
const UP_LINE = /"url":"(?<url>http:[^"]+)".*"msg":"The service is up\."/;

/** A process of the service in the role api alone. */
export interface ApiProcess {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts one beside a service with the other roles; `env` has their database and secrets. */
export async function startApi(dir: string, env: Readonly<Record<string, string>>): Promise<ApiProcess> {
  mkdirSync(dir, { recursive: true, mode: 0o711 });
  const logPath = join(dir, 'api.log');
  const log = openSync(logPath, 'w');
  const child = spawn(process.execPath, ['--enable-source-maps', join(DIST, 'src', 'main.js')], {
    env: { ...process.env, ...env, ROLES: 'api', DATA_DIR: dir, PORT: '0' },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const exited = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await exited;
  };
  const deadline = performance.now() + UP_WITHIN_MS;
  for (;;) {
    const said = readFileSync(logPath, 'utf8');
    const url = UP_LINE.exec(said)?.groups?.['url'];
    if (url !== undefined && child.pid !== undefined) return { url, pid: child.pid, stop };
    if (child.exitCode !== null || performance.now() > deadline) {
      if (child.exitCode === null) await stop();
      throw new Error(`The api process did not start:\n${said.slice(-2_000)}`);
    }
    await sleep(POLL_MS);
  }
}

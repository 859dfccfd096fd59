import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { eventually } from './eventually.js';
import { aPriceSnapshot } from './factories.js';
import type { TronSweepScene } from './tron-sweep-scene.js';

const PROCESS = fileURLToPath(new URL('tron-sweep-process.mjs', import.meta.url));
const DIES_WITHIN_MS = 60_000;
/** Before the commit of a signature and after it, before and after sending, before and after a final block is recorded. */
const MOMENTS = ['nonce', 'signed_persisted', 'before_broadcast', 'broadcast_before_save', 'mined_seen', 'posted'];

/** The failpoints of a purpose's transactions. */
export const failpointsOf = (prefix: string): readonly string[] => MOMENTS.map((moment) => `${prefix}.${moment}`);

/** Sweeps in another process until the failpoint kills it, while blocks become final. Returns how it ended. */
export async function killedAt(scene: TronSweepScene, point: string): Promise<NodeJS.Signals | null> {
  await aPriceSnapshot(scene.base.db.database, { USDC: '1', USDT: '1', TRX: '0.3' });
  const { PATH } = process.env;
  const child = spawn(process.execPath, ['--no-warnings', PROCESS], {
    env: { PATH, ...scene.place, FAILPOINT: point },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk.toString()));
  const closed = once(child, 'close');
  try {
    await eventually(
      () => scene.settle(),
      () => child.exitCode !== null || child.signalCode !== null,
      DIES_WITHIN_MS,
    );
  } catch (error) {
    child.kill('SIGKILL');
    throw new Error(`The process did not come to ${point}. ${said.join('')}`, { cause: error });
  }
  await closed;
  if (child.signalCode === null) throw new Error(`The process ended before ${point}: ${said.join('')}`);
  return child.signalCode;
}

import { killedProcess } from './doomed-process.js';
import { aPriceSnapshot } from './factories.js';
import type { TronSweepScene } from './tron-sweep-scene.js';

/** Before the commit of a signature and after it, before and after sending, before and after a final block is recorded. */
const MOMENTS = ['nonce', 'signed_persisted', 'before_broadcast', 'broadcast_before_save', 'mined_seen', 'posted'];

/** The failpoints of a purpose's transactions. */
export const failpointsOf = (prefix: string): readonly string[] => MOMENTS.map((moment) => `${prefix}.${moment}`);

/** Sweeps in another process until the failpoint kills it, while blocks become final. Returns how it ended. */
export async function killedAt(scene: TronSweepScene, point: string): Promise<NodeJS.Signals> {
  await aPriceSnapshot(scene.base.db.database, { USDC: '1', USDT: '1', TRX: '0.3' });
  return killedProcess({ file: 'tron-sweep-process.ts', env: scene.place, failpoint: point }, () => scene.settle());
}

import { type DoomedProgram, killedProcess } from './doomed-process.js';

/** A scene whose funds another process sweeps. */
interface SweptScene {
  readonly place: DoomedProgram['env'];
  price(): Promise<void>;
  settle(): Promise<void>;
}

/** Before the commit of a signature and after it, before and after sending, before and after a final block is recorded. */
const MOMENTS = ['nonce', 'signed_persisted', 'before_broadcast', 'broadcast_before_save', 'mined_seen', 'posted'];

/** The failpoints of a purpose's transactions. */
export const failpointsOf = (prefix: string): readonly string[] => MOMENTS.map((moment) => `${prefix}.${moment}`);

/** Sweeps in another process until the failpoint kills it, while blocks become final. Returns how it ended. */
export async function killedAt(scene: SweptScene, point: string): Promise<NodeJS.Signals> {
  await scene.price();
  const program = { file: 'expiring-sweep-process.ts', env: scene.place, failpoint: point };
  return killedProcess(program, () => scene.settle());
}

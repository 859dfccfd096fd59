import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { runTronChain, type TronProcess } from '../../src/devtools/devnet/tron/tron-process.js';

const RECORD = z.object({ pid: z.number(), port: z.number() });

/** A directory for a tron development chain, which is stopped before it is removed. Its blocks come every 50 ms. */
export class TronDevChainDirectory {
  /** What the chain has logged. */
  readonly logged: string[] = [];
  private readonly chains: TronProcess[] = [];

  private constructor(readonly path: string) {}

  static async create(): Promise<TronDevChainDirectory> {
    return new TronDevChainDirectory(await mkdtemp(join(tmpdir(), 'coffer-tron-devnet-')));
  }

  /** Starts the chain, or starts it again. */
  async start(preferredPort = 0): Promise<TronProcess> {
    const log = (line: string): void => void this.logged.push(line);
    const chain = await runTronChain({ dir: this.path, preferredPort, log, blockIntervalMs: 50 });
    this.chains.push(chain);
    return chain;
  }

  fileOf(name: string): string {
    return join(this.path, name);
  }

  async record(): Promise<z.infer<typeof RECORD>> {
    return RECORD.parse(JSON.parse(await readFile(this.fileOf('tron.json'), 'utf8')));
  }

  async remove(): Promise<void> {
    await Promise.all(this.chains.map((chain) => chain.stop()));
    await rm(this.path, { recursive: true, force: true });
  }
}

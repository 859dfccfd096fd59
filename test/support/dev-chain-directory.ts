import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DevChain, startDevChain } from '../../src/devtools/devnet/dev-chain.js';
import type { EvmNetwork } from '../../src/domain/network.js';

/** A data directory for development chains, which are stopped before it is removed. */
export class DevChainDirectory {
  /** What the chains have logged. */
  readonly logged: string[] = [];
  private readonly chains: DevChain[] = [];

  private constructor(readonly path: string) {}

  static async create(): Promise<DevChainDirectory> {
    return new DevChainDirectory(await mkdtemp(join(tmpdir(), 'coffer-devnet-')));
  }

  /** Starts the chain of a network, or starts it again. */
  async start(network: EvmNetwork = 'polygon', preferredPort = 0): Promise<DevChain> {
    const log = (line: string): void => void this.logged.push(line);
    const chain = await startDevChain({ network, dataDir: this.path, preferredPort, log });
    this.chains.push(chain);
    return chain;
  }

  async remove(): Promise<void> {
    await Promise.all(this.chains.map((chain) => chain.stop()));
    await rm(this.path, { recursive: true, force: true });
  }
}

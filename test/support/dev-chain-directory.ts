import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EvmDevChain, startEvmDevChain } from '../../src/devtools/devnet/evm-dev-chain.js';
import type { EvmNetwork } from '../../src/domain/network.js';
import { unsharedPort } from './unshared-port.js';

/** A data directory for development chains, which are stopped before it is removed. */
export class DevChainDirectory {
  /** What the chains have logged. */
  readonly logged: string[] = [];
  private readonly chains: EvmDevChain[] = [];

  private constructor(readonly path: string) {}

  static async create(): Promise<DevChainDirectory> {
    return new DevChainDirectory(await mkdtemp(join(tmpdir(), 'coffer-devnet-')));
  }

  /** Starts the chain of a network, or starts it again. */
  async start(network: EvmNetwork = 'polygon', preferredPort?: number): Promise<EvmDevChain> {
    const log = (line: string): void => void this.logged.push(line);
    const port = preferredPort ?? (await unsharedPort());
    const chain = await startEvmDevChain({ network, dataDir: this.path, preferredPort: port, log });
    this.chains.push(chain);
    return chain;
  }

  async remove(): Promise<void> {
    await Promise.all(this.chains.map((chain) => chain.stop()));
    await rm(this.path, { recursive: true, force: true });
  }
}

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '../../src/platform/database/database.js';
import { dataFilesOf } from '../../src/app/start/data-files.js';
import type { SeededChain } from './factories.js';
import { FakeNode } from './fake-node.js';
import { hexOf } from './probe-contracts.js';
import { genesisOf } from './served-chains.js';

const CHAIN_ID = 31_337;
const BLOCK = { number: '0x64', hash: `0x${'01'.repeat(32)}`, parentHash: `0x${'02'.repeat(32)}`, timestamp: '0x1' };
const NOWHERE = `0x${'00'.repeat(20)}`;

/** A chain of the database for commands: a node, and a data directory whose sandbox file names it. */
export class SandboxChain {
  /** The node's transaction count of every address. */
  counted = 0;

  private constructor(
    readonly dataDir: string,
    private readonly node: FakeNode,
  ) {}

  static async start(database: Database, { chainRef, network }: SeededChain): Promise<SandboxChain> {
    const [dataDir, node, genesis] = await Promise.all([
      mkdtemp(join(tmpdir(), 'coffer-commands-')),
      FakeNode.start(),
      genesisOf(database, chainRef),
    ]);
    const chain = new SandboxChain(dataDir, node);
    node.methods = {
      eth_chainId: () => hexOf(BigInt(CHAIN_ID)),
      eth_getBlockByNumber: (height) => (height === '0x0' ? { hash: genesis } : BLOCK),
      eth_getTransactionCount: () => hexOf(BigInt(chain.counted)),
      eth_getTransactionReceipt: () => null,
    };
    const sandbox = {
      api_url: node.url,
      api_key: '',
      merchant_id: '',
      networks: {
        [network]: {
          rpc_url: node.url,
          chain_id: CHAIN_ID,
          tokens: {},
          pockets: {},
          faucet: { address: NOWHERE, private_key: '' },
        },
      },
    };
    await writeFile(dataFilesOf(dataDir).sandbox, JSON.stringify(sandbox), { mode: 0o600 });
    return chain;
  }

  get url(): string {
    return this.node.url;
  }

  async stop(): Promise<void> {
    await this.node.stop();
    await rm(this.dataDir, { recursive: true });
  }
}

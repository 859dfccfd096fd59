import { join } from 'node:path';
import { coinOf, simulatedToken } from '../../../chains/networks.js';
import type { SimulatedNetwork } from '../simulated-network.js';
import type { TestToken } from './control/control-calls.js';
import type { TronControls } from './control/control-client.js';
import { tronDevAccount } from './tron-dev-accounts.js';
import { runTronChain } from './tron-process.js';

/** The port that the sandbox tries first: that of a node of Tron. */
export const TRON_PORT = 8090;
/** The usual time between two blocks. */
const BLOCK_INTERVAL_MS = 3_000;
/** A payment is final within about 3 s, as on the other development chains: `developmentTagDepth` of the catalogue. */
const SOLIDITY_DISTANCE = 2;
/** The tokens of the live network that the chain has test tokens of. */
const SYMBOLS: readonly TestToken[] = ['USDC', 'USDT'];

export interface TronDevChainOptions {
  /** The chain keeps its files in `<dataDir>/devnet`. */
  readonly dataDir: string;
  /** 0 = any free port. Later starts keep the port of the first. When it is taken, the next one is used and logged. */
  readonly preferredPort: number;
  /**
   * The pause between two blocks of a new chain, at most that of the network; 0 = only the user makes blocks. A restored chain
   * keeps its own, because its blocks are on slots.
   */
  readonly blockIntervalMs: number;
  readonly log: (line: string) => void;
}

/** A development chain of tron: a real EVM and Tron's resources behind the HTTP interfaces of a node. */
export interface TronDevChain extends SimulatedNetwork {
  readonly network: 'tron';
  /** The id of block 0. */
  readonly chainId: string;
  readonly controls: TronControls;
}

/**
 * Starts the development chain of tron with its test tokens, or adopts a running one. The caller holds the lock of the data
 * directory.
 */
export async function startTronDevChain(options: TronDevChainOptions): Promise<TronDevChain> {
  const { dataDir, preferredPort, blockIntervalMs, log } = options;
  const { url, genesisId, controls, tokens, ...chain } = await runTronChain({
    dir: join(dataDir, 'devnet'),
    preferredPort,
    blockIntervalMs: blockIntervalMs === 0 ? BLOCK_INTERVAL_MS : Math.min(BLOCK_INTERVAL_MS, blockIntervalMs),
    solidityDistance: SOLIDITY_DISTANCE,
    log,
  });
  if (blockIntervalMs === 0) await controls.pause();
  else await controls.resume();
  return {
    ...chain,
    network: 'tron',
    rpcUrl: url,
    chainId: genesisId,
    genesisHash: genesisId,
    controls,
    coin: coinOf('tron'),
    tokens: Object.fromEntries(
      SYMBOLS.map((symbol) => [symbol, { address: tokens[symbol], decimals: simulatedToken('tron', symbol).decimals }]),
    ),
    faucet: tronDevAccount('faucet'),
    sandboxPayer: tronDevAccount('sandboxPayer'),
  };
}

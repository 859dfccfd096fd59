import { join } from 'node:path';
import { coinOf, simulatedToken } from '../../../chains/networks.js';
import type { SimulatedNetwork } from '../simulated-network.js';
import type { FinalityDistance } from './finality.js';
import { SolanaControls } from './solana-controls.js';
import { solanaDevAccount } from './solana-dev-accounts.js';
import { runSolanaChain } from './solana-process.js';
import { provideTestFunds } from './test-funds.js';

/** The port that the sandbox tries first: that of Solana's own tools. */
export const SOLANA_PORT = 8899;
/** The usual time of a slot. */
const SLOT_MS = 400;
/** A payment is final within about 4 s, as on the other development chains: `developmentTagDepth` of the catalogue. */
const FINALITY: FinalityDistance = { confirmed: 1, finalized: 8 };
/** The tokens of the live network that the chain has test tokens of. */
const SYMBOLS = ['USDC', 'USDT'] as const;

export interface SolanaDevChainOptions {
  /** The chain keeps its files in `<dataDir>/devnet`. */
  readonly dataDir: string;
  /** 0 = any free port. Later starts keep the port of the first. When it is taken, the next one is used and logged. */
  readonly preferredPort: number;
  /** The pause between two blocks, at most that of the network; 0 = only the user makes blocks. */
  readonly blockIntervalMs: number;
  readonly log: (line: string) => void;
}

/** A development chain of solana: the real virtual machine behind the JSON-RPC of a node. */
export interface SolanaDevChain extends SimulatedNetwork {
  readonly network: 'solana';
  /** The genesis hash. */
  readonly chainId: string;
  readonly controls: SolanaControls;
}

/**
 * Starts the development chain of solana with its test tokens, or adopts a running one. The caller holds the lock of the
 * data directory. A restarted chain keeps the time of its slots only while its process runs.
 * @throws Error when a test token has other decimals than the live one
 */
export async function startSolanaDevChain(options: SolanaDevChainOptions): Promise<SolanaDevChain> {
  const { dataDir, preferredPort, blockIntervalMs, log } = options;
  const slotMs = blockIntervalMs === 0 ? SLOT_MS : Math.min(SLOT_MS, blockIntervalMs);
  const dir = join(dataDir, 'devnet');
  const { url, ...chain } = await runSolanaChain({ dir, preferredPort, slotMs, finality: FINALITY, log });
  const controls = new SolanaControls(url);
  if (blockIntervalMs === 0) await controls.pause();
  else await controls.resume();
  const { mints } = await controls.info();
  await provideTestFunds(url, SYMBOLS);
  return {
    ...chain,
    network: 'solana',
    rpcUrl: url,
    chainId: chain.genesisHash,
    controls,
    coin: coinOf('solana'),
    tokens: Object.fromEntries(SYMBOLS.map((symbol) => [symbol, testToken(symbol, mints)])),
    faucet: solanaDevAccount('faucet'),
    sandboxPayer: solanaDevAccount('sandboxPayer'),
  };
}

function testToken(symbol: string, mints: Readonly<Record<string, string>>): SolanaDevChain['tokens'][string] {
  const address = mints[symbol];
  if (address === undefined) throw new Error(`The solana development chain has no ${symbol}.`);
  return { address, decimals: simulatedToken('solana', symbol).decimals };
}

import type { Stablecoin } from './stablecoin.js';

/** What we offer for gas on a network, in wei per gas. */
export interface GasRule {
  /** The network rejects smaller tips, or they are so small that a quote would be zero. */
  readonly tipMin: bigint;
  /** The largest tip that we start with, whatever a node reports. Replacements raise it by their percentage. */
  readonly tipMax: bigint;
  /** The most that we sign for one gas, whatever a node reports. */
  readonly feeMax: bigint;
}

/** A stablecoin as its issuer deployed it. */
export interface IssuedToken {
  readonly symbol: Stablecoin;
  /** Lower case. */
  readonly contract: string;
  readonly decimals: 6 | 18;
}

/** A public chain, with the tokens that are offered there beside its coin. */
interface PublicEvmChain {
  readonly chainId: number;
  readonly tokens: readonly IssuedToken[];
}

/** The chain that simulates a network in the sandbox. */
interface DevelopmentEvmChain {
  /** Never the id of a real chain, so that test transactions are invalid everywhere else. */
  readonly chainId: number;
  /** The port that the sandbox tries first. */
  readonly port: number;
  /** Index of the account that deploys the tokens; never changed, and another one for each network. */
  readonly deployerIndex: number;
  /** Blocks required on top, in addition to the node's `finalized` tag. */
  readonly minDepth: number;
}

/** Everything that the service knows about a network with Ethereum's addresses and transactions. */
export interface EvmNetworkEntry {
  /** Symbol of the coin that pays the fees: it needs prices (docs/prices.md). On a test network it is worthless. */
  readonly coin: string;
  /** Address index of the hot wallet. Wallets hold funds: a number is never changed or reused. */
  readonly hotWalletIndex: number;
  /** Blocks required on top, in addition to the node's `finalized` tag. */
  readonly minDepth: number;
  /** Usual blocks from the head down to the `finalized` tag; 0 where `minDepth` alone takes longer. */
  readonly finalizedTagDepth: number;
  /** Usual time between two blocks. */
  readonly blockIntervalMs: number;
  readonly gas: GasRule;
  readonly live: PublicEvmChain;
  /** The public test network. */
  readonly sandbox: PublicEvmChain;
  readonly development: DevelopmentEvmChain;
}

const GWEI = 10n ** 9n;

const token = (symbol: Stablecoin, contract: string, decimals: 6 | 18): IssuedToken => ({ symbol, contract, decimals });

/**
 * The EVM networks, in the order that the documentation lists them. An entry is all that the service needs to offer one;
 * docs/architecture.md, "Where to add what", names what an entry cannot say.
 *
 * The depths guard against a wrong `finalized` tag: on polygon the tag has misbehaved, and a node that lost its beacon chain
 * may answer with its head. On ethereum the correct tag is at least twice as deep, so this depth costs no time. The caps of
 * gas lie above all but the worst hours of a network's history. In those hours waiting is better than paying.
 *
 * Tokens: Circle's and Tether's contract lists; BscScan for the Binance-Peg tokens. Tether issues nothing on these test
 * networks.
 */
export const EVM_CATALOGUE = {
  ethereum: {
    coin: 'ETH',
    hotWalletIndex: 0,
    minDepth: 32,
    finalizedTagDepth: 64,
    blockIntervalMs: 12_000,
    // geth's block builders ask for 0.001 gwei (go-ethereum #29895), others for more; an idle chain shows zero.
    gas: { tipMin: GWEI / 100n, tipMax: 20n * GWEI, feeMax: 300n * GWEI },
    live: {
      chainId: 1,
      tokens: [
        token('USDC', '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', 6),
        // Its `transfer` returns no data.
        token('USDT', '0xdac17f958d2ee523a2206206994597c13d831ec7', 6),
      ],
    },
    sandbox: { chainId: 11_155_111, tokens: [token('USDC', '0x1c7d4b196cb0c7b01d743fbc6116a902379c7238', 6)] },
    development: { chainId: 31_337, port: 8545, deployerIndex: 9, minDepth: 0 },
  },
  polygon: {
    coin: 'POL',
    hotWalletIndex: 1,
    minDepth: 32,
    finalizedTagDepth: 0,
    blockIntervalMs: 2_000,
    // By PIP-35 every node rejects tips below 25 gwei (bor #1290); most wallets offer 30.
    gas: { tipMin: 30n * GWEI, tipMax: 1_000n * GWEI, feeMax: 5_000n * GWEI },
    live: {
      chainId: 137,
      tokens: [
        token('USDC', '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359', 6),
        token('USDT', '0xc2132d05d31c914a87c6611c10748aeb04b58e8f', 6),
      ],
    },
    sandbox: { chainId: 80_002, tokens: [token('USDC', '0x41e94eb019c0762f9bfcf9fb1e58725bfb0e7582', 6)] },
    development: { chainId: 31_338, port: 8546, deployerIndex: 8, minDepth: 3 },
  },
  bnb: {
    coin: 'BNB',
    hotWalletIndex: 2,
    minDepth: 15,
    finalizedTagDepth: 0,
    blockIntervalMs: 450,
    // The base fee is zero, and validators require at least 0.05 gwei (BNB Chain, since October 2025).
    gas: { tipMin: GWEI / 20n, tipMax: 10n * GWEI, feeMax: 20n * GWEI },
    live: {
      chainId: 56,
      // Binance-Peg tokens, which have 18 decimals.
      tokens: [
        token('USDC', '0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d', 18),
        token('USDT', '0x55d398326f99059ff775485246999027b3197955', 18),
      ],
    },
    sandbox: { chainId: 97, tokens: [token('USDC', '0x64544969ed7ebf5f083679233325356ebe738930', 18)] },
    development: { chainId: 31_339, port: 8547, deployerIndex: 7, minDepth: 3 },
  },
} as const satisfies Readonly<Record<string, EvmNetworkEntry>>;

import { ChainUnavailable } from '../chain.js';
import { movesMessage } from './moves-message.js';
import type { SolanaConditions } from './payment-conditions.js';
import { TOKEN_PROGRAM } from './programs.js';
import { feesShape, lamportsShape, latestBlockhashShape, messageFeeShape, blockHeightShape } from './rpc-shapes.js';
import { resultOf, type SolanaRpc } from './solana-rpc.js';

/** A transaction may be in a block whose parent is this many blocks above the one that it names. */
const BLOCKHASH_AGE_MAX = 150;
const TOKEN_ACCOUNT_BYTES = 165;
const COMMITMENT = { commitment: 'confirmed' } as const;

/**
 * Returns the fees and the newest confirmed block. The block itself must agree on its hash and on how long that is valid: with
 * a wrong one, a transaction could not be proven dead.
 */
export async function currentConditions(rpc: SolanaRpc): Promise<SolanaConditions> {
  const [latest, fees, tokenRent, walletRent] = await rpc.outcomes([
    { method: 'getLatestBlockhash', params: [COMMITMENT] },
    { method: 'getRecentPrioritizationFees', params: [[]] },
    { method: 'getMinimumBalanceForRentExemption', params: [TOKEN_ACCOUNT_BYTES, COMMITMENT] },
    { method: 'getMinimumBalanceForRentExemption', params: [0, COMMITMENT] },
  ]);
  const { context, value } = resultOf(latestBlockhashShape, latest);
  const { slot } = context;
  const { blockhash, lastValidBlockHeight } = value;
  const [[block], lamportsPerSignature] = await Promise.all([
    rpc.blocksAt([slot], 'confirmed'),
    signatureFee(rpc, blockhash),
  ]);
  const named = resultOf(blockHeightShape, block);
  if (named.blockhash !== blockhash || named.blockHeight + BLOCKHASH_AGE_MAX !== lastValidBlockHeight) {
    throw new ChainUnavailable(`The node contradicts itself about the block at slot ${slot}.`);
  }
  const prices = resultOf(feesShape, fees).map(({ prioritizationFee }) => BigInt(prioritizationFee));
  return {
    slot,
    blockhash,
    lastValidBlockHeight,
    priceStandard: percentile(prices, 50),
    priceFast: percentile(prices, 90),
    lamportsPerSignature,
    rentOfTokenAccount: BigInt(resultOf(lamportsShape, tokenRent)),
    rentOfWallet: BigInt(resultOf(lamportsShape, walletRent)),
  };
}

/** The fee of a message with one signature and no price. */
async function signatureFee(rpc: SolanaRpc, blockhash: string): Promise<bigint> {
  const anybody = TOKEN_PROGRAM;
  const { bytes } = movesMessage({
    family: 'solana',
    payer: anybody,
    moves: [{ kind: 'coin', from: anybody, to: anybody, amount: 1n }],
    blockhash,
    computeUnitLimit: 1,
    computeUnitPrice: 0n,
  });
  const params = [Buffer.from(bytes).toString('base64'), COMMITMENT];
  const { value } = await rpc.ask(messageFeeShape, 'getFeeForMessage', params);
  if (value === null) throw new ChainUnavailable('The node does not know its newest blockhash.');
  return BigInt(value);
}

function percentile(values: readonly bigint[], percent: number): bigint {
  const sorted = values.toSorted((a, b) => (a < b ? -1 : 1));
  return sorted[Math.floor(((sorted.length - 1) * percent) / 100)] ?? 0n;
}

import { DomainError } from './errors.js';
import { medianOf } from './market-price.js';
import { mulDivUp } from './money.js';
import { type EvmNetwork, WEI_PER_COIN } from './network.js';
import { parsePrice } from './quote.js';
import type { FeeStrategy } from './withdrawal.js';

/** What a chain's last blocks were paid, in wei per gas. */
export interface FeeHistory {
  /** Of the next block, as the chain's own rule makes it. */
  readonly nextBaseFee: bigint;
  /** Of each block what half of its gas was tipped at most, and nine tenths of it. */
  readonly tips: readonly { readonly median: bigint; readonly high: bigint }[];
}

/** What gas costs on a chain now, in wei per gas. */
export interface GasPrices {
  readonly baseFee: bigint;
  readonly tipStandard: bigint;
  readonly tipFast: bigint;
}

/** The two fee fields of an EIP-1559 transaction, in wei per gas. */
export interface GasFees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

interface GasRule {
  /** A smaller tip is not taken by the network, or is so small that a quote would be nothing. */
  readonly tipMin: bigint;
  /** We never begin with a larger tip, whatever a node says that others tipped; replacements add their percents to it. */
  readonly tipMax: bigint;
  /** We never sign more than this for one gas, whatever a node says that the network asks for. */
  readonly feeMax: bigint;
}

const GWEI = 10n ** 9n;

// ethereum: geth's own block makers ask for 0.001 gwei (go-ethereum #29895), others for more; a dead chain shows zero.
// polygon: PIP-35 has every node refuse tips below 25 gwei (bor #1290); most wallets offer 30.
// bnb: the base fee is zero and validators take 0.05 gwei at least (BNB Chain, since October 2025).
// The caps lie above all but the worst hours of a network's history: there, waiting is better than paying.
const GAS_RULES: Readonly<Record<EvmNetwork, GasRule>> = {
  ethereum: { tipMin: GWEI / 100n, tipMax: 20n * GWEI, feeMax: 300n * GWEI },
  polygon: { tipMin: 30n * GWEI, tipMax: 1_000n * GWEI, feeMax: 5_000n * GWEI },
  bnb: { tipMin: GWEI / 20n, tipMax: 10n * GWEI, feeMax: 20n * GWEI },
};

/**
 * Gas that a payment is expected to use. A token transfer to an address that never held the token writes a new slot:
 * USDT and USDC behind its proxy use 60,000 to 63,000. A coin transfer uses 21,000, and up to 28,000 where the receiver
 * is a contract wallet.
 */
const TOKEN_TRANSFER_GAS = 65_000n;
const COIN_TRANSFER_GAS = 30_000n;

const PERCENT = 100n;
/** Two full blocks raise the base fee by 27 %: so long a transaction takes to be mined. */
const BASE_FEE_PERCENT = 125n;
/** Nodes demand 10 % more in both fields (geth), some 12.5 %. */
const REPLACEMENT_PERCENT = 115n;

/**
 * What no transaction of ours offers more than in all, gas limit times maximum fee, in wei. Nodes refuse what is beyond it
 * unless they are told otherwise (`--rpc.txfeecap` of geth, bsc, bor and erigon, `--rpc-tx-feecap` of besu: 1 coin each),
 * and a nonce that no node takes holds up all that follow.
 */
export const OFFER_MAX = WEI_PER_COIN;

/** Current gas prices by the history: the median of what was tipped, never less than the network takes, never absurd. */
export function gasPricesOf(network: EvmNetwork, { nextBaseFee, tips }: FeeHistory): GasPrices {
  const { tipMin, tipMax } = GAS_RULES[network];
  // A chain without blocks tells of no tips.
  if (tips.length === 0) return { baseFee: nextBaseFee, tipStandard: tipMin, tipFast: tipMin };
  const tipStandard = atMost(tipMax, atLeast(tipMin, medianOf(tips.map(({ median }) => median))));
  const tipFast = atMost(tipMax, atLeast(tipStandard, medianOf(tips.map(({ high }) => high))));
  return { baseFee: nextBaseFee, tipStandard, tipFast };
}

/**
 * The fee fields to sign: room for the base fee to double, and the tip. Null while the base fee leaves no room for any
 * tip below the cap: then nothing is signed.
 */
export function gasFees(network: EvmNetwork, prices: GasPrices, strategy: FeeStrategy): GasFees | null {
  const { tipMin, tipMax, feeMax } = GAS_RULES[network];
  if (prices.baseFee + tipMin > feeMax) return null;
  const tip = atMost(tipMax, tipOf(prices, strategy));
  const maxFeePerGas = atMost(feeMax, 2n * prices.baseFee + tip);
  return { maxFeePerGas, maxPriorityFeePerGas: atMost(maxFeePerGas, tip) };
}

/**
 * The fee fields of a transaction that takes the place of `last` under the same nonce: 15 % more in both, or what the
 * network asks for now when that is more. Null when that is above the cap: then `last` goes on waiting.
 */
export function replacementFeesOf(
  network: EvmNetwork,
  prices: GasPrices,
  strategy: FeeStrategy,
  last: GasFees,
): GasFees | null {
  const now = gasFees(network, prices, strategy);
  if (now === null) return null;
  const maxFeePerGas = atLeast(mulDivUp(last.maxFeePerGas, REPLACEMENT_PERCENT, PERCENT), now.maxFeePerGas);
  const tip = mulDivUp(last.maxPriorityFeePerGas, REPLACEMENT_PERCENT, PERCENT);
  if (maxFeePerGas > GAS_RULES[network].feeMax) return null;
  return { maxFeePerGas, maxPriorityFeePerGas: atLeast(tip, now.maxPriorityFeePerGas) };
}

/** What one gas is expected to cost in wei, rounded up, as a payment by `standard` is quoted. */
export function expectedGasPrice(network: EvmNetwork, prices: GasPrices): bigint {
  return mulDivUp(expectedHundredfold(network, prices, 'standard'), 1n, PERCENT);
}

/** What a payment is expected to cost in wei, rounded up: with room for the base fee to rise, and never beyond the cap. */
export function expectedFee(
  network: EvmNetwork,
  prices: GasPrices,
  { strategy, isCoin }: { readonly strategy: FeeStrategy; readonly isCoin: boolean },
): bigint {
  const gas = isCoin ? COIN_TRANSFER_GAS : TOKEN_TRANSFER_GAS;
  return mulDivUp(gas, expectedHundredfold(network, prices, strategy), PERCENT);
}

/** A hundred times what one gas is expected to cost. */
function expectedHundredfold(network: EvmNetwork, prices: GasPrices, strategy: FeeStrategy): bigint {
  const perGas = prices.baseFee * BASE_FEE_PERCENT + tipOf(prices, strategy) * PERCENT;
  return atMost(GAS_RULES[network].feeMax * PERCENT, perGas);
}

/** A fee in wei, and how to say it in a token. */
export interface TokenFeeTerms {
  readonly wei: bigint;
  readonly decimals: number;
  readonly minorUnitExponent: number;
  /** USD for one whole coin and one whole token, decimal strings; null where the token is the chain's coin itself. */
  readonly prices: { readonly coin: string; readonly token: string } | null;
}

/** A fee as a pocket is charged: whole minor units, and the same in smallest units of its token. */
export interface TokenFee {
  /** At least 1. */
  readonly minorUnits: bigint;
  readonly units: bigint;
}

/** Says a fee in a token, rounded up once to whole minor units. Throws `price_unavailable` when a price is not one. */
export function tokenFeeOf({ wei, decimals, minorUnitExponent, prices }: TokenFeeTerms): TokenFee {
  const unitsPerToken = 10n ** BigInt(decimals);
  const minorUnitsPerToken = 10n ** BigInt(minorUnitExponent);
  const { coin, token } = prices === null ? { coin: 1n, token: 1n } : scaled(prices);
  const exact = mulDivUp(wei * coin, unitsPerToken, WEI_PER_COIN * token);
  const minorUnits = atLeast(1n, mulDivUp(exact, minorUnitsPerToken, unitsPerToken));
  return { minorUnits, units: mulDivUp(minorUnits, unitsPerToken, minorUnitsPerToken) };
}

function scaled(prices: { readonly coin: string; readonly token: string }): { coin: bigint; token: bigint } {
  const [coin, token] = [parsePrice(prices.coin), parsePrice(prices.token)];
  if (coin === null || token === null) {
    throw new DomainError('price_unavailable', 'Pricing is temporarily unavailable.');
  }
  return { coin, token };
}

const tipOf = (prices: GasPrices, strategy: FeeStrategy): bigint =>
  strategy === 'fast' ? prices.tipFast : prices.tipStandard;

const atLeast = (least: bigint, value: bigint): bigint => (value > least ? value : least);

const atMost = (most: bigint, value: bigint): bigint => (value < most ? value : most);

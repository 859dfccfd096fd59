import { DomainError } from './errors.js';
import { EVM_CATALOGUE } from './evm-catalogue.js';
import { medianOf } from './market-price.js';
import { mulDivUp } from './money.js';
import type { EvmNetwork } from './network.js';
import { parsePrice } from './quote.js';
import { TRANSFER_GAS } from './transfer-gas.js';
import type { FeeStrategy } from './outgoing-payment.js';

/** The fees paid in a chain's last blocks, in wei per gas. */
export interface FeeHistory {
  /** The base fee of the next block by the chain's own rule. */
  readonly nextBaseFee: bigint;
  /** For each block, the median and the 90th percentile of the tips, weighted by gas. */
  readonly tips: readonly { readonly median: bigint; readonly high: bigint }[];
}

/** Current gas prices of a chain, in wei per gas. */
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

const PERCENT = 100n;
/** A transaction takes about two blocks to be mined, and two full blocks raise the base fee by 27 %. */
const BASE_FEE_PERCENT = 125n;
/** Nodes require 10 % more in both fields (geth), some 12.5 %. */
const REPLACEMENT_PERCENT = 115n;

/**
 * The maximum total fee of a transaction, gas limit times maximum fee, in wei. By default nodes reject a higher one
 * (`--rpc.txfeecap` of geth, bsc, bor and erigon, `--rpc-tx-feecap` of besu: 1 coin each), and a nonce that no node
 * accepts blocks all later ones.
 */
export const OFFER_MAX = 1_000_000_000_000_000_000n;

/** Derives current gas prices from the history: median tips, bounded by the network's minimum and our maximum. */
export function gasPricesOf(network: EvmNetwork, { nextBaseFee, tips }: FeeHistory): GasPrices {
  const { tipMin, tipMax } = EVM_CATALOGUE[network].gas;
  // A chain without blocks has no tips.
  if (tips.length === 0) return { baseFee: nextBaseFee, tipStandard: tipMin, tipFast: tipMin };
  const tipStandard = atMost(tipMax, atLeast(tipMin, medianOf(tips.map(({ median }) => median))));
  const tipFast = atMost(tipMax, atLeast(tipStandard, medianOf(tips.map(({ high }) => high))));
  return { baseFee: nextBaseFee, tipStandard, tipFast };
}

/**
 * Returns the fee fields to sign: room for the base fee to double, and the tip. Null while the base fee leaves no room
 * for a tip below the cap; then nothing is signed.
 */
export function gasFees(network: EvmNetwork, prices: GasPrices, strategy: FeeStrategy): GasFees | null {
  const { tipMin, tipMax, feeMax } = EVM_CATALOGUE[network].gas;
  if (prices.baseFee + tipMin > feeMax) return null;
  const tip = atMost(tipMax, tipOf(prices, strategy));
  const maxFeePerGas = atMost(feeMax, 2n * prices.baseFee + tip);
  return { maxFeePerGas, maxPriorityFeePerGas: atMost(maxFeePerGas, tip) };
}

/**
 * Returns the fee fields of a transaction that replaces `last` under the same nonce: 15 % more in both, or the current
 * fees if they are higher. Null when that exceeds the cap; then `last` keeps waiting.
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
  if (maxFeePerGas > EVM_CATALOGUE[network].gas.feeMax) return null;
  return { maxFeePerGas, maxPriorityFeePerGas: atLeast(tip, now.maxPriorityFeePerGas) };
}

/** The expected cost of one gas in wei, rounded up, as quoted for a `standard` payment. */
export function expectedGasPrice(network: EvmNetwork, prices: GasPrices): bigint {
  return mulDivUp(expectedHundredfold(network, prices, 'standard'), 1n, PERCENT);
}

/** The expected cost of a payment in wei, rounded up, with room for the base fee to rise and never above the cap. */
export function expectedFee(
  network: EvmNetwork,
  prices: GasPrices,
  { strategy, isCoin }: { readonly strategy: FeeStrategy; readonly isCoin: boolean },
): bigint {
  const { quoted } = isCoin ? TRANSFER_GAS.coin : TRANSFER_GAS.token;
  return mulDivUp(quoted, expectedHundredfold(network, prices, strategy), PERCENT);
}

/** A hundred times the expected cost of one gas. */
function expectedHundredfold(network: EvmNetwork, prices: GasPrices, strategy: FeeStrategy): bigint {
  const perGas = prices.baseFee * BASE_FEE_PERCENT + tipOf(prices, strategy) * PERCENT;
  return atMost(EVM_CATALOGUE[network].gas.feeMax * PERCENT, perGas);
}

/** A fee in smallest units of a chain's coin, and the terms to convert it to a token. */
export interface TokenFeeTerms {
  readonly fee: bigint;
  readonly coinDecimals: number;
  /** Of the token. */
  readonly decimals: number;
  readonly minorUnitExponent: number;
  /** USD for one whole coin and one whole token, decimal strings; null where the token is the chain's coin itself. */
  readonly prices: { readonly coin: string; readonly token: string } | null;
}

/** A fee as charged to a pocket: whole minor units, and the same in smallest units of its token. */
export interface TokenFee {
  /** At least 1. */
  readonly minorUnits: bigint;
  readonly units: bigint;
}

/** Converts a fee to a token, rounded up once to whole minor units. Throws `price_unavailable` for an invalid price. */
export function tokenFeeOf({ fee, coinDecimals, decimals, minorUnitExponent, prices }: TokenFeeTerms): TokenFee {
  const unitsPerToken = 10n ** BigInt(decimals);
  const minorUnitsPerToken = 10n ** BigInt(minorUnitExponent);
  const { coin, token } = prices === null ? { coin: 1n, token: 1n } : scaled(prices);
  const exact = mulDivUp(fee * coin, unitsPerToken, 10n ** BigInt(coinDecimals) * token);
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

import { deviatesBeyond, deviationBps, medianOf } from './market-price.js';
import { formatUnits } from './money.js';
import { PRICE_DECIMALS, parsePrice } from './quote.js';
import { isStablecoin } from './stablecoin.js';

/** Why a source has no part in the price; docs/prices.md explains each reason. */
export const SOURCE_REASONS = [
  'not_listed',
  'no_answer',
  'rate_limited',
  'not_a_price',
  'wide_book',
  'no_usdt_price',
  'stale',
  'ahead_of_time',
  'outlier',
  'reference',
  'veto',
] as const;
export type SourceReason = (typeof SOURCE_REASONS)[number];

/** The verdict on the sources: `agreed` and `fixed` come with a price, the others without. */
export const VERDICT_CODES = ['agreed', 'fixed', 'too_few_sources', 'no_agreement', 'vetoed'] as const;
export type VerdictCode = (typeof VERDICT_CODES)[number];

/** One source's price of one token, or why it has none. */
export type Reading = Statement | Silence;

export interface Statement {
  readonly source: string;
  /** USD for one whole token as the source wrote it; not validated yet. */
  readonly value: string;
  /** By the source's own clock if it sends a time, else the time when we received it. */
  readonly observedAtMs: number;
  /** An older price is stale. */
  readonly maxAgeMs: number;
}

export interface Silence {
  readonly source: string;
  readonly silence: SourceReason;
}

/** The rule by which sources become the price of a token. */
export interface PriceRule {
  /** The least number of fresh sources. */
  readonly quorum: number;
  /** A source that deviates more than this from the median of the fresh ones, in basis points, is dropped. */
  readonly outlierBps: bigint;
  /** A price that deviates more than this from the reference, in basis points, is vetoed. */
  readonly vetoBps: bigint;
  /** A stablecoin: an alert is raised when its price leaves 0.99 to 1.01. */
  readonly isPegged: boolean;
}

/** One source's part in a verdict. */
export interface SourceEvidence {
  readonly source: string;
  /** USD for one whole token; null when the source had no price. */
  readonly value: string | null;
  /** RFC 3339; null when the source had no price. */
  readonly observedAt: string | null;
  readonly ageSeconds: number | null;
  /** From the median of the fresh sources; for a reference, from the price. Null when there is none. */
  readonly deviationBps: number | null;
  readonly used: boolean;
  /** Why it is not used; null when it is used or could have been. */
  readonly reason: SourceReason | null;
}

/** The price of one token, or null, with the evidence for it. */
export interface PriceVerdict {
  /** USD for one whole token, decimal string. */
  readonly price: string | null;
  readonly code: VerdictCode;
  /** The median of all fresh sources, outliers included. Null when there were too few. */
  readonly median: string | null;
  readonly quorum: number;
  readonly freshSources: number;
  readonly usedSources: number;
  readonly sources: readonly SourceEvidence[];
}

/** Clocks of sources may run ahead of ours by this much. */
const CLOCK_SKEW_MS = 5_000;

const COIN: PriceRule = { quorum: 3, outlierBps: 100n, vetoBps: 200n, isPegged: false };
/**
 * Only two or three markets trade stablecoins for real dollars, so two sources are enough, and both must agree: the
 * median of two lies between them, so they may be half a percent apart at most.
 */
const STABLECOIN: PriceRule = { quorum: 2, outlierBps: 25n, vetoBps: 100n, isPegged: true };

/** The price rule of a token. */
export function priceRuleOf(token: string): PriceRule {
  return isStablecoin(token) ? STABLECOIN : COIN;
}

const PEG_MIN = 99n * 10n ** BigInt(PRICE_DECIMALS - 2);
const PEG_MAX = 101n * 10n ** BigInt(PRICE_DECIMALS - 2);

/** Whether a stablecoin costs less than 0.99 or more than 1.01 dollars. Always false for other tokens. */
export function isOffPeg(token: string, price: string): boolean {
  const scaled = parsePrice(price);
  return priceRuleOf(token).isPegged && scaled !== null && (scaled < PEG_MIN || scaled > PEG_MAX);
}

export interface Case {
  readonly rule: PriceRule;
  /** One per source that counts. */
  readonly readings: readonly Reading[];
  /** The source that can veto a price but never contributes to it. */
  readonly reference: Reading | null;
  readonly nowMs: number;
}

/**
 * Derives the price from the readings. At least `quorum` of them must be fresh. Outliers from their median are dropped,
 * and the rest must be more than half of the fresh ones. The median of the rest is the price, unless a fresh reference
 * deviates from it by more than the rule allows. So one of three sources may be wrong without moving the price.
 */
export function judgePrice({ rule, readings, reference, nowMs }: Case): PriceVerdict {
  const judged = readings.map((reading) => judge(reading, nowMs));
  const opinion = reference === null ? null : judge(reference, nowMs);
  const outcome = decide(rule, judged.filter(isFresh), opinion);
  const { code, fresh, median, kept, price } = outcome;
  return {
    price: code === 'agreed' ? textOf(price) : null,
    code,
    median: textOf(median),
    quorum: rule.quorum,
    freshSources: fresh.length,
    usedSources: code === 'agreed' ? kept.length : 0,
    sources: [
      ...judged.map((one) => marketEvidence(one, outcome, nowMs)),
      ...(opinion === null ? [] : [referenceEvidence(opinion, outcome, nowMs)]),
    ],
  };
}

/** The verdict for a fixed price, as the sandbox uses it; `price` is null for a token without one. */
export function fixedVerdict(price: string | null, nowMs: number): PriceVerdict {
  const reading: Reading =
    price === null
      ? { source: 'fixed', silence: 'not_listed' }
      : { source: 'fixed', value: price, observedAtMs: nowMs, maxAgeMs: 0 };
  const rule: PriceRule = { quorum: 1, outlierBps: 0n, vetoBps: 0n, isPegged: false };
  const judged = judgePrice({ rule, readings: [reading], reference: null, nowMs });
  return judged.code === 'agreed' ? { ...judged, code: 'fixed' } : judged;
}

interface Judged {
  readonly reading: Reading;
  readonly price: bigint | null;
  readonly reason: SourceReason | null;
}

interface Fresh extends Judged {
  readonly price: bigint;
}

interface Outcome {
  readonly code: VerdictCode;
  readonly fresh: readonly Fresh[];
  readonly median: bigint | null;
  /** Those near the median. */
  readonly kept: readonly Judged[];
  /** The median of the kept ones, vetoed or not. */
  readonly price: bigint | null;
}

function judge(reading: Reading, nowMs: number): Judged {
  if ('silence' in reading) return { reading, price: null, reason: reading.silence };
  const price = parsePrice(reading.value);
  if (price === null) return { reading, price, reason: 'not_a_price' };
  const ageMs = nowMs - reading.observedAtMs;
  if (ageMs > reading.maxAgeMs) return { reading, price, reason: 'stale' };
  return { reading, price, reason: ageMs < -CLOCK_SKEW_MS ? 'ahead_of_time' : null };
}

const isFresh = (judged: Judged): judged is Fresh => judged.price !== null && judged.reason === null;

function decide(rule: PriceRule, fresh: readonly Fresh[], opinion: Judged | null): Outcome {
  if (fresh.length < rule.quorum) return { code: 'too_few_sources', fresh, median: null, kept: [], price: null };
  const median = medianOf(fresh.map((one) => one.price));
  const kept = fresh.filter((one) => !deviatesBeyond(one.price, median, rule.outlierBps));
  if (kept.length * 2 <= fresh.length) return { code: 'no_agreement', fresh, median, kept, price: null };
  const price = medianOf(kept.map((one) => one.price));
  const isVetoed = opinion !== null && isFresh(opinion) && deviatesBeyond(opinion.price, price, rule.vetoBps);
  return { code: isVetoed ? 'vetoed' : 'agreed', fresh, median, kept, price };
}

function marketEvidence(one: Judged, { code, median, kept }: Outcome, nowMs: number): SourceEvidence {
  const isKept = kept.includes(one);
  const isOutlier = isFresh(one) && median !== null && !isKept;
  return {
    ...statementOf(one, nowMs, median),
    used: code === 'agreed' && isKept,
    reason: isOutlier ? 'outlier' : one.reason,
  };
}

function referenceEvidence(opinion: Judged, { code, price }: Outcome, nowMs: number): SourceEvidence {
  const stance = code === 'vetoed' ? 'veto' : 'reference';
  return { ...statementOf(opinion, nowMs, price), used: false, reason: opinion.reason ?? stance };
}

function statementOf(
  { reading, price }: Judged,
  nowMs: number,
  centre: bigint | null,
): Omit<SourceEvidence, 'used' | 'reason'> {
  const { source } = reading;
  if (price === null || 'silence' in reading) {
    return { source, value: null, observedAt: null, ageSeconds: null, deviationBps: null };
  }
  return {
    source,
    value: textOf(price),
    observedAt: new Date(reading.observedAtMs).toISOString(),
    ageSeconds: Math.max(0, Math.ceil((nowMs - reading.observedAtMs) / 100) / 10),
    deviationBps: centre === null ? null : deviationBps(price, centre),
  };
}

function textOf(price: bigint | null): string | null {
  return price === null ? null : formatUnits(price, PRICE_DECIMALS);
}

import type { SourceReason } from '../domain/price-verdict.js';

/** The answer of a source about one token: a price as the source wrote it, or why there is none. */
export type SourceAnswer =
  | {
      readonly value: string;
      /** By the source's own clock; null if it reports no time, and the time of its answer counts. */
      readonly observedAtMs: number | null;
    }
  | { readonly silence: SourceReason };

/** The answers of a source by token; a token that is missing is not listed there. */
export type SourceAnswers = ReadonlyMap<string, SourceAnswer>;

/** A source of prices. */
export interface PriceSource {
  readonly name: string;
  /** Prices are in dollars, or in USDT and still to be converted. */
  readonly quotedIn: 'USD' | 'USDT';
  /** `reference` can veto a price and never makes one. */
  readonly role: 'market' | 'reference';
  /** Whether it trades the token at all: it is not asked about others. */
  lists(token: string): boolean;
  /** A price of the token that is older than this is stale. */
  maxAgeMs(token: string): number;
  /**
   * Asks about tokens that it lists, in as few requests as its API allows.
   * @throws SourceFault when there is no answer that could be read.
   */
  ask(tokens: readonly string[]): Promise<SourceAnswers>;
  /** Closes its connections. */
  close(): Promise<void>;
}

/** The maximum age of a fresh price, unless a source has a rhythm of its own. */
export const FRESH_MS = 60_000;

/** A source returned no answer that could be read. The message contains no address and no key. */
export class SourceFault extends Error {
  constructor(
    readonly reason: 'no_answer' | 'rate_limited',
    message: string,
    /** How long the source asks to be left alone; null when it did not say. */
    readonly retryAfterMs: number | null = null,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'SourceFault';
  }
}

/** Converts whole seconds since 1970, as decimal text, to milliseconds; null when the text is no such number. */
export function epochMs(seconds: string): number | null {
  return /^\d{1,11}$/.test(seconds) ? Number(seconds) * 1000 : null;
}

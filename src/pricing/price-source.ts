import type { SourceReason } from '../domain/price-verdict.js';

/** What a source says of one token: a price as the source wrote it, or why there is none. */
export type SourceAnswer =
  | {
      readonly value: string;
      /** By the source's own clock; null where it tells no time, and the moment of its answer counts. */
      readonly observedAtMs: number | null;
    }
  | { readonly silence: SourceReason };

/** What a source says of the tokens it was asked about; one that is missing is not listed there. */
export type SourceAnswers = ReadonlyMap<string, SourceAnswer>;

/** A place that prices come from. */
export interface PriceSource {
  readonly name: string;
  /** Prices are in dollars, or in USDT and still to be converted. */
  readonly quotedIn: 'USD' | 'USDT';
  /** `reference` can veto a price and never makes one. */
  readonly role: 'market' | 'reference';
  /** Whether it trades the token at all: it is not asked about others. */
  lists(token: string): boolean;
  /** Older than this, what it says of the token is no price any more. */
  maxAgeMs(token: string): number;
  /**
   * Asks about tokens that it lists, in as few requests as its API allows.
   * @throws SourceFault when there is no answer that could be read.
   */
  ask(tokens: readonly string[]): Promise<SourceAnswers>;
  /** Lets go of its connections. */
  close(): Promise<void>;
}

/** What is no older than this is fresh, where a source has no rhythm of its own. */
export const FRESH_MS = 60_000;

/** A source gave no answer that could be read. The message names no address and no key. */
export class SourceFault extends Error {
  constructor(
    readonly reason: 'no_answer' | 'rate_limited',
    message: string,
    /** How long the source wants to be left alone; null when it said nothing. */
    readonly retryAfterMs: number | null = null,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'SourceFault';
  }
}

/** A moment in whole seconds since 1970, as decimal text, in milliseconds; null when it is none we could write down. */
export function epochMs(seconds: string): number | null {
  return /^\d{1,11}$/.test(seconds) ? Number(seconds) * 1000 : null;
}

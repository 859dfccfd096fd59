import type { PriceVerdict, SourceEvidence } from '../domain/price-verdict.js';

/** The form of the first stored snapshots: one source, accepted as it was. Quotes refer to them permanently. */
interface EarlierVerdict {
  readonly price: string | null;
  readonly sources: readonly { readonly source: string; readonly price: string | null; readonly at: string }[];
}

/** A verdict as `price_round.prices` holds it. */
export type StoredVerdict = PriceVerdict | EarlierVerdict;

/** Converts a stored verdict to today's form. */
export function verdictIn(stored: StoredVerdict): PriceVerdict {
  if ('code' in stored) return stored;
  const { price } = stored;
  const used = price === null ? 0 : 1;
  return {
    price,
    code: price === null ? 'too_few_sources' : 'fixed',
    median: price,
    quorum: 1,
    freshSources: used,
    usedSources: used,
    sources: stored.sources.map((answer): SourceEvidence => {
      const isUsed = answer.price !== null && answer.price === price;
      return {
        source: answer.source,
        value: answer.price,
        observedAt: answer.price === null ? null : answer.at,
        ageSeconds: null,
        deviationBps: null,
        used: isUsed,
        reason: answer.price === null ? 'no_answer' : null,
      };
    }),
  };
}

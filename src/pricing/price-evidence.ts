import type { PriceVerdict, SourceEvidence } from '../domain/price-verdict.js';

/** As the first rounds were stored: one source, believed as it was. Quotes refer to them for ever. */
interface EarlierVerdict {
  readonly price: string | null;
  readonly sources: readonly { readonly source: string; readonly price: string | null; readonly at: string }[];
}

/** A verdict as `price_round.prices` holds it. */
export type StoredVerdict = PriceVerdict | EarlierVerdict;

/** A stored verdict in today's form. */
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
    sources: stored.sources.map((told): SourceEvidence => {
      const isUsed = told.price !== null && told.price === price;
      return {
        source: told.source,
        value: told.price,
        observedAt: told.price === null ? null : told.at,
        ageSeconds: null,
        deviationBps: null,
        used: isUsed,
        reason: told.price === null ? 'no_answer' : null,
      };
    }),
  };
}

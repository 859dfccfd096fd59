import { isOffPeg, type PriceVerdict } from '../../domain/price-verdict.js';
import { presentTimeOrNull } from '../amount.js';
import type { PricesObject } from './prices.schema.js';

/** The price of a token in a snapshot that is fresh or not, with what each source said. */
export const presentPrice = (
  token: string,
  verdict: PriceVerdict,
  isFresh: boolean,
): PricesObject['prices'][number] => ({
  id: token,
  price: verdict.price,
  code: verdict.code,
  quorum: verdict.quorum,
  fresh_sources: verdict.freshSources,
  used_sources: verdict.usedSources,
  is_quotable: isFresh && verdict.price !== null,
  is_off_peg: verdict.price !== null && isOffPeg(token, verdict.price),
  sources: verdict.sources.map((said) => ({
    source: said.source,
    value: said.value,
    observed_at: presentTimeOrNull(said.observedAt),
    age_seconds: said.ageSeconds,
    deviation_bps: said.deviationBps,
    used: said.used,
    reason: said.reason,
  })),
});

import { convertPrice } from '../domain/market-price.js';
import { judgePrice, type PriceVerdict, priceRuleOf, type Reading } from '../domain/price-verdict.js';
import type { SourceReport } from './ask-sources.js';

/** Returns the verdict on each token by the reports. USDT comes first: prices quoted in USDT depend on it. */
export function verdictsOn(
  tokens: readonly string[],
  reports: readonly SourceReport[],
  nowMs: number,
): Record<string, PriceVerdict> {
  const usdt = verdictOn('USDT', reports, { usdtPrice: null, nowMs });
  const facts = { usdtPrice: usdt.price, nowMs };
  return Object.fromEntries(
    tokens.map((token) => [token, token === 'USDT' ? usdt : verdictOn(token, reports, facts)] as const),
  );
}

function verdictOn(
  token: string,
  reports: readonly SourceReport[],
  { usdtPrice, nowMs }: { readonly usdtPrice: string | null; readonly nowMs: number },
): PriceVerdict {
  const readings = reports.flatMap((report) => {
    const reading = report.readings.get(token);
    return reading === undefined
      ? []
      : [{ role: report.role, reading: report.quotedIn === 'USDT' ? inDollars(reading, usdtPrice) : reading }];
  });
  return judgePrice({
    rule: priceRuleOf(token),
    readings: readings.filter(({ role }) => role === 'market').map(({ reading }) => reading),
    reference: readings.find(({ role }) => role === 'reference')?.reading ?? null,
    nowMs,
  });
}

function inDollars(reading: Reading, usdtPrice: string | null): Reading {
  if ('silence' in reading) return reading;
  if (usdtPrice === null) return { source: reading.source, silence: 'no_usdt_price' };
  const value = convertPrice(reading.value, usdtPrice);
  return value === null ? { source: reading.source, silence: 'not_a_price' } : { ...reading, value };
}

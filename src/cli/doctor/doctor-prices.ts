import { ENVIRONMENTS, type Environment } from '../../domain/network.js';
import { isOffPeg, type PriceVerdict } from '../../domain/price-verdict.js';
import type { MarketPrices, PriceMarket } from '../../pricing/price-market.service.js';
import type { SourceReport } from '../../pricing/ask-sources.js';
import { fail, type Finding, ok, warn } from './doctor-finding.js';

const ADVICE = 'docs/prices.md explains every reason';

/** Asks the price sources about the tokens on offer, like the next price snapshot, but stores nothing. */
export async function checkPrices(market: PriceMarket): Promise<Finding[]> {
  try {
    const findings: Finding[] = [];
    for (const environment of ENVIRONMENTS) {
      const prices = await market.price(environment);
      if (prices !== null) findings.push(...findingsOf(environment, prices));
    }
    return findings;
  } finally {
    await market.close();
  }
}

function findingsOf(environment: Environment, { reports, verdicts }: MarketPrices): Finding[] {
  const tokens = Object.entries(verdicts);
  if (tokens.length === 0) return [];
  return [
    ...reports.map((report) => checkSource(environment, report)),
    ...tokens.map(([token, verdict]) => checkPrice(environment, token, verdict)),
  ];
}

function checkSource(environment: Environment, { source, readings, fault }: SourceReport): Finding {
  const name = `price source ${environment}/${source}`;
  if (fault !== null)
    return warn(name, fault.message, 'check that this machine reaches it; the other sources replace one that fails');
  const priced = [...readings].flatMap(([token, reading]) => ('silence' in reading ? [] : [token]));
  return ok(name, priced.length === 0 ? 'has no price of a token on offer' : `has prices of ${priced.join(', ')}`);
}

function checkPrice(environment: Environment, token: string, verdict: PriceVerdict): Finding {
  const name = `price ${environment}/${token}`;
  const { price, code, usedSources, quorum } = verdict;
  if (price === null) {
    const said = verdict.sources.map(({ source, reason }) => `${source} ${reason ?? 'fresh'}`);
    const detail = `none (${code}; needs ${quorum} fresh sources): ${said.join(', ') || 'PRICE_SOURCES names no source'}`;
    return fail(name, detail, ADVICE);
  }
  const detail = `${price} USD (${code === 'fixed' ? 'fixed' : `${usedSources} sources agree`})`;
  return isOffPeg(token, price)
    ? warn(name, `${detail}: off its peg`, 'decide whether to accept it')
    : ok(name, detail);
}

import { NETWORK_PROFILES } from '../../src/chains/networks.js';
import { EVM_NETWORKS, NATIVE_COIN } from '../../src/domain/network.js';
import { parseConfig, PRICE_SOURCE_NAMES } from '../../src/platform/config.js';
import { ConfiguredSources } from '../../src/pricing/configured-sources.js';
import { fixedPrice } from '../../src/pricing/fixed-prices.js';
import { SOURCE_REASONS, VERDICT_CODES } from '../../src/domain/price-verdict.js';
import { readDocument, tableUnder } from '../support/markdown.js';

const document = readDocument('docs/prices.md');
const namesUnder = (heading: string) => tableUnder(document, heading).map(([name = '']) => name);

it('docs/prices.md has every source, every verdict and every reason', () => {
  expect(namesUnder('Sources')).toEqual(PRICE_SOURCE_NAMES);
  expect(namesUnder('The evidence of a quote')).toEqual(VERDICT_CODES);
  expect(namesUnder('Reasons')).toEqual(SOURCE_REASONS);
});

/** Every token on offer: coins first, then the others. */
function tokensOnOffer(): string[] {
  const tokens = NETWORK_PROFILES.flatMap((profile) => profile.tokens);
  const [coins, others] = [true, false].map((isCoin) =>
    tokens.filter(({ contract }) => (contract === NATIVE_COIN) === isCoin).map(({ symbol }) => symbol),
  );
  return [...new Set([...(coins ?? []), ...(others ?? [])])];
}

it('docs/prices.md has the tokens that every source lists', async () => {
  const rpc = EVM_NETWORKS.map((network) => [`LIVE_${network.toUpperCase()}_RPC_URL`, 'http://127.0.0.1:1']);
  const market = PRICE_SOURCE_NAMES.filter((name) => name !== 'fixed' && name !== 'none').join(',');
  const config = parseConfig({
    ...Object.fromEntries(rpc),
    DATABASE_URL: 'postgres://127.0.0.1:1/coffer',
    PRICE_SOURCES: market,
    SECRETS_KEY: '0'.repeat(64),
  });
  const sources = new ConfiguredSources(config);
  const listed = sources
    .of('live')
    .map(({ source }) => [source.name, tokensOnOffer().filter((token) => source.lists(token))] as const);
  await sources.close();
  const documented = tableUnder(document, 'Sources').map(([name, , tokens = '']) => [name, tokens.split(';')[0]]);
  expect(documented).toEqual([
    ...listed.map(([name, tokens]) => [name, tokens.join(', ')]),
    ['fixed', 'all'],
    ['none', 'none'],
  ]);
  expect(tokensOnOffer().filter((token) => fixedPrice(token) === null)).toEqual([]);
});

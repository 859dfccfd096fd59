import { PRICE_SOURCE_NAMES } from '../../src/platform/config.js';
import { SOURCE_REASONS, VERDICT_CODES } from '../../src/domain/price-verdict.js';
import { readDocument, tableUnder } from '../support/markdown.js';

const document = readDocument('docs/prices.md');
const namesUnder = (heading: string) => tableUnder(document, heading).map(([name = '']) => name);

it('docs/prices.md has every source, every verdict and every reason', () => {
  expect(namesUnder('Sources')).toEqual(PRICE_SOURCE_NAMES);
  expect(namesUnder('The evidence of a quote')).toEqual(VERDICT_CODES);
  expect(namesUnder('Reasons')).toEqual(SOURCE_REASONS);
});

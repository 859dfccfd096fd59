import { STANDINGS } from '../../src/domain/outgoing-payment.js';
import { readDocument, tableUnder } from '../support/markdown.js';

it('docs/operations.md has a row for every standing of a withdrawal', () => {
  const rows = tableUnder(readDocument('docs/operations.md'), 'Stuck withdrawal');
  const documented = rows.flatMap(([standings = '']) => standings.split(', '));
  expect(new Set(documented)).toEqual(new Set(Object.keys(STANDINGS)));
});

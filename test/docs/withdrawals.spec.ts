import { STANDINGS } from '../../src/domain/withdrawal.js';
import { readDocument, tableUnder } from '../support/markdown.js';

it('tells operators what to look at for everything that a withdrawal can wait for', () => {
  const rows = tableUnder(readDocument('docs/operations.md'), 'Stuck withdrawal');
  const told = rows.flatMap(([standings = '']) => standings.split(', '));
  expect(new Set(told)).toEqual(new Set(Object.keys(STANDINGS)));
});

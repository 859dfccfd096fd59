import { STANDINGS } from '../../src/domain/outgoing-payment.js';
import { REFUND_STANDINGS } from '../../src/suspense/refunds/refund-standing.js';
import { readDocument, sectionOf } from '../support/markdown.js';

it('docs/operations.md names every standing that refunds have beyond those of withdrawals', () => {
  const own = Object.keys(REFUND_STANDINGS).filter((standing) => !(standing in STANDINGS));
  const section = sectionOf(readDocument('docs/operations.md'), 'Refunds');
  expect(own.filter((standing) => !section.includes(`\`${standing}\``))).toEqual([]);
});

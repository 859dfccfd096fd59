import { parseTraceparent, requestContext } from './request-context.js';

const VALID = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('parseTraceparent', () => {
  it('takes a valid header, and one of a later version with more fields', () => {
    expect(parseTraceparent(VALID)).toBe(VALID);
    expect(parseTraceparent(`01${VALID.slice(2)}-more`)).toBe(`01${VALID.slice(2)}-more`);
  });

  it.each([
    ['absent', undefined],
    ['sent twice', `${VALID}, ${VALID}`],
    ['version ff', `ff${VALID.slice(2)}`],
    ['more fields in version 00', `${VALID}-more`],
    ['upper case', VALID.toUpperCase()],
    ['a trace id of zeros', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`],
    ['a parent id of zeros', `00-0af7651916cd43dd8448eb211c80319c-${'0'.repeat(16)}-01`],
  ])('ignores one that is %s', (_why, header) => {
    expect(parseTraceparent(header)).toBeUndefined();
  });
});

it('there is no request context outside of a request', () => {
  expect(requestContext()).toBeUndefined();
});

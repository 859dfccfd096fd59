import { inRequest } from '../../test/support/in-request.js';
import { requestContext } from './request-context.js';

const VALID = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** Returns the trace of a request with this header. */
const traceOf = (traceparent: string | undefined): Promise<string | undefined> =>
  inRequest(traceparent, () => requestContext()?.traceparent);

describe('the header traceparent', () => {
  it('is kept when it is valid, also of a later version with more fields', async () => {
    expect(await traceOf(VALID)).toBe(VALID);
    expect(await traceOf(`01${VALID.slice(2)}-more`)).toBe(`01${VALID.slice(2)}-more`);
  });

  it.each([
    ['absent', undefined],
    ['sent twice', `${VALID}, ${VALID}`],
    ['version ff', `ff${VALID.slice(2)}`],
    ['more fields in version 00', `${VALID}-more`],
    ['upper case', VALID.toUpperCase()],
    ['a trace id of zeros', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`],
    ['a parent id of zeros', `00-0af7651916cd43dd8448eb211c80319c-${'0'.repeat(16)}-01`],
  ])('is ignored when it is %s', async (_why, header) => {
    expect(await traceOf(header)).toBeUndefined();
  });
});

it('outside a request there is no context', () => {
  expect(requestContext()).toBeUndefined();
});

import type { Request, Response } from 'express';
import { openRequestContext, requestContext } from './request-context.js';

const VALID = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** The trace of a request with this header. */
function traceOf(traceparent: string | undefined): string | undefined {
  const request = { headers: { traceparent } } as unknown as Request;
  let trace: string | undefined;
  openRequestContext(request, { setHeader: () => undefined } as unknown as Response, () => {
    trace = requestContext()?.traceparent;
  });
  return trace;
}

describe('the header traceparent', () => {
  it('is kept when it is valid, also of a later version with more fields', () => {
    expect(traceOf(VALID)).toBe(VALID);
    expect(traceOf(`01${VALID.slice(2)}-more`)).toBe(`01${VALID.slice(2)}-more`);
  });

  it.each([
    ['absent', undefined],
    ['sent twice', `${VALID}, ${VALID}`],
    ['version ff', `ff${VALID.slice(2)}`],
    ['more fields in version 00', `${VALID}-more`],
    ['upper case', VALID.toUpperCase()],
    ['a trace id of zeros', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`],
    ['a parent id of zeros', `00-0af7651916cd43dd8448eb211c80319c-${'0'.repeat(16)}-01`],
  ])('is ignored when it is %s', (_why, header) => {
    expect(traceOf(header)).toBeUndefined();
  });
});

it('outside a request there is no context', () => {
  expect(requestContext()).toBeUndefined();
});

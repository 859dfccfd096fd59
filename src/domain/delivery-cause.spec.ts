import { DELIVERY_FAULTS, describeCause, suggestsWrongSecret } from './delivery-cause.js';

describe('the cause of a dead letter', () => {
  it.each([
    [401, null, '401: probably a wrong secret'],
    [404, null, '404: probably a wrong path in the URL'],
    [301, null, '301: the URL redirects, and redirects are not followed'],
    [418, null, '418: the receiver refuses the request'],
    [500, null, '500: the receiver fails'],
    [799, null, '799: the answer is no HTTP status'],
    [null, 'dns', 'The host name does not resolve'],
    [null, 'timeout', 'No answer in time'],
    [null, 'reset', 'Connection closed by the receiver before it answered'],
    [null, 'target_not_allowed', 'Private address: the service does not connect to it'],
    [null, null, 'No attempt was recorded'],
  ] as const)('of %p and %p is "%s"', (responseStatus, fault, text) => {
    expect(describeCause({ responseStatus, fault })).toBe(text);
  });

  it.each(DELIVERY_FAULTS)('describes the fault %s in words, without its code', (fault) => {
    const text = describeCause({ responseStatus: null, fault });
    expect(text).toMatch(/^[A-Z][^_]+$/);
    expect(text).not.toMatch(new RegExp(`^${fault}:`, 'i'));
  });

  it('suggests a wrong secret for 401 and 403 alone', () => {
    const suspected = [200, 400, 401, 403, 404, 500].filter((responseStatus) =>
      suggestsWrongSecret({ responseStatus, fault: null }),
    );
    expect(suspected).toEqual([401, 403]);
  });
});

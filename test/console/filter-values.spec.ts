import { EVENT_TYPES, RESPONSES, STATUSES } from '../../admin-ui/src/features/deliveries/delivery-search.js';
import { ANSWERS, CODES, METHODS } from '../../admin-ui/src/features/requests/requests-search.js';
import { DELIVERY_STATUSES } from '../../src/domain/delivery-status.js';
import { EVENT_TYPES as SENT_TYPES } from '../../src/domain/event-type.js';
import { ERROR_CATALOGUE } from '../../src/http/error-catalogue.js';
import { listRequestsQuery } from '../../src/request-log/request-filter.schema.js';
import { listDeliveriesQuery } from '../../src/admin/deliveries/deliveries.schema.js';

const sorted = (values: readonly string[]): string[] => values.toSorted((a, b) => (a < b ? -1 : 1));

describe('the filters of deliveries in the console', () => {
  it('offer every type of event and every status that the service has', () => {
    expect(sorted(EVENT_TYPES)).toEqual(sorted(SENT_TYPES));
    expect(sorted(STATUSES)).toEqual(sorted(DELIVERY_STATUSES));
  });

  it('offer classes of answers that the service takes', () => {
    for (const response of RESPONSES) expect(listDeliveriesQuery.safeParse({ response }).success).toBe(true);
  });
});

describe('the filters of the request log in the console', () => {
  /** What the log leaves out, what no caller can get, and what only the console answers. */
  const NEVER_LOGGED = [401, 404, 405, 429];

  it('offer every code that a logged request can have', () => {
    const codes = Object.entries(ERROR_CATALOGUE)
      .filter(([code, { status }]) => !NEVER_LOGGED.includes(status) && code !== 'step_up_required')
      .map(([code]) => code);
    expect(sorted(CODES)).toEqual(sorted([...codes, 'no_answer']));
  });

  it('offer what the service takes', () => {
    for (const status of ANSWERS) expect(listRequestsQuery.safeParse({ status }).success).toBe(true);
    for (const code of CODES) expect(listRequestsQuery.safeParse({ error_code: code }).success).toBe(true);
    for (const method of METHODS) expect(listRequestsQuery.safeParse({ method }).success).toBe(true);
  });
});

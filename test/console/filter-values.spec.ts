import { EVENT_TYPES, RESPONSES, STATUSES } from '../../admin-ui/src/features/deliveries/delivery-search.js';
import { DELIVERY_STATUSES } from '../../src/domain/delivery-status.js';
import { EVENT_TYPES as SENT_TYPES } from '../../src/domain/event-type.js';
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

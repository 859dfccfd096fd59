import { EventsService } from '../../src/events/events.service.js';
import { eventuallyPasses } from '../support/eventually.js';
import { query } from '../support/sql.js';
import type { ConsoleService } from './console-service.js';

/** Records events of a merchant, and waits until each delivery is delivered or dead-lettered. */
export async function publishAndDeliver(
  { service, database }: Pick<ConsoleService, 'service' | 'database'>,
  merchantId: string,
  count: number,
  resourceId = 'pi_1',
): Promise<void> {
  const tenant = { merchantId, environment: 'sandbox' as const };
  const data = { id: resourceId, note: '<i>from the merchant</i>' };
  const event = { tenant, type: 'payment_intent.completed' as const, resourceId, data };
  await database.transaction((tx) =>
    service.get(EventsService).recordAll(
      tx,
      Array.from({ length: count }, () => event),
    ),
  );
  await eventuallyPasses(async () => {
    const [left] = await query<{ count: number }>(
      database,
      `select (select count(*) from event where sequence is null)::int
              + (select count(*) from delivery where status = 'pending')::int as count`,
    );
    expect(left?.count).toBe(0);
  });
}

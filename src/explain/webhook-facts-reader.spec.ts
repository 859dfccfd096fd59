import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { aMerchant } from '../../test/support/factories.js';
import type { Tenant } from '../domain/tenant.js';
import { WebhookFactsReader } from './webhook-facts-reader.service.js';

let db: TestDatabase;
let tenant: Tenant;
beforeAll(async () => {
  db = await freshDatabase();
  tenant = await aMerchant(db.database);
});
afterAll(() => db.drop());

const anEvent = (id: string, type: string) =>
  db.query(
    `insert into event (id, merchant_id, environment, type, resource_id, data)
     values ($1, $2, $3, $4, 'pi_1', '{}')`,
    [id, tenant.merchantId, tenant.environment, type],
  );

interface Traits {
  readonly types: string;
  readonly environment?: string;
  readonly isDeleted?: boolean;
}

const anEndpoint = (id: string, second: number, { types, environment = 'sandbox', isDeleted = false }: Traits) =>
  db.query(
    `insert into webhook_endpoint (id, merchant_id, environment, url, event_types, enabled, secret, created_at,
       updated_at, deleted_at)
     values ($1, $2, $3, 'https://example.com/hook', $4::text[], false, '', to_timestamp($5::int), now(),
       case when $6::boolean then now() end)`,
    [id, tenant.merchantId, environment, types, second, isDeleted],
  );

const read = () => new WebhookFactsReader({ webhooks: { timeoutMs: 400 } }).read(db.database.em(), tenant, 'pi_1');

it('reads the endpoints that are subscribed to completions, the oldest first, once the intent has completed', async () => {
  await anEndpoint('we_all', 2, { types: '{*}' });
  await anEndpoint('we_completed', 1, { types: '{payment_intent.failed,payment_intent.completed}' });
  await anEndpoint('we_failed', 3, { types: '{payment_intent.failed}' });
  await anEndpoint('we_deleted', 4, { types: '{*}', isDeleted: true });
  await anEndpoint('we_live', 5, { types: '{*}', environment: 'live' });
  await anEvent('evt_1', 'payment_intent.processing');
  expect(await read()).toMatchObject({ endpoints: [] });
  await anEvent('evt_2', 'payment_intent.completed');
  const { endpoints, attemptTimeoutMs } = await read();
  expect(attemptTimeoutMs).toBe(400);
  expect(endpoints).toEqual([
    { id: 'we_completed', url: 'https://example.com/hook', isEnabled: false },
    { id: 'we_all', url: 'https://example.com/hook', isEnabled: false },
  ]);
});

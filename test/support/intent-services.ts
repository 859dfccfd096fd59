import type { Tenant } from '../../src/domain/tenant.js';
import { EventsService } from '../../src/events/events.service.js';
import { AddressAssignment } from '../../src/payments/intents/address-assignment.service.js';
import { IntentReader } from '../../src/payments/intents/intent-reader.service.js';
import { OpenIntents } from '../../src/payments/intents/open-intents.service.js';
import type { CreateIntentBody, PaymentIntentObject } from '../../src/payments/intents/payment-intent.schema.js';
import { PaymentIntentsService } from '../../src/payments/intents/payment-intents.service.js';
import { NetworkViews } from '../../src/offers/network-views.service.js';
import { parseConfig } from '../../src/platform/config.js';
import type { Database } from '../../src/platform/database/database.js';
import { PricingService } from '../../src/pricing/pricing.service.js';
import { AddressPool } from '../../src/payments/addresses/address-pool.service.js';
import { RecordingQueue } from './recording-queue.js';
import { writePlanned } from './write-planned.js';

const ORDER: CreateIntentBody = { amount_cents: 2500, currency: 'USD', network: 'polygon', token: 'USDC' };

/** The API's operations on intents, on a database and without HTTP. Caches are cold: each call makes a new process. */
export function intentsOn(database: Database, env: Readonly<Record<string, string>> = {}) {
  const wakes = new RecordingQueue();
  const networks = new NetworkViews(database);
  const pricing = new PricingService(database);
  const reader = new IntentReader(database, networks);
  const intents = new PaymentIntentsService(
    networks,
    new EventsService(wakes.queue),
    reader,
    pricing,
    parseConfig(env),
  );
  const addresses = new AddressAssignment(
    database,
    networks,
    pricing,
    new AddressPool(database, wakes.queue),
    new OpenIntents(parseConfig(env)),
    reader,
  );
  return { intents, addresses, reader, networks, wakes };
}

/** Creates an intent as the API does: of 25 US dollars in USDC on polygon, unless `body` says otherwise. */
export async function createdIntent(
  database: Database,
  tenant: Tenant,
  body: Partial<CreateIntentBody> = {},
  env: Readonly<Record<string, string>> = {},
): Promise<PaymentIntentObject> {
  const { intents } = intentsOn(database, env);
  return writePlanned(database, await intents.planCreate(tenant, { ...ORDER, ...body }));
}

/** Confirms an intent as the API does. */
export function confirmedIntent(database: Database, tenant: Tenant, id: string): Promise<PaymentIntentObject> {
  const { intents } = intentsOn(database);
  return database.transaction((tx) => intents.confirm(tx, tenant, id));
}

import { EventsService } from '../../src/events/events.service.js';
import { AddressAssignment } from '../../src/payments/intents/address-assignment.service.js';
import { IntentReader } from '../../src/payments/intents/intent-reader.service.js';
import { OpenIntents } from '../../src/payments/intents/open-intents.service.js';
import { PaymentIntentsService } from '../../src/payments/intents/payment-intents.service.js';
import { NetworkViews } from '../../src/offers/network-views.service.js';
import { parseConfig } from '../../src/platform/config.js';
import type { Database } from '../../src/platform/database/database.js';
import { PricingService } from '../../src/pricing/pricing.service.js';
import { AddressPool } from '../../src/payments/addresses/address-pool.service.js';
import { RecordingQueue } from './recording-queue.js';

/** The API's operations on intents, on a database and without HTTP. Caches are cold: each call makes a new process. */
export function intentsOn(database: Database, env: Readonly<Record<string, string>> = {}) {
  const wakes = new RecordingQueue();
  const networks = new NetworkViews(database);
  const reader = new IntentReader(database, networks);
  const intents = new PaymentIntentsService(networks, new EventsService(wakes.queue), reader, parseConfig(env));
  const addresses = new AddressAssignment(
    database,
    networks,
    new PricingService(database),
    new AddressPool(database, wakes.queue),
    new OpenIntents(parseConfig(env)),
    reader,
  );
  return { intents, addresses, reader, networks, wakes };
}

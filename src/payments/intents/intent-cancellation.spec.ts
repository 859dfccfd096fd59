import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import {
  aChain,
  aDeposit,
  aMerchant,
  anIntent,
  type SeededChain,
  type SeededIntent,
} from '../../../test/support/factories.js';
import { intentsOn } from '../../../test/support/intent-services.js';
import { stateOf } from '../../../test/support/settlement.js';
import { EventsService } from '../../events/events.service.js';
import type { Database } from '../../platform/database/database.js';
import { IntentCancellation } from './intent-cancellation.service.js';
import type { PaymentIntentObject } from './payment-intent.schema.js';

let db: TestDatabase;
let database: Database;
let chain: SeededChain;

beforeAll(async () => {
  db = await freshDatabase();
  database = db.database;
  chain = await aChain(database);
});
afterAll(() => db.drop());

const open = async (): Promise<SeededIntent> => anIntent(database, { tenant: await aMerchant(database), chain });

function cancel({ id }: SeededIntent): Promise<PaymentIntentObject> {
  const { reader, wakes } = intentsOn(database);
  const cancellation = new IntentCancellation(new EventsService(wakes.queue), reader);
  return database.transaction((tx) => cancellation.cancel(tx, id));
}

describe('cancelling an intent', () => {
  it('ends it, and records the event [spec 3.1]', async () => {
    const intent = await open();
    expect(await cancel(intent)).toMatchObject({ status: 'cancelled' });
    expect(await stateOf(database, intent)).toMatchObject({ status: 'cancelled', events: ['cancelled'] });
  });

  it.each(['seen', 'confirmed'] as const)('is refused once a payment is %s [spec 3.1]', async (status) => {
    const intent = await open();
    await aDeposit(database, intent, { status });
    await expect(cancel(intent)).rejects.toMatchObject({ code: 'invalid_state_transition' });
    expect(await stateOf(database, intent)).toMatchObject({ status: 'requires_action', events: [] });
  });

  it('is allowed when a reorg took the payment back', async () => {
    const intent = await open();
    await aDeposit(database, intent, { status: 'orphaned' });
    expect(await cancel(intent)).toMatchObject({ status: 'cancelled' });
  });
});

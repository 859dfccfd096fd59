import { MikroORM } from '@mikro-orm/postgresql';
import { MIGRATIONS } from '../../migrations/list.js';
import { checkRules } from '../../src/auditor/books-verification.js';
import { ENTITIES } from '../../src/app/entities.js';
import { DepositBooking } from '../../src/payments/intents/deposit-booking.service.js';
import { depositsOf } from '../../src/payments/intents/intent-deposits.js';
import { PaymentIntent } from '../../src/payments/intents/payment-intent.entity.js';
import { LedgerService } from '../../src/ledger/ledger.service.js';
import { PocketsService } from '../../src/ledger/pockets.service.js';
import { Database } from '../../src/platform/database/database.js';
import { migrate, migrationsBefore } from '../support/migrate.js';
import { ormOptions } from '../../src/platform/database/orm.config.js';
import { DepositOperations } from '../../src/suspense/deposit-operations.service.js';
import { freshDatabase } from '../support/database-url.js';
import { aChain, aDeposit, aMerchant, anIntent, type SeededChain, type SeededIntent } from '../support/factories.js';
import { confirmAsListed, listExactly } from '../support/listed-senders.js';
import { depositOperationsOn, settlementOn, stateOf } from '../support/settlement.js';
import { query } from '../support/sql.js';

const BEFORE = migrationsBefore('payments-on-hold');
const ORDER = { actor: 'a test', reason: 'none' };

let url: string;
let drop: () => Promise<void>;
let orm: MikroORM;
let database: Database;
let chain: SeededChain;
let listing: string;

beforeAll(async () => {
  ({ url, drop } = await freshDatabase());
  await migrate(url, ENTITIES, BEFORE);
  orm = await MikroORM.init(ormOptions({ url, poolMax: 4, entities: ENTITIES, migrations: [] }));
  database = new Database(orm);
  chain = await aChain(database);
  [listing = ''] = await listExactly(database, `0x${'ad'.repeat(20)}`);
});
afterAll(async () => {
  await orm.close(true);
  await drop();
});

const AUDIT_COLUMNS = ['address', 'request_id', 'environment', 'role', 'before', 'after'];

/** An intent with a final payment of a listed sender, booked as frozen by the previous version. */
async function paidByListed(): Promise<{ readonly intent: SeededIntent; readonly deposit: string }> {
  const intent = await anIntent(database, { tenant: await aMerchant(database), chain });
  const deposit = await aDeposit(database, intent);
  await confirmAsListed(database, deposit, listing);
  // The booking of today reads columns that the previous version does not have.
  await query(database, `alter table deposit add column account text, add column other_senders text[]`);
  await database.transaction(async (tx) => {
    const [row] = await query<Record<string, unknown>>(tx, `select * from payment_intent where id = $1`, [intent.id]);
    const deposits = (await depositsOf(tx, [intent.id])).get(intent.id) ?? [];
    for (const each of deposits) each.late = false;
    const booking = new DepositBooking(new LedgerService(), new PocketsService());
    const booked = [...(await booking.markBooked(tx, deposits))];
    await booking.post(tx, [{ intent: orm.em.fork().map(PaymentIntent, row ?? {}), booked }]);
    await query(tx, `update payment_intent set status = 'processing' where id = $1`, [intent.id]);
  });
  await query(database, `alter table deposit drop column account, drop column other_senders`);
  return { intent, deposit };
}

/** Completes it by that payment, like a worker of the previous version. */
async function complete({ id, tenant }: SeededIntent): Promise<void> {
  await query(
    database,
    `update payment_intent set status = 'completed', completed_at = now(), received_amount_cents = amount_cents,
            received_crypto_amount = crypto_amount where id = $1`,
    [id],
  );
  await query(
    database,
    `insert into event (id, merchant_id, environment, type, resource_id, data)
     values ('evt_' || $1::text, $2, 'sandbox', 'payment_intent.completed', $1, '{}')`,
    [id, tenant.merchantId],
  );
}

/** The decisions of the previous version, which did not check the intent. */
function operationsOfBefore(): DepositOperations {
  const unaware = settlementOn(database);
  unaware.settleIn = () => Promise.resolve();
  return new DepositOperations(new LedgerService(), new PocketsService(), unaware);
}

async function broken(): Promise<readonly string[]> {
  const { rules } = await database.transaction((tx) => checkRules(tx));
  return rules.filter(({ finding }) => finding !== null).map(({ name }) => name);
}

const factOf = async (deposit: string): Promise<object | undefined> => {
  const [row] = await query<{ late: boolean; held_as: string | null; counted: boolean }>(
    database,
    `select late, held_as, exists (select from counted_on_hold where deposit_id = deposit.id) as counted
       from deposit where id = $1`,
    [deposit],
  );
  return row;
};

it('intents that money on hold completed before stay completed, and the audit accepts them [K-151] [G-98]', async () => {
  const counted = await paidByListed();
  await complete(counted.intent);
  const released = await paidByListed();
  // So does its audit.
  await query(database, `alter table audit_entry ${AUDIT_COLUMNS.map((name) => `add column ${name} text`).join()}`);
  await database.transaction((tx) => operationsOfBefore().release(tx, released.deposit, ORDER));
  await query(database, `alter table audit_entry ${AUDIT_COLUMNS.map((name) => `drop column ${name}`).join()}`);
  // Nor was it marked.
  await query(database, `delete from dirty_intent`);
  const waiting = await paidByListed();

  await migrate(url, ENTITIES, MIGRATIONS);
  const state = { late: false, held_as: 'frozen', counted: true };
  expect(await factOf(counted.deposit)).toEqual(state);
  expect(await factOf(released.deposit)).toEqual({ ...state, held_as: null, counted: false });
  expect(await factOf(waiting.deposit)).toEqual({ ...state, counted: false });
  expect(await broken()).toEqual([]);
  const again = query(database, `insert into counted_on_hold values ($1)`, [waiting.deposit]);
  await expect(again).rejects.toThrow('append-only');
  const marked = await query<{ intent_id: string }>(database, `select intent_id from dirty_intent`);
  expect(marked).toEqual([{ intent_id: waiting.intent.id }]);

  const settlement = settlementOn(database);
  for (const { intent } of [counted, released, waiting]) await settlement.settle(intent.id);
  expect(await stateOf(database, counted.intent)).toMatchObject({
    status: 'completed',
    receivedCents: 2500,
    pocket: 0n,
  });
  expect(await stateOf(database, released.intent)).toMatchObject({ status: 'completed', receivedCents: 2500 });
  expect(await stateOf(database, waiting.intent)).toMatchObject({ status: 'processing', receivedCents: 0 });

  // It counted for its intent, so it is not late money once it is released.
  await database.transaction((tx) => depositOperationsOn(database).release(tx, counted.deposit, ORDER));
  expect(await factOf(counted.deposit)).toEqual({ ...state, held_as: null });
  expect(await broken()).toEqual([]);
});

import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aChain, aDeposit, aMerchant, anIntent } from '../../../test/support/factories.js';
import { query } from '../../../test/support/sql.js';
import { Deposit } from '../../payments/deposits/deposit.entity.js';
import { PaymentIntent } from '../../payments/intents/payment-intent.entity.js';
import { sql } from '../sql/sql.js';
import { every, table } from '../sql/table.js';
import { row } from './database.js';
import { entityOf } from './entity-of.js';

let db: TestDatabase;
beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(() => db.drop());

const intents = table(PaymentIntent);
const intentRow = (id: string) => sql`select ${every(intents)} from ${intents} where ${intents.id} = ${id}`;

const LARGEST = 2n ** 256n - 1n;

async function seed() {
  const { database } = db;
  const chain = await aChain(database, { network: 'bnb', decimals: 18 });
  const intent = await anIntent(database, { tenant: await aMerchant(database), chain, amountCents: 10 ** 12 });
  const deposit = await aDeposit(database, intent, { amount: LARGEST, blockHeight: 2 ** 40 });
  await query(database, `update chain set active = false`);
  return { intent, deposit };
}

describe('the columns of money', () => {
  it('hold any amount of a chain exactly, as bigint [H-105]', async () => {
    const { deposit } = await seed();
    const em = db.orm.em.fork();
    const of = table(Deposit);
    const found = await row(em, sql`select ${every(of)} from ${of} where ${of.id} = ${deposit}`);
    const read = entityOf(em, Deposit, found);
    expect([read.amount, read.blockHeight]).toEqual([LARGEST, 2 ** 40]);
    expect(await db.orm.em.fork().findOneOrFail(Deposit, deposit)).toMatchObject({ amount: LARGEST });
  });

  it('hold fiat amounts as exact numbers, and times as dates', async () => {
    const { intent } = await seed();
    const em = db.orm.em.fork();
    expect(entityOf(em, PaymentIntent, await row(em, intentRow(intent.id)))).toMatchObject({
      amountCents: 10 ** 12,
      cryptoAmount: 10n ** 28n,
      receivedCryptoAmount: 0n,
      expiresAt: intent.expiresAt,
      completedAt: null,
      metadata: {},
    });
  });
});

describe('an entity made from a row', () => {
  it('is not managed: assignments to it never reach the database [D-47]', async () => {
    const { intent } = await seed();
    await db.database.transaction(async (tx) => {
      entityOf(tx, PaymentIntent, await row(tx, intentRow(intent.id))).reference = 'changed in memory';
    });
    expect(await db.query(`select reference from payment_intent where id = $1`, [intent.id])).toEqual([
      { reference: null },
    ]);
  });
});

import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aChain, aDeposit, aMerchant, anIntent } from '../../../test/support/factories.js';
import { Deposit } from '../../payments/deposits/deposit.entity.js';
import { PaymentIntent } from '../../payments/intents/payment-intent.entity.js';
import { sqlOne } from './database.js';
import { detached } from './detached.js';

let db: TestDatabase;
beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(() => db.drop());

const LARGEST = 2n ** 256n - 1n;

async function seed() {
  const { database } = db;
  const chain = await aChain(database, { network: 'bnb', decimals: 18 });
  const intent = await anIntent(database, { tenant: await aMerchant(database), chain, amountCents: 10 ** 12 });
  const deposit = await aDeposit(database, intent, { amount: LARGEST, blockHeight: 2 ** 40 });
  await database.query(`update chain set active = false`);
  return { intent, deposit };
}

describe('the columns of money', () => {
  it('hold any amount of a chain exactly, as bigint [H-105]', async () => {
    const { deposit } = await seed();
    const [row] = await db.database.query<Record<string, unknown>>(`select * from deposit where id = $1`, [deposit]);
    const read = detached(db.orm.em.fork(), Deposit, row ?? {});
    expect([read.amount, read.blockHeight]).toEqual([LARGEST, 2 ** 40]);
    expect(await db.orm.em.fork().findOneOrFail(Deposit, deposit)).toMatchObject({ amount: LARGEST });
  });

  it('hold fiat amounts as exact numbers, and times as dates', async () => {
    const { intent } = await seed();
    const [row] = await db.database.query<Record<string, unknown>>(`select * from payment_intent where id = $1`, [
      intent.id,
    ]);
    expect(detached(db.orm.em.fork(), PaymentIntent, row ?? {})).toMatchObject({
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
      const row = await sqlOne<Record<string, unknown>>(tx, `select * from payment_intent where id = $1`, [intent.id]);
      detached(tx, PaymentIntent, row).reference = 'changed in memory';
    });
    expect(await db.database.query(`select reference from payment_intent where id = $1`, [intent.id])).toEqual([
      { reference: null },
    ]);
  });
});

import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aChain, aPriceSnapshot, freeAddresses } from '../../../test/support/factories.js';
import { createdIntent, intentsOn } from '../../../test/support/intent-services.js';
import { nothingOnOffer } from '../../../test/support/on-offer.js';
import { writePlanned } from '../../../test/support/write-planned.js';
import type { Tenant } from '../../domain/tenant.js';

let db: TestDatabase;
let tenant: Tenant;

beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(() => db.drop());
beforeEach(async () => {
  tenant = await nothingOnOffer(db);
  await aChain(db.database, { network: 'solana', coin: 'SOL' });
  await db.query(`update chain_token set decimals = 9, minimum_amount = 650240`);
  await freeAddresses(db.database, 1, 'sandbox', undefined, 'solana');
});

const create = (cents: number) =>
  createdIntent(db.database, tenant, { amount_cents: cents, network: 'solana', token: 'SOL' });

const generateAddress = async (id: string) =>
  writePlanned(db.database, await intentsOn(db.database).addresses.plan(tenant, id));

const refusal = { code: 'invalid_request', details: { param: 'amount_cents' } };

describe('an intent in a coin that a new address can only receive from an amount on', () => {
  it('is refused below it at the current price, with the amount that is enough', async () => {
    await aPriceSnapshot(db.database, { SOL: '150' });
    const message = 'The amount is 0.0006 SOL, and a new address on solana cannot receive less than 0.00065024 SOL.';
    await expect(create(9)).rejects.toMatchObject({ ...refusal, message });
    const { id } = await create(10);
    expect(await generateAddress(id)).toMatchObject({ crypto_amount: '666667' });
  });

  it('gets no address when its amount is too small at the price of that moment', async () => {
    // There is no price yet, so the intent itself cannot be refused.
    const early = await create(9);
    await aPriceSnapshot(db.database, { SOL: '150' });
    const later = await create(10);
    await aPriceSnapshot(db.database, { SOL: '200' });
    for (const { id } of [early, later]) await expect(generateAddress(id)).rejects.toMatchObject(refusal);
    expect(
      await db.query(`select distinct address from payment_intent where id in ($1, $2)`, [early.id, later.id]),
    ).toEqual([{ address: null }]);
  });

  it('is not refused in a token, whose account the payer creates', async () => {
    await db.query(`update chain_token set symbol = 'USDC', minimum_amount = null`);
    await aPriceSnapshot(db.database, { USDC: '1' });
    expect(
      await createdIntent(db.database, tenant, { amount_cents: 1, network: 'solana', token: 'USDC' }),
    ).toMatchObject({ amount_cents: 1 });
  });
});

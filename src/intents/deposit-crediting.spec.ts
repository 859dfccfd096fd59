import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { aChain, aDeposit, aMerchant, anIntent, type SeededChain } from '../../test/support/factories.js';
import { confirmAsListed, listExactly } from '../../test/support/listed-senders.js';
import { settlementOn, stateOf } from '../../test/support/settlement.js';
import { PocketReader } from '../ledger/pocket-reader.service.js';
import type { Database } from '../platform/database/database.js';

let db: TestDatabase;
let database: Database;
let ethereum: SeededChain;

beforeAll(async () => {
  db = await freshDatabase();
  database = db.database;
  ethereum = await aChain(database, { network: 'ethereum', coin: 'ETH' });
});
afterAll(() => db.drop());

describe("a payment in a chain's own coin", () => {
  it('opens the pocket of the coin and is booked to the wei, shown in its eighth digit [E-60] [H-104]', async () => {
    const tenant = await aMerchant(database);
    const parts = [8_333_333_333_333_334n, 6_666_666_667n];
    for (const amount of parts) {
      const intent = await anIntent(database, { tenant, chain: ethereum });
      await aDeposit(database, intent, { amount, status: 'confirmed' });
      await settlementOn(database).settle(intent.id);
    }
    const { data } = await new PocketReader(database).list(tenant, { limit: 10 });
    expect(data).toEqual([
      expect.objectContaining({
        network: 'ethereum',
        token: 'ETH',
        minor_unit_exponent: 8,
        available_amount: '8333340000000001',
        available_cents: 833_334,
      }),
    ]);
    const assets = await database.query(`select distinct asset from posting order by asset`);
    expect(assets).toEqual([{ asset: 'ethereum:native' }]);
  });
});

describe('a payment from a sender on the sanctions list', () => {
  it('completes the intent and is told like any other, while the money is frozen and not in the pocket [G-98]', async () => {
    const polygon = await aChain(database);
    const intent = await anIntent(database, { tenant: await aMerchant(database), chain: polygon });
    const half = intent.cryptoAmount / 2n;
    const [listing = ''] = await listExactly(database, `0x${'ad'.repeat(20)}`);
    await confirmAsListed(database, await aDeposit(database, intent, { amount: half }), listing);
    await aDeposit(database, intent, { amount: half, status: 'confirmed' });
    const settlement = settlementOn(database);
    await settlement.settle(intent.id);
    await settlement.settle(intent.id);
    expect(await stateOf(database, intent)).toMatchObject({
      status: 'completed',
      received: intent.cryptoAmount,
      pocket: half,
      events: ['processing', 'payment_received', 'payment_received', 'completed'],
    });
    const frozen = await database.query(`select balance from account where kind = 'frozen'`);
    expect(frozen).toEqual([{ balance: String(half) }]);
    const held = await database.query(`select held_as, amount from deposit where intent_id = $1 order by held_as`, [
      intent.id,
    ]);
    expect(held).toEqual([
      { held_as: 'frozen', amount: String(half) },
      { held_as: null, amount: String(half) },
    ]);
  });
});

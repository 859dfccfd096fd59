import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aChain, aDeposit, aMerchant, anIntent, type SeededChain } from '../../../test/support/factories.js';
import { settlementOn } from '../../../test/support/settlement.js';
import { query } from '../../../test/support/sql.js';
import { PocketReader } from '../../ledger/pocket-reader.service.js';
import type { Database } from '../../platform/database/database.js';

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
    const assets = await query(database, `select distinct asset from posting order by asset`);
    expect(assets).toEqual([{ asset: 'ethereum:native' }]);
  });
});

import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aChain, type SeededChain } from '../../../test/support/factories.js';
import { aHotWallet } from '../../../test/support/outgoing.js';
import { sqlRefusalOf } from '../../../test/support/sql-refusal.js';
import { query } from '../../../test/support/sql.js';
import { lockWallet } from './locked-wallet.js';

let db: TestDatabase;
let chain: SeededChain;

beforeAll(async () => {
  db = await freshDatabase();
  chain = await aChain(db.database);
  await aHotWallet(db.database, chain.chainRef);
});
afterAll(() => db.drop());

describe('the lock of a hot wallet', () => {
  it('is held from the read of the next nonce to the end of the transaction: no other takes the same nonce [I-113]', async () => {
    const { database } = db;
    const taking = await database.transaction(async (tx) => {
      const wallet = await lockWallet(tx, chain.chainRef);
      const other = `select from hot_wallet where chain_ref = $1 for no key update nowait`;
      expect(await sqlRefusalOf(database, other, [chain.chainRef])).toContain('could not obtain lock');
      await query(tx, `update hot_wallet set next_nonce = next_nonce + 1 where chain_ref = $1`, [chain.chainRef]);
      return wallet?.nextNonce;
    });
    const next = await database.transaction((tx) => lockWallet(tx, chain.chainRef));
    expect([taking, next?.nextNonce]).toEqual([0, 1]);
  });

  it('is of a chain that is in use: there is none on a replaced chain', async () => {
    const replaced = await aChain(db.database, { network: 'bnb' });
    await aHotWallet(db.database, replaced.chainRef);
    await db.query(`update chain set active = false where id = $1`, [replaced.chainRef]);
    expect(await db.database.transaction((tx) => lockWallet(tx, replaced.chainRef))).toBeNull();
  });
});

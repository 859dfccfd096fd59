import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aChain } from '../../../test/support/factories.js';
import { aHotWallet, anAttempt, anOutgoing } from '../../../test/support/outgoing.js';
import { sqlRefusalOf } from '../../../test/support/sql-refusal.js';

// Rules of the database on a single row: raw SQL, no service in between.

let db: TestDatabase;
let id: string;

beforeAll(async () => {
  db = await freshDatabase();
  const { chainRef } = await aChain(db.database, { network: 'ethereum' });
  await aHotWallet(db.database, chainRef);
  id = await anOutgoing(db.database, chainRef, { nonce: 7, raws: ['0x0201'] });
});
afterAll(() => db.drop());

const refusal = (text: string) => sqlRefusalOf(db.database, text, [id]);

it.each([`status = 'succeeded'`, `status = 'reverted'`, `finished_at = now()`, `fee_paid = 1`, `mined_height = 1`])(
  'a transaction is final with everything that a receipt says, or not at all: %s alone is refused',
  async (change) => {
    expect(await refusal(`update chain_transaction set ${change} where id = $1`)).toContain('check constraint');
  },
);

it('number and hash of an attempt are unique', async () => {
  await expect(anAttempt(db.database, id, 1, '0x0299')).rejects.toThrow('unique constraint');
  await expect(anAttempt(db.database, id, 2, '0x0201')).rejects.toThrow('unique constraint');
  await expect(anAttempt(db.database, id, 0, '0x0200')).rejects.toThrow('check constraint');
  await anAttempt(db.database, id, 2, '0x0202');
});

it('a verdict of the vault names the signed transaction, or the reason of the refusal [I-125]', async () => {
  const verdict = (columns: string, values: string) =>
    `insert into vault_audit (transaction_id, attempt, purpose, purpose_id, fields, ${columns})
     values ($1, 1, 'withdrawal', 'wd_1', '{}', ${values})`;
  expect(await refusal(verdict('verdict', `'signed'`))).toContain('check constraint');
  expect(await refusal(verdict('verdict', `'refused'`))).toContain('check constraint');
  await db.query(verdict('verdict, tx_hash', `'signed', '0x1'`), [id]);
  await db.query(verdict('verdict, reason', `'refused', 'address_blocked'`), [id]);
});

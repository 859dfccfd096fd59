import { freshDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { aChain, aDeposit, aMerchant, anIntent, type SeededIntent } from '../../../../test/support/factories.js';
import { holdLease } from '../../../../test/support/leases.js';
import { query } from '../../../../test/support/sql.js';
import { LeaseLost } from '../../../platform/leases.js';
import { chainProgress } from '../../intents/chain-progress.js';
import { AccountRecorder, type SeenDeposit } from './account-recorder.js';

const LEASE = { name: 'listener:solana', epoch: 1 };

let db: TestDatabase;
let intent: SeededIntent;
let recorder: AccountRecorder;
beforeEach(async () => {
  db = await freshDatabase();
  const { database } = db;
  const chain = await aChain(database, { network: 'solana' });
  intent = await anIntent(database, { tenant: await aMerchant(database), chain });
  await holdLease(database, LEASE);
  recorder = new AccountRecorder(database, chain.chainRef, LEASE);
  await query(
    database,
    `insert into watched_account (chain_ref, account, address_id, token_contract)
     select $1, 'its account', id, $2 from pool_address where intent_id = $3`,
    [chain.chainRef, chain.contract, intent.id],
  );
});
afterEach(() => db.drop());

/** A deposit of the intent that is not final. */
async function seen(): Promise<SeenDeposit> {
  const id = await aDeposit(db.database, intent);
  return { id, account: 'its account', intentId: intent.id };
}

const hasUnexplained = (): Promise<boolean | undefined> =>
  db.database.transaction(async (tx) => {
    const progress = await chainProgress(tx, { id: intent.id, chainRef: intent.chain.chainRef });
    return progress?.hasUnexplained;
  });

it('an orphaned deposit leaves its balance unexplained, since another payment may have taken its place', async () => {
  const deposit = await seen();
  expect(await hasUnexplained()).toBe(false);
  expect(await recorder.settle({ final: [], dropped: [deposit] }, null)).toEqual([intent.id]);
  expect(await hasUnexplained()).toBe(true);
  await recorder.keepUnexplained([], ['its account']);
  expect(await hasUnexplained()).toBe(false);
});

it('a final deposit explains itself', async () => {
  const deposit = await seen();
  expect(await recorder.settle({ final: [deposit], dropped: [] }, null)).toEqual([intent.id]);
  expect(await hasUnexplained()).toBe(false);
  expect(await query(db.database, `select from deposit where status = 'confirmed'`)).toHaveLength(1);
});

it('a process that lost the chain writes nothing', async () => {
  const deposit = await seen();
  await query(db.database, `update lease set epoch = 2`);
  await expect(recorder.settle({ final: [deposit], dropped: [] }, null)).rejects.toThrow(LeaseLost);
  await expect(recorder.keepUnexplained([{ account: 'its account', units: 1n }], [])).rejects.toThrow(LeaseLost);
  expect(await query(db.database, `select from deposit where status = 'seen'`)).toHaveLength(1);
  expect(await query(db.database, `select from unexplained_balance`)).toEqual([]);
});

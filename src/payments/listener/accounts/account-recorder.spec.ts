import { MikroORM } from '@mikro-orm/postgresql';
import { freshDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { aChain, aDeposit, aMerchant, anIntent, type SeededIntent } from '../../../../test/support/factories.js';
import { holdLease } from '../../../../test/support/leases.js';
import { query, queryOne } from '../../../../test/support/sql.js';
import { ENTITIES } from '../../../app/entities.js';
import { newId } from '../../../domain/ids.js';
import { Database } from '../../../platform/database/database.js';
import { ormOptions } from '../../../platform/database/orm.config.js';
import { LeaseLost } from '../../../platform/leases.js';
import { chainProgress } from '../../intents/chain-progress.js';
import { CursorMoved, loadPlace } from '../chain-cursor.js';
import type { Cursor } from '../chain-reader.js';
import { AccountRecorder, type ReadUpTo, type SeenDeposit } from './account-recorder.js';

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

async function cursor(): Promise<Cursor> {
  return (await loadPlace(db.database, intent.chain.chainRef)).cursor;
}

const readUpTo = (height: number): ReadUpTo => ({
  head: { height, hash: `hash of ${height}`, parentHash: '', time: new Date() },
  finalizedHeight: height - 1,
  readAt: new Date(),
  roundBelow: '5',
});

const hasUnexplained = (): Promise<boolean | undefined> =>
  db.database.transaction(async (tx) => {
    const progress = await chainProgress(tx, [intent.id]);
    return progress.get(intent.id)?.hasUnexplained;
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
  await expect(recorder.moveCursor(await cursor(), readUpTo(9))).rejects.toThrow(LeaseLost);
  expect(await query(db.database, `select from deposit where status = 'seen'`)).toHaveLength(1);
  expect(await query(db.database, `select from unexplained_balance`)).toEqual([]);
});

it('the cursor moves from where a step began, and from nowhere else', async () => {
  const from = await cursor();
  const height = from.height + 10;
  await recorder.moveCursor(from, readUpTo(height));
  const { cursor: moved, roundBelow } = await loadPlace(db.database, intent.chain.chainRef);
  expect(moved).toEqual({ height, hash: `hash of ${height}`, finalizedHeight: height - 1 });
  expect(roundBelow).toBe('5');
  await expect(recorder.moveCursor(from, readUpTo(height + 1))).rejects.toThrow(CursorMoved);
  expect(await cursor()).toEqual(moved);
});

it.each([
  ['halted', `update chain_cursor set halted_reason = 'a spec'`],
  ['paused', `update chain_cursor set paused_at = now(), paused_by = 'staff', paused_reason = 'a spec'`],
])('the cursor of a chain that is %s does not move', async (_state, statement) => {
  const from = await cursor();
  await query(db.database, statement);
  await expect(recorder.moveCursor(from, readUpTo(from.height + 1))).rejects.toThrow(CursorMoved);
});

/** Notes of every write of a listener which transaction it is in, and whether its commit waits for the disk. */
async function noteCommits(): Promise<void> {
  const { owner } = db;
  const { name } = await queryOne<{ name: string }>(owner, `select current_database() as name`);
  // Specs do not wait, as their data need not survive anything.
  await query(owner, `alter database "${name}" set synchronous_commit = on`);
  await query(owner, `create table noted (xid xid8, written text, waits text)`);
  await query(
    owner,
    `create function note() returns trigger language plpgsql security definer as $$
     begin
       insert into noted values (pg_current_xact_id(), tg_table_name, current_setting('synchronous_commit'));
       return null;
     end $$`,
  );
  for (const table of ['chain_cursor', 'deposit', 'dirty_intent', 'unexplained_balance']) {
    await query(
      owner,
      `create trigger noted after insert or update or delete on ${table} for each row execute function note()`,
    );
  }
}

it('the commit of a moved cursor, which is alone in it, is the only one that does not wait for the disk', async () => {
  const deposit = await seen();
  await noteCommits();
  const one = new Database(new MikroORM(ormOptions({ url: db.url, poolMax: 1, entities: ENTITIES, migrations: [] })));
  const listening = new AccountRecorder(one, intent.chain.chainRef, LEASE);
  const paid = {
    id: newId('dep_'),
    tokenContract: intent.chain.contract,
    txHash: 'another payment',
    position: 0,
    from: null,
    to: intent.address,
    account: 'its account',
    otherSenders: null,
    amount: '5',
    blockHeight: 9,
    blockHash: 'hash of 9',
    blockTime: new Date(),
  };
  expect(await listening.see([paid])).toEqual([intent.id]);
  await listening.settle({ final: [deposit], dropped: [] }, null);
  await listening.keepUnexplained([{ account: 'its account', units: 1n }], []);
  const from = await cursor();
  await listening.moveCursor(from, readUpTo(from.height + 1));
  await listening.keepUnexplained([], ['its account']);
  await one.close();
  const commits = await query(
    db.owner,
    `select array_agg(distinct written order by written) as written, array_agg(distinct waits) as waits
       from noted group by xid order by xid`,
  );
  expect(commits).toEqual([
    { written: ['deposit', 'dirty_intent'], waits: ['on'] },
    { written: ['deposit', 'dirty_intent'], waits: ['on'] },
    { written: ['unexplained_balance'], waits: ['on'] },
    { written: ['chain_cursor'], waits: ['off'] },
    { written: ['unexplained_balance'], waits: ['on'] },
  ]);
});

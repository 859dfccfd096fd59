import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { aChain, aMerchant, anIntent, type SeededChain, type SeededIntent } from '../../test/support/factories.js';
import { readByGenericPlan } from '../../test/support/query-plan.js';
import { query } from '../../test/support/sql.js';
import type { Tenant } from '../domain/tenant.js';
import { type Database } from '../platform/database/database.js';
import { compiled } from '../platform/sql/sql.js';
import { moveOpenIntents } from './replaced-chains.js';
import { chainsLeftBehind, moveIntents } from './replaced-chains.sql.js';

const OF_CHAIN: string = expect.stringMatching(/^(Index|Index Only|Bitmap Index) Scan.* by payment_intent_of_chain$/);
/** The way to every row that an index names. */
const ROWS = /^Bitmap Heap Scan/;

let db: TestDatabase;
let database: Database;
let tenant: Tenant;
let replaced: SeededChain;

beforeEach(async () => {
  db = await freshDatabase();
  database = db.database;
  tenant = await aMerchant(database);
  replaced = await aChain(database);
});
afterEach(() => db.drop());

/** Another chain takes the place of the first, with the same token. */
async function replace(): Promise<string> {
  await query(database, `update chain set active = false where id = $1`, [replaced.chainRef]);
  const { chainRef } = await aChain(database);
  await query(db.owner, `update chain_token set contract = $2 where chain_ref = $1`, [chainRef, replaced.contract]);
  return chainRef;
}

/** Copies of an intent, each with an address of its own. */
async function copy(intent: SeededIntent, count: number): Promise<void> {
  await query(
    database,
    `insert into payment_intent
     select (jsonb_populate_record(intent, jsonb_build_object('id', id || '_' || n, 'address', address || n))).*
       from payment_intent intent cross join generate_series(1, $2) n where id = $1`,
    [intent.id, count],
  );
}

const countOn = async (chainRef: string): Promise<number> =>
  Number(
    (
      await query<{ count: string }>(database, `select count(*) from payment_intent where chain_ref = $1`, [chainRef])
    )[0]?.count,
  );

describe('open intents of a replaced development chain', () => {
  it('move to its successor, however many; those that are over and those in other tokens stay', async () => {
    await copy(await anIntent(database, { tenant, chain: replaced }), 2_100);
    await anIntent(database, { tenant, chain: replaced, status: 'expired' });
    await anIntent(database, {
      tenant,
      chain: { ...replaced, contract: '0x00000000000000000000000000000000000000aa' },
    });
    const successor = await replace();
    await moveOpenIntents(database.em());
    expect([await countOn(successor), await countOn(replaced.chainRef)]).toEqual([2_101, 2]);
  });

  it('move without waiting for one that is being settled, which follows', async () => {
    const [settling] = [
      await anIntent(database, { tenant, chain: replaced }),
      await anIntent(database, { tenant, chain: replaced }),
    ];
    const successor = await replace();
    await database.transaction(async (tx) => {
      await query(tx, `select from payment_intent where id = $1 for update`, [settling.id]);
      await moveOpenIntents(database.em());
      expect([await countOn(successor), await countOn(replaced.chainRef)]).toEqual([1, 1]);
    });
    await moveOpenIntents(database.em());
    expect(await countOn(successor)).toBe(2);
  });

  it('are found by an index that holds the open intents of the sandbox alone', async () => {
    await copy(await anIntent(database, { tenant, chain: replaced, status: 'expired' }), 3_000);
    const successor = await replace();
    await copy(await anIntent(database, { tenant, chain: { ...replaced, chainRef: successor } }), 3_000);
    await query(db.owner, 'analyze payment_intent');
    const found = await readByGenericPlan(database, compiled(chainsLeftBehind).text, []);
    expect(found.scans.filter((scan) => scan.includes('payment_intent') && !ROWS.test(scan))).toEqual([OF_CHAIN]);
    expect(found.pages).toBeLessThan(20);
    const move = compiled(moveIntents(replaced.chainRef, successor, 1_000));
    const moved = await readByGenericPlan(database, move.text, move.values);
    expect(moved.scans).toEqual(expect.arrayContaining([OF_CHAIN]));
    expect(moved.pages).toBeLessThan(20);
  });
});

import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aChain, aMerchant, anIntent, freeAddresses, type SeededChain } from '../../../test/support/factories.js';
import { holdLease } from '../../../test/support/leases.js';
import { listExactly } from '../../../test/support/listed-senders.js';
import { readByGenericPlan } from '../../../test/support/query-plan.js';
import { randomHex } from '../../../test/support/random-values.js';
import { query } from '../../../test/support/sql.js';
import type { Sighting } from '../../chains/chain.js';
import type { Database } from '../../platform/database/database.js';
import { createLogger } from '../../platform/logging.js';
import type { ChainStep } from './chain-reader.js';
import { DepositRecorder } from './deposit-recorder.service.js';

const LEASE = { name: 'listener', epoch: 7 };

let db: TestDatabase;
let database: Database;
let recorder: DepositRecorder;
let chain: SeededChain;

beforeAll(async () => {
  db = await freshDatabase();
  ({ database } = db);
  chain = await aChain(database);
  recorder = new DepositRecorder(database, createLogger('silent'));
  await holdLease(database, LEASE);
});
afterAll(() => db.drop());

/** Records one block with these transfers on top of the chain; with `final`, everything up to it is final. */
async function recordBlock(transfers: readonly Sighting[], final: boolean): Promise<void> {
  const [row] = await query<{ height: string; hash: string; finalized_height: string }>(
    database,
    `select height, hash, finalized_height from chain_cursor where chain_ref = $1`,
    [chain.chainRef],
  );
  const cursor = { height: Number(row?.height), hash: row?.hash ?? '', finalizedHeight: Number(row?.finalized_height) };
  const height = cursor.height + 1;
  const header = { height, hash: randomHex(32), parentHash: cursor.hash, time: new Date() };
  const step: ChainStep = {
    rollbackTo: null,
    blocks: [{ header, sightings: transfers }],
    balances: [],
    headHeight: height,
    finalizedHeight: final ? height : cursor.finalizedHeight,
    isCaughtUp: true,
  };
  await recorder.record({
    chainRef: chain.chainRef,
    cursor,
    step,
    lease: LEASE,
    readAt: new Date(),
    secondNodeAboveCents: null,
  });
}

const transfer = (from: string, to: string): Sighting => ({
  txHash: randomHex(32),
  position: 0,
  token: chain.contract,
  from,
  to,
  amount: 5n,
});

/** Whose listings the deposits of an address were matched with. */
async function listedAt(address: string): Promise<(string | null)[]> {
  const rows = await query<{ name: string | null }>(
    database,
    `select listed.name from deposit left join sanctioned_address listed on listed.id = listed_sender_id
      where to_address = $1 and status = 'confirmed' order by deposit.id`,
    [address],
  );
  return rows.map(({ name }) => name);
}

describe('the sender of a deposit', () => {
  it('is judged once, by the list that is current when the deposit becomes final [G-98]', async () => {
    const [early, late, clean] = [randomHex(20), randomHex(20), randomHex(20)];
    const { address } = await anIntent(database, { tenant: await aMerchant(database), chain });
    const [free = ''] = await freeAddresses(database, 1);
    await listExactly(database, early);
    // `early` leaves the list before its deposit is final, `late` joins it before that.
    await recordBlock([transfer(early, address), transfer(late, address), transfer(clean, address)], false);
    await recordBlock([transfer(late, free)], false);
    await listExactly(database, late);
    await recordBlock([], true);
    expect(await listedAt(address)).toEqual([null, 'Lazarus Group', null]);
    expect(await listedAt(free)).toEqual(['Lazarus Group']);
    // Later changes of the list do not matter.
    await listExactly(database, early, clean);
    await recordBlock([], true);
    expect(await listedAt(address)).toEqual([null, 'Lazarus Group', null]);
  });

  it('is judged also where a process of the version before makes the deposit final, and credits nothing to it [G-98]', async () => {
    const listed = randomHex(20);
    const intent = await anIntent(database, { tenant: await aMerchant(database), chain });
    await listExactly(database, listed);
    await recordBlock([transfer(listed, intent.address)], false);
    await query(database, `update deposit set status = 'confirmed', confirmed_at = now() where intent_id = $1`, [
      intent.id,
    ]);
    expect(await listedAt(intent.address)).toEqual(['Lazarus Group']);
    // It tries again after this error, and does not set the intent aside.
    await expect(
      query(database, `update deposit set credited_at = now() where intent_id = $1`, [intent.id]),
    ).rejects.toMatchObject({ code: '40001', message: expect.stringContaining('is to be frozen') });
  });

  it('is looked up by the index of the current list', async () => {
    await listExactly(database, ...Array.from({ length: 2_000 }, () => randomHex(20)));
    await query(db.owner, 'analyze sanctioned_address');
    const [lookUp] = await query<{ body: string }>(
      database,
      `select prosrc as body from pg_proc where proname = 'listed_sender_of'`,
    );
    const { scans } = await readByGenericPlan(database, lookUp?.body ?? '', [chain.chainRef, randomHex(20)]);
    expect(scans).toContain('Index Scan on sanctioned_address by sanctioned_address_current');
  });
});

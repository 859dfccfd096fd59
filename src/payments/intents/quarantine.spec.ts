import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import {
  aChain,
  aDeposit,
  aMerchant,
  anIntent,
  type SeededChain,
  type SeededIntent,
} from '../../../test/support/factories.js';
import { RecordingQueue } from '../../../test/support/recording-queue.js';
import { settlementOn, stateOf } from '../../../test/support/settlement.js';
import { query } from '../../../test/support/sql.js';
import type { Database } from '../../platform/database/database.js';
import { markDirty } from './dirty-intents.js';
import { SettlementScheduler } from './settlement-scheduler.service.js';
import type { SettlementService } from './settlement.service.js';

let db: TestDatabase;
let database: Database;
let settlement: SettlementService;
let chain: SeededChain;
let intent: SeededIntent;

beforeEach(async () => {
  db = await freshDatabase();
  database = db.database;
  settlement = settlementOn(database);
  chain = await aChain(database);
  intent = await anIntent(database, { tenant: await aMerchant(database), chain });
  await aDeposit(database, intent, { status: 'confirmed' });
});
afterEach(() => db.drop());

/** A token that is not in the books can be neither valued nor credited. */
const breakChain = (): Promise<unknown> =>
  query(db.owner, `delete from chain_token where chain_ref = $1`, [chain.chainRef]);
const repairChain = (): Promise<unknown> =>
  query(
    database,
    `insert into chain_token (chain_ref, contract, symbol, decimals, minor_unit_exponent, enabled)
     values ($1, $2, 'USDC', 6, 2, true)`,
    [chain.chainRef, chain.contract],
  );

async function failTimes(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await expect(settlement.settle(intent.id)).rejects.toThrow();
}

async function mark() {
  const [row] = await query<{ failures: number; quarantined: boolean; last_error: string | null }>(
    database,
    `select failures, quarantined_at is not null as quarantined, last_error from dirty_intent where intent_id = $1`,
    [intent.id],
  );
  return row ?? null;
}

/** Makes the mark old enough for its recurring job, and the intent due. */
async function letTimePass(): Promise<void> {
  await query(database, `update dirty_intent set marked_at = now() - interval '1 minute'`);
  await query(database, `update payment_intent set due_at = now() - interval '1 minute'`);
}

async function wakeAll(): Promise<object[]> {
  const wakes = new RecordingQueue();
  const scheduler = new SettlementScheduler(database, wakes.queue);
  await scheduler.wakeDue();
  await scheduler.wakeDirty();
  return wakes.woken('intents.settle');
}

describe('an intent that cannot be settled', () => {
  it('is tried again, and the failure is written down', async () => {
    await breakChain();
    await failTimes(4);
    expect(await mark()).toEqual({ failures: 4, quarantined: false, last_error: expect.stringContaining('no row') });
    await letTimePass();
    expect(await wakeAll()).toContainEqual({ intentIds: [intent.id] });
  });

  it('is quarantined after five failures in a row, and no recurring job wakes it again', async () => {
    await breakChain();
    await failTimes(4);
    await expect(settlement.settle(intent.id)).rejects.toThrow(`Payment intent ${intent.id} is quarantined`);
    expect(await mark()).toMatchObject({ failures: 5, quarantined: true });
    await letTimePass();
    expect(await wakeAll()).toEqual([]);
  });

  it('changes nothing of the intent, its pocket or its events', async () => {
    const before = await stateOf(database, intent);
    await breakChain();
    await failTimes(5);
    expect(await stateOf(database, intent)).toEqual(before);
  });

  it('comes back with a new fact, and leaves nothing behind once it is settled', async () => {
    await breakChain();
    await failTimes(5);
    await repairChain();
    await database.transaction((tx) => markDirty(tx, [intent.id]));
    expect(await mark()).toMatchObject({ failures: 0, quarantined: false });
    await letTimePass();
    expect(await wakeAll()).toContainEqual({ intentIds: [intent.id] });
    await settlement.settle(intent.id);
    expect(await mark()).toBeNull();
    expect(await stateOf(database, intent)).toMatchObject({ status: 'completed', pocket: intent.cryptoAmount });
  });

  it('does not keep the others of its job from being settled, and those without news are passed over', async () => {
    await breakChain();
    const otherChain = await aChain(database, { network: 'bnb' });
    const paid = async (): Promise<SeededIntent> => {
      const other = await anIntent(database, { tenant: intent.tenant, chain: otherChain });
      await aDeposit(database, other, { status: 'confirmed' });
      return other;
    };
    const [marked, due, unmarked] = [await paid(), await paid(), await paid()];
    await database.transaction((tx) => markDirty(tx, [intent.id, marked.id]));
    await query(database, `update payment_intent set due_at = now() - interval '1 second' where id = $1`, [due.id]);
    const job = [intent, marked, due, unmarked].map(({ id }) => id);
    await expect(settlement.settleAll({ intentIds: job })).rejects.toThrow('no row');
    expect(await mark()).toMatchObject({ failures: 1 });
    const statuses = await Promise.all(
      [marked, due, unmarked].map(async (each) => (await stateOf(database, each)).status),
    );
    expect(statuses).toEqual(['completed', 'completed', 'requires_action']);
  });
});

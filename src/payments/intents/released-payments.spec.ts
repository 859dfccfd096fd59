import { expectBooksInOrder } from '../../../test/support/books.js';
import { aDeposit, type SeededIntent } from '../../../test/support/factories.js';
import { SuspenseScene } from '../../../test/support/suspense-scene.js';
import { depositOperationsOn, settlementOn, stateOf } from '../../../test/support/settlement.js';
import { query } from '../../../test/support/sql.js';
import { untilOneWaitsForALock } from '../../../test/support/waiting-for-lock.js';
import { LedgerService } from '../../ledger/ledger.service.js';
import { NetworkViews } from '../../offers/network-views.service.js';
import { DepositReversals } from '../../suspense/deposit-reversals.service.js';
import { markDirty } from './dirty-intents.js';
import { IntentReader } from './intent-reader.service.js';

const ORDER = { actor: 'a test', reason: 'none' };
const PART = 10_000_000n;
const REST = 15_000_000n;

let scene: SuspenseScene;
beforeAll(async () => {
  scene = await SuspenseScene.open();
});
afterEach(() => expectBooksInOrder(scene.database));
afterAll(() => scene.close());

const release = (id: string) =>
  scene.database.transaction((tx) => depositOperationsOn(scene.database).release(tx, id, ORDER));

/** The chain loses the deposit, and staff book it out. */
async function reverse(id: string): Promise<void> {
  await query(scene.database, `update deposit set gone_at = now() where id = $1`, [id]);
  const reversals = new DepositReversals(scene.database, new LedgerService());
  await scene.database.transaction((tx) => reversals.reverse(tx, id, ORDER));
}

async function shownStatuses({ tenant, id }: SeededIntent): Promise<readonly string[]> {
  const { payments } = await new IntentReader(scene.database, new NetworkViews(scene.database)).get(tenant, id);
  return payments.map(({ status }) => status);
}

it('is released while the listener is about to change it, and neither has to start again', async () => {
  const { database } = scene;
  const intent = await scene.anIntent();
  const deposit = await scene.aFrozenPayment(intent, { amount: PART });
  const attempts = { listener: 0, operations: 0 };
  let released: Promise<unknown> = Promise.resolve();
  await database.transaction(async (tx) => {
    attempts.listener++;
    await markDirty(tx, [intent.id]);
    released = database.transaction(async (other) => {
      attempts.operations++;
      // On a busy machine the listener may let it wait for longer than the service would.
      await query(other, `set local lock_timeout = '30s'`);
      return depositOperationsOn(database).release(other, deposit, ORDER);
    });
    await untilOneWaitsForALock(database);
    await query(tx, `select from deposit where id = $1 for update`, [deposit]);
  });
  await released;
  expect(attempts).toEqual({ listener: 1, operations: 1 });
});

describe('a released payment that is booked out', () => {
  it('stays in the pocket and counts, as a payment that was never on hold does', async () => {
    const { database } = scene;
    const [onHold, clean] = [await scene.anIntent(), await scene.anIntent()];
    const frozen = await scene.aFrozenPayment(onHold, { amount: PART });
    await release(frozen);
    const usual = await aDeposit(database, clean, { amount: PART, status: 'confirmed' });
    await settlementOn(database).settle(clean.id);
    for (const [intent, deposit] of [
      [onHold, frozen],
      [clean, usual],
    ] as const) {
      await reverse(deposit);
      await settlementOn(database).settle(intent.id);
      expect(await stateOf(database, intent)).toMatchObject({ status: 'processing', received: PART, pocket: PART });
      await aDeposit(database, intent, { amount: REST, status: 'confirmed' });
      await settlementOn(database).settle(intent.id);
      expect(await stateOf(database, intent)).toMatchObject({ status: 'completed', received: PART + REST });
      expect(await shownStatuses(intent)).toEqual(['confirmed', 'confirmed']);
    }
  });

  it('counts no more when it was booked out while it was on hold', async () => {
    const intent = await scene.anIntent();
    await reverse(await scene.aFrozenPayment(intent, { amount: PART }));
    await settlementOn(scene.database).settle(intent.id);
    expect(await shownStatuses(intent)).toEqual(['orphaned']);
  });
});

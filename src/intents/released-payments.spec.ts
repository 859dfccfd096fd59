import { expectBooksInOrder } from '../../test/support/books.js';
import { aDeposit, type SeededIntent } from '../../test/support/factories.js';
import { HeldScene } from '../../test/support/held-scene.js';
import { depositDeskOn, settlementOn, stateOf } from '../../test/support/settlement.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { NetworkViews } from '../networks/network-views.service.js';
import { DepositReversals } from '../suspense/deposit-reversals.service.js';
import { IntentReader } from './intent-reader.service.js';

const ORDER = { actor: 'a test', reason: 'none' };
const PART = 10_000_000n;
const REST = 15_000_000n;

let scene: HeldScene;
beforeAll(async () => {
  scene = await HeldScene.open();
});
afterEach(() => expectBooksInOrder(scene.database));
afterAll(() => scene.close());

const release = (id: string) =>
  scene.database.transaction((tx) => depositDeskOn(scene.database).release(tx, id, ORDER));

/** The chain loses the deposit, and staff book it out. */
async function reverse(id: string): Promise<void> {
  await scene.database.query(`update deposit set gone_at = now() where id = $1`, [id]);
  const reversals = new DepositReversals(scene.database, new LedgerService());
  await scene.database.transaction((tx) => reversals.reverse(tx, id, ORDER));
}

async function shownStatuses({ tenant, id }: SeededIntent): Promise<readonly string[]> {
  const { payments } = await new IntentReader(scene.database, new NetworkViews(scene.database)).get(tenant, id);
  return payments.map(({ status }) => status);
}

describe('a released payment that is booked out', () => {
  it('stays in the pocket and counts, as a payment that was never on hold does', async () => {
    const { database } = scene;
    const [held, clean] = [await scene.anIntent(), await scene.anIntent()];
    const frozen = await scene.aFrozenPayment(held, { amount: PART });
    await release(frozen);
    const usual = await aDeposit(database, clean, { amount: PART, status: 'confirmed' });
    await settlementOn(database).settle(clean.id);
    for (const [intent, deposit] of [
      [held, frozen],
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

import { HeldScene } from '../../test/support/held-scene.js';
import { aHotWallet } from '../../test/support/outgoing.js';
import { readByGenericPlan } from '../../test/support/query-plan.js';
import { CANDIDATES_STATEMENT } from './sweep-candidates.sql.js';

const WHY = ['--reason', 'for this test'] as const;

let scene: HeldScene;

beforeEach(async () => {
  scene = await HeldScene.open();
  await aHotWallet(scene.database, scene.polygon.chainRef);
});
afterEach(() => scene.close());

/** What a planner may sweep, by token. */
async function candidates(): Promise<unknown[]> {
  const rows = await scene.database.query<{ token: string; units: string }>(CANDIDATES_STATEMENT, [10]);
  return rows.map(({ token, units }) => [token === scene.usdt ? 'USDT' : 'USDC', units]);
}

it('coins of a listed sender, and what lies beside them, stay where they are until staff release them [G-98]', async () => {
  const intent = await scene.anIntent();
  const id = await scene.aFrozenPayment(intent);
  expect(await candidates()).toEqual([]);
  await scene.coffer('keep', id, ...WHY);
  expect(await candidates()).toEqual([]);
  await scene.coffer('release', id, ...WHY);
  expect(await candidates()).toEqual([['USDC', '25000000']]);
});

it('coins that belong to nobody yet are swept like others [G-97]', async () => {
  const intent = await scene.anIntent();
  await scene.database.query(`update payment_intent set status = 'cancelled' where id = $1`, [intent.id]);
  await scene.aWrongToken(intent);
  expect(await candidates()).toEqual([['USDT', '25000000']]);
});

it('frozen coins are found by an index', async () => {
  const intent = await scene.anIntent();
  await scene.aFrozenPayment(intent);
  const { scans } = await readByGenericPlan(scene.database, CANDIDATES_STATEMENT, [250]);
  expect(scans.filter((scan) => /^Seq Scan on deposit\b(?!_)/.test(scan))).toEqual([]);
});

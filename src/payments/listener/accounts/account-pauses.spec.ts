import { eventually } from '../../../../test/support/eventually.js';
import { SolanaLab } from '../../../../test/support/solana-lab.js';
import { SolanaScene } from '../../../../test/support/solana-scene.js';
import { query } from '../../../../test/support/sql.js';

let lab: SolanaLab;
let scene: SolanaScene;
beforeAll(async () => {
  lab = await SolanaLab.open();
});
afterAll(() => lab.close());
beforeEach(async () => {
  scene = await SolanaScene.open(lab);
});
afterEach(() => scene.close());

/** The times of `count` steps in a row. */
async function timesOfSteps(count: number): Promise<readonly number[]> {
  const times = new Set<number>();
  await eventually(
    async () => {
      const [cursor] = await query<{ synced_at: string }>(scene.db.database, `select synced_at from chain_cursor`);
      return times.add(Date.parse(cursor?.synced_at ?? ''));
    },
    ({ size }) => size === count,
  );
  return [...times];
}

/** The shortest time between the steps that follow. */
async function shortestPause(steps: number): Promise<number> {
  const times = await timesOfSteps(steps);
  return Math.min(...times.slice(1).map((time, before) => time - (times[before] ?? 0)));
}

it('a listener of Solana pauses for two seconds while no intent is recent', async () => {
  scene.listen();
  await timesOfSteps(2);
  expect(await shortestPause(3)).toBeGreaterThan(1_900);
});

it('a listener of Solana does not pause for that long once an address may be paid', async () => {
  scene.listen();
  await timesOfSteps(2);
  await scene.intent();
  await eventually(
    () => shortestPause(2),
    (pause) => pause < 1_900,
  );
});

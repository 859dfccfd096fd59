import * as fc from 'fast-check';
import { addKey, addMerchant } from '../http/tenants.js';
import { startWorld, type World } from '../support/world.js';
import { setGas } from '../withdrawals/withdrawals.js';
import { Actor, aHistory } from './history.js';

/** Histories, each played by one merchant alone and by another beside a third. */
const RUNS = 3;

let world: World;
beforeAll(async () => {
  world = await startWorld({ env: { DEV_BLOCK_INTERVAL_MS: '0', WALLET_POOL_TARGET: '200' } });
  // Otherwise what a withdrawal would cost depends on the moment.
  await setGas(world.database, 'polygon', { baseFee: 2_000n, standard: 500n, fast: 1_500n });
});
afterAll(() => world.stop());

async function newActor(): Promise<Actor> {
  const merchantId = await addMerchant(world, 'Actor');
  return new Actor(world, merchantId, await addKey(world, merchantId, 'sandbox'));
}

it('what a merchant is told is the same to the byte, whatever others do and have beside it [B-28]', async () => {
  await fc.assert(
    fc.asyncProperty(aHistory, aHistory, async (history, others) => {
      const alone = await newActor();
      for (const step of history) await alone.act(step);
      const [beside, neighbour] = [await newActor(), await newActor()];
      for (const [place, step] of history.entries()) {
        await neighbour.act(others[place] ?? step);
        await beside.act(step);
      }
      const [expected, told] = [alone.told(), beside.told()];
      for (const [place, answer] of expected.entries()) expect(told[place]).toBe(answer);
      expect(told).toHaveLength(expected.length);
      // What is compared says something: money arrived and was told, and the other merchant was told other things.
      expect(expected.join('\n')).toContain('"type":"payment_intent.completed"');
      expect(neighbour.told()).not.toEqual(expected);
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
});

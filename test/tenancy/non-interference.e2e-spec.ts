import * as fc from 'fast-check';
import { addKey, addMerchant } from '../http/tenants.js';
import { startWorld, type World } from '../support/world.js';
import { setGas } from '../withdrawals/withdrawals.js';
import { Actor, aHistory } from './history.js';

/** The number of histories. One merchant plays each alone, and another plays it beside a third merchant. */
const RUNS = 3;

let world: World;
beforeAll(async () => {
  world = await startWorld({ env: { DEV_BLOCK_INTERVAL_MS: '0', WALLET_POOL_TARGET: '200' } });
  // Otherwise the fee of a withdrawal depends on the time.
  await setGas(world.database, 'polygon', { baseFee: 2_000n, standard: 500n, fast: 1_500n });
});
afterAll(() => world.stop());

async function newActor(): Promise<Actor> {
  const merchantId = await addMerchant(world, 'Actor');
  return new Actor(world, merchantId, await addKey(world, merchantId, 'sandbox'));
}

it('the answers to a merchant are the same to the byte, whatever other merchants do and own [B-28]', async () => {
  await fc.assert(
    fc.asyncProperty(aHistory, aHistory, async (history, others) => {
      const alone = await newActor();
      for (const step of history) await alone.act(step);
      const [beside, neighbour] = [await newActor(), await newActor()];
      for (const [place, step] of history.entries()) {
        await neighbour.act(others[place] ?? step);
        await beside.act(step);
      }
      const [expected, answers] = [alone.answers(), beside.answers()];
      for (const [place, answer] of expected.entries()) expect(answers[place]).toBe(answer);
      expect(answers).toHaveLength(expected.length);
      // The comparison has substance: a payment completed, and the other merchant got different answers.
      expect(expected.join('\n')).toContain('"type":"payment_intent.completed"');
      expect(neighbour.answers()).not.toEqual(expected);
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
});

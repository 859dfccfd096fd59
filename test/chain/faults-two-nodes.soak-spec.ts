import type { Fault } from '../../src/devtools/chaos/fault.js';
import type { FaultProxy } from '../../src/devtools/chaos/fault-proxy.js';
import { faultNamed } from '../../src/devtools/chaos/faults.js';
import { eventually } from '../support/eventually.js';
import { FaultLane } from '../support/fault-lane.js';
import { faultSeed } from '../support/fault-rounds.js';
import { query } from '../support/sql.js';

let lane: FaultLane;
beforeAll(async () => {
  lane = await FaultLane.open(faultSeed(), 2);
});
afterAll(() => lane.stop());
afterEach(() => {
  for (const node of lane.nodes) node.heal();
});

const faults = (...names: readonly string[]): Fault[] =>
  names.map((name) => faultNamed(name)).filter((fault) => fault !== null);
const second = (): FaultProxy => lane.nodes[1] ?? lane.nodes[0];

/** Returns the nodes' disagreement about final blocks of the chain, as staff see it. */
async function doubt(): Promise<string | null> {
  const [row] = await query<{ finality_doubt: string | null }>(
    lane.world.database,
    `select finality_doubt from chain_cursor join chain on chain.id = chain_ref where network = 'bnb'`,
  );
  return row?.finality_doubt ?? null;
}

describe('a service with two nodes', () => {
  it.each(['reset', 'html', '429', 'null', 'missing-member', 'invented-log', 'wrong-chain-id', 'wrong-genesis'])(
    'collects through the second one while the first has the fault %s for good [F-70] [F-73]',
    async (name) => {
      const [first] = lane.nodes;
      // A new listener has no failures of the first node on record, and so turns to it.
      await lane.restartListener(() => first.arm(faults(name)));
      await lane.untilCompleted(await lane.payFourIntents());
      expect(first.hits.get(name)).toBeGreaterThan(0);
    },
  );

  it('lets nothing become final while they disagree on a final block, and continues once they agree [F-75]', async () => {
    await lane.restartListener(() => second().arm(faults('final-fork')));
    const intents = await lane.payFourIntents();
    expect(await eventually(doubt)).toMatch(/^Final block \d+ is 0x\w+ at http:.* and 0x\w+ at http:/);
    await eventually(
      async () => {
        const { body } = await lane.world.api.get<{ data: { network: string; status: string }[] }>('/v1/networks');
        return body.data.find(({ network }) => network === 'bnb')?.status;
      },
      (seen) => seen === 'degraded',
    );
    expect(await lane.completedOf(intents)).toBe(0);
    second().heal();
    await lane.untilCompleted(intents);
    expect(await doubt()).toBeNull();
  });

  it('never credits a large transfer that one of them invented, receipt and all [F-76]', async () => {
    const [first] = lane.nodes;
    await lane.restartListener(() => first.arm(faults('invented-transfer')));
    await lane.untilCompleted(await lane.payFourIntents());
    const invented = await eventually(
      async () => {
        const rows = await query<{ status: string }>(
          lane.world.database,
          `select deposit.status from deposit join payment_intent intent on intent.id = deposit.intent_id
          where deposit.amount > 100 * intent.crypto_amount and deposit.second_node_due_at is not null`,
        );
        return rows;
      },
      (rows) => rows.length > 0,
    );
    expect(new Set(invented.map(({ status }) => status))).toEqual(new Set(['seen']));
  });

  it('has credited each payment once, with one event, in the end', async () => {
    const { intents, payments } = await lane.close();
    expect([intents, payments]).toEqual([40, 70]);
  });
});

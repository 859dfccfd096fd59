import { aDeposit, moveDeposit } from '../../../test/support/factories.js';
import { query } from '../../../test/support/sql.js';
import { TwoNodeLane } from '../../../test/support/two-node-lane.js';

let lane: TwoNodeLane;
beforeEach(async () => {
  lane = await TwoNodeLane.open();
});
afterEach(() => lane.close());

describe('a large deposit [F-76]', () => {
  it('is measured by what was paid, not by what was asked for', async () => {
    const part = await lane.paid(5_000, 999);
    const excess = await lane.paid(5, 1_000);
    await lane.tick();
    expect([await lane.statusOf(part.id), await lane.statusOf(excess.id)]).toEqual(['confirmed', 'seen']);
  });

  it('is none the less large when it comes in small parts, of which those that are final already stay so', async () => {
    const { intent, id } = await lane.paid(50_000, 999);
    await lane.tick();
    const parts = await Promise.all([...Array(50)].map(() => aDeposit(lane.database, intent, lane.aPartOf(999))));
    await lane.tick();
    expect(new Set(await Promise.all(parts.map(lane.statusOf)))).toEqual(new Set(['seen']));
    expect(await lane.statusOf(id)).toBe('confirmed');
    for (const node of lane.nodes) node.sightings = await Promise.all(parts.map(lane.sightingOf));
    await lane.check();
    await lane.tick();
    expect(new Set(await Promise.all(parts.map(lane.statusOf)))).toEqual(new Set(['confirmed']));
  });

  it('no longer holds back small ones of its intent once two nodes have reported it, or a reorg took it', async () => {
    for (const ending of ['reported', 'orphaned']) {
      const { intent, id: large } = await lane.paid(50_000, 2_000);
      const small = await aDeposit(lane.database, intent, lane.aPartOf(500));
      await lane.tick();
      expect([await lane.statusOf(large), await lane.statusOf(small)]).toEqual(['seen', 'seen']);
      lane.nodes[1].sightings = [await lane.sightingOf(large)];
      if (ending === 'reported') await lane.check();
      else await moveDeposit(lane.database, large, 'orphaned');
      await lane.tick();
      expect(await lane.statusOf(small)).toBe('confirmed');
    }
  });

  it('is asked about before any unattributed dust, however much of it came first', async () => {
    const { intent, id } = await lane.paid(1_000);
    await lane.addDust(intent, '0xdusty', 100);
    lane.nodes[1].sightings = [...lane.nodes[0].sightings];
    await lane.check();
    await lane.tick();
    expect(await lane.statusOf(id)).toBe('confirmed');
  });

  it('is not asked about once more because the question about a later one fails', async () => {
    const first = await lane.paid(1_000);
    const second = await lane.paid(1_000);
    await query(lane.database, `update deposit set second_node_due_at = seen_at - interval '1 minute' where id = $1`, [
      first.id,
    ]);
    lane.nodes[1].sightings = [...lane.nodes[0].sightings];
    lane.nodes[1].breaksAt = await lane.blockHashOf(second.id);
    await lane.check();
    await lane.tick();
    expect([await lane.statusOf(first.id), await lane.statusOf(second.id)]).toEqual(['confirmed', 'seen']);
    expect(lane.reported).toBe(1);
  });

  it('needs no node that reports the balance which showed other coins in its block', async () => {
    const { intent, id } = await lane.paid(1_000);
    await lane.addDust(intent, await lane.blockHashOf(id));
    lane.nodes[1].sightings = [...lane.nodes[0].sightings];
    lane.nodes[1].isPruned = true;
    await lane.check();
    await lane.tick();
    expect(await lane.statusOf(id)).toBe('confirmed');
  });
});

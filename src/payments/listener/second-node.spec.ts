import { newId } from '../../domain/ids.js';
import { query } from '../../../test/support/sql.js';
import { FINAL_HEIGHT, TwoNodeLane } from '../../../test/support/two-node-lane.js';

let lane: TwoNodeLane;
beforeEach(async () => {
  lane = await TwoNodeLane.open();
});
afterEach(() => lane.close());

describe('a large deposit [F-76]', () => {
  it('becomes final only once two nodes report it, and a smaller one at once', async () => {
    const large = await lane.paid(1_000);
    const small = await lane.paid(999);
    await lane.tick();
    expect([await lane.statusOf(large.id), await lane.statusOf(small.id)]).toEqual(['seen', 'confirmed']);
    lane.nodes[1].sightings.push(await lane.sightingOf(large.id));
    await lane.check();
    await lane.tick();
    expect([await lane.statusOf(large.id), lane.denied, lane.reported]).toEqual(['confirmed', 0, 1]);
  });

  it('stays as it is while a node denies it, which is logged, and is asked about again later', async () => {
    const { id, intent } = await lane.paid(1_000);
    const other = await lane.sightingOf(id);
    lane.nodes[1].sightings = [{ ...other, amount: other.amount - 1n }];
    await lane.check();
    await lane.tick();
    expect([await lane.statusOf(id), lane.denied, lane.reported]).toEqual(['seen', 1, 0]);
    await lane.check();
    expect(lane.denied).toBe(1);
    lane.nodes[1].sightings = [other];
    await lane.askAgain();
    await lane.check();
    await lane.tick();
    expect([await lane.statusOf(id), lane.denied, lane.reported]).toEqual(['confirmed', 1, 1]);
    const marks = await query(lane.database, `select from dirty_intent where intent_id = $1`, [intent.id]);
    expect(marks).toHaveLength(1);
  });

  it('waits for a node that does not hold the block, whichever of the two it is, and no denial is counted', async () => {
    const { id } = await lane.paid(1_000);
    lane.nodes[1].isAway = true;
    await lane.check();
    lane.nodes[1].isAway = false;
    lane.nodes[1].sightings = [...lane.nodes[0].sightings];
    lane.nodes[0].isAway = true;
    await lane.askAgain();
    await lane.check();
    await lane.tick();
    expect([await lane.statusOf(id), lane.denied, lane.reported]).toEqual(['seen', 0, 0]);
  });

  it('of no intent has no known value, so it is treated like a large one', async () => {
    const { id } = await lane.paid(1);
    await query(
      lane.database,
      `update deposit set intent_id = null, merchant_id = null, unattributed_reason = 'other_token' where id = $1`,
      [id],
    );
    await lane.tick();
    expect(await lane.statusOf(id)).toBe('seen');
    lane.nodes[1].sightings = [...lane.nodes[0].sightings];
    await lane.check();
    await lane.tick();
    expect(await lane.statusOf(id)).toBe('confirmed');
  });

  it('that only a balance showed is reported by a node that shows all recorded coins there', async () => {
    const { intent } = await lane.paid(1);
    const units = 10n ** 18n;
    const remainder = async (height: number, hash: string): Promise<string> => {
      const id = newId('dep_');
      await query(
        lane.database,
        `insert into deposit (id, chain_ref, token_contract, position, to_address, amount, block_height, block_hash,
           block_time, status, address_id, unattributed_reason)
         select $1, $2, 'native', -1, address, $3, $4, $5, now(), 'seen', id, 'other_token'
           from pool_address where address = $6`,
        [id, lane.chain.chainRef, units.toString(), height, hash, intent.address],
      );
      return id;
    };
    const ids = [await remainder(FINAL_HEIGHT - 1, '0x96'), await remainder(FINAL_HEIGHT, '0x97')];
    await remainder(FINAL_HEIGHT + 1, '0x98');
    for (const node of lane.nodes) node.balances.set(intent.address, 2n * units);
    lane.nodes[1].balances.set(intent.address, 2n * units - 1n);
    await lane.check();
    expect(lane.denied).toBe(2);
    lane.nodes[1].balances.set(intent.address, 3n * units);
    await lane.askAgain();
    await lane.check();
    await lane.tick();
    expect(await Promise.all(ids.map(lane.statusOf))).toEqual(['confirmed', 'confirmed']);
  });

  it('needs no second report where no second node is configured, and every deposit does where the limit is zero', async () => {
    const large = await lane.paid(1_000_000);
    const dust = await lane.paid(1);
    await lane.tick(0);
    expect([await lane.statusOf(large.id), await lane.statusOf(dust.id)]).toEqual(['seen', 'seen']);
    await lane.tick(null);
    expect([await lane.statusOf(large.id), await lane.statusOf(dust.id)]).toEqual(['confirmed', 'confirmed']);
  });

  it('loses the word of the nodes when a reorg puts it into another block, or its amount changes', async () => {
    const { id } = await lane.paid(1_000);
    lane.nodes[1].sightings = [...lane.nodes[0].sightings];
    const word = async () => {
      const [row] = await query<{ at: string | null }>(
        lane.database,
        `select second_node_at as at from deposit where id = $1`,
        [id],
      );
      return row?.at ?? null;
    };
    await lane.check();
    expect(await word()).not.toBeNull();
    await query(lane.database, `update deposit set block_hash = '0xother' where id = $1`, [id]);
    expect(await word()).toBeNull();
    await lane.check();
    await query(lane.database, `update deposit set amount = amount + 1 where id = $1`, [id]);
    expect(await word()).toBeNull();
  });

  it('is no concern of a process that no longer leads the chain', async () => {
    const { id } = await lane.paid(1_000);
    lane.nodes[1].sightings = [...lane.nodes[0].sightings];
    await query(lane.database, `update lease set epoch = epoch + 1`);
    await lane.check();
    const [row] = await query<{ at: string | null }>(
      lane.database,
      `select second_node_at as at from deposit where id = $1`,
      [id],
    );
    expect([row?.at, lane.reported]).toEqual([null, 0]);
  });
});

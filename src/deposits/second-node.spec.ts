import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import {
  aChain,
  aDeposit,
  aMerchant,
  anIntent,
  type SeededChain,
  type SeededIntent,
} from '../../test/support/factories.js';
import { MemoryChain } from '../../test/support/memory-chain.js';
import { type BlockRef, ChainUnavailable, type Sighting } from '../chains/chain.js';
import { ChainNodes } from '../chains/chain-nodes.js';
import { NodeHealth } from '../chains/node-health.js';
import { newId } from '../domain/ids.js';
import type { Tenant } from '../domain/tenant.js';
import type { Database } from '../platform/database/database.js';
import { createLogger } from '../platform/logging.js';
import { DepositRecorder } from './deposit-recorder.service.js';
import { SecondNode } from './second-node.js';

const LEASE = { name: 'listener:test', epoch: 1 };
const ABOVE_CENTS = 100_000;
const FINAL = 97;

/** A node that reports what a spec gives it, or does not hold any block. */
class TellingNode extends MemoryChain {
  sightings: Sighting[] = [];
  balances = new Map<string, bigint>();
  isAway = false;

  override async transfersIn(_block?: BlockRef, tokens: readonly string[] = []): Promise<readonly Sighting[]> {
    if (this.isAway) throw new ChainUnavailable('The node has no such block.');
    return this.sightings.filter(({ token }) => tokens.includes(token));
  }

  override async balancesAt(_block: BlockRef, addresses: readonly string[]): Promise<readonly bigint[]> {
    return addresses.map((address) => this.balances.get(address) ?? 0n);
  }
}

let db: TestDatabase;
let database: Database;
let tenant: Tenant;
let chain: SeededChain;
let nodes: [TellingNode, TellingNode];
let denied: number;
let reported: number;

beforeEach(async () => {
  db = await freshDatabase();
  database = db.database;
  tenant = await aMerchant(database);
  chain = await aChain(database);
  await database.query(`insert into lease values ($1, 'us', $2, now() + interval '1 hour')`, [LEASE.name, LEASE.epoch]);
  await database.query(
    `insert into chain_block (chain_ref, height, hash, parent_hash, block_time) values ($1, $2, '0xfinal', '0x', now())`,
    [chain.chainRef, FINAL],
  );
  const start = { height: 1, hash: '0xgenesis' };
  nodes = [new TellingNode(start, 3), new TellingNode(start, 3)];
  denied = 0;
  reported = 0;
});
afterEach(() => db.drop());

/** What runs beside each tick. */
async function look(): Promise<void> {
  const profile = { environment: 'sandbox', network: 'polygon', chainId: '31337', blockIntervalMs: 1_000 } as const;
  const [first, second] = nodes;
  const secondNode = new SecondNode({
    chainRef: chain.chainRef,
    nodes: new ChainNodes(profile, [
      { client: first, health: new NodeHealth('first') },
      { client: second, health: new NodeHealth('second') },
    ]),
    aboveCents: ABOVE_CENTS,
    database,
    lease: LEASE,
    logger: createLogger('silent'),
    onReported: () => reported++,
    onDenied: (count) => (denied += count),
  });
  await secondNode.look();
}

/** What the listener does at each tick, once blocks up to `FINAL` are final. */
async function tick(secondNodeAboveCents: number | null = ABOVE_CENTS): Promise<void> {
  const [row] = await database.query<{ height: string; hash: string }>(
    `select height, hash from chain_cursor where chain_ref = $1`,
    [chain.chainRef],
  );
  const cursor = { height: Number(row?.height), hash: row?.hash ?? '', finalizedHeight: FINAL };
  const step = {
    rollbackTo: null,
    blocks: [],
    balances: [],
    headHeight: cursor.height,
    finalizedHeight: FINAL,
    isLevel: true,
    ...(secondNodeAboveCents !== null && { secondNodeAboveCents }),
  };
  await new DepositRecorder(database, createLogger('silent')).record(chain.chainRef, cursor, step, LEASE, new Date());
}

/** An intent over `dollars`, with a payment of `paidDollars` in a final block that only the first node has reported. */
async function paid(dollars: number, paidDollars = dollars): Promise<{ intent: SeededIntent; id: string }> {
  const intent = await anIntent(database, { tenant, chain, amountCents: dollars * 100 });
  const amount = BigInt(paidDollars) * 10n ** BigInt(chain.decimals);
  const id = await aDeposit(database, intent, { amount, blockHeight: FINAL });
  nodes[0].sightings.push(await sightingOf(id));
  return { intent, id };
}

async function sightingOf(id: string): Promise<Sighting> {
  const [row] = await database.query<Record<string, string>>(`select * from deposit where id = $1`, [id]);
  return {
    txHash: row?.['tx_hash'] ?? '',
    position: Number(row?.['position']),
    token: row?.['token_contract'] ?? '',
    from: row?.['from_address'] ?? '',
    to: row?.['to_address'] ?? '',
    amount: BigInt(row?.['amount'] ?? 0),
  };
}

async function statusOf(id: string): Promise<string | undefined> {
  const [row] = await database.query<{ status: string }>(`select status from deposit where id = $1`, [id]);
  return row?.status;
}

const askAgain = () => database.query(`update deposit set second_node_due_at = now() where status = 'seen'`);

describe('a large deposit [F-76]', () => {
  it('becomes final only once two nodes report it, and a smaller one at once', async () => {
    const large = await paid(1_000);
    const small = await paid(999);
    await tick();
    expect([await statusOf(large.id), await statusOf(small.id)]).toEqual(['seen', 'confirmed']);
    nodes[1].sightings.push(await sightingOf(large.id));
    await look();
    await tick();
    expect([await statusOf(large.id), denied, reported]).toEqual(['confirmed', 0, 1]);
  });

  it('is measured by what was paid, not by what was asked for', async () => {
    const part = await paid(5_000, 999);
    const excess = await paid(5, 1_000);
    await tick();
    expect([await statusOf(part.id), await statusOf(excess.id)]).toEqual(['confirmed', 'seen']);
  });

  it('stays as it is while a node denies it, which is told, and is asked about again later', async () => {
    const { id, intent } = await paid(1_000);
    const other = await sightingOf(id);
    nodes[1].sightings = [{ ...other, amount: other.amount - 1n }];
    await look();
    await tick();
    expect([await statusOf(id), denied, reported]).toEqual(['seen', 1, 0]);
    await look();
    expect(denied).toBe(1);
    nodes[1].sightings = [other];
    await askAgain();
    await look();
    await tick();
    expect([await statusOf(id), denied, reported]).toEqual(['confirmed', 1, 1]);
    const marks = await database.query(`select from dirty_intent where intent_id = $1`, [intent.id]);
    expect(marks).toHaveLength(1);
  });

  it('waits for a node that does not hold the block, whichever of the two it is, and nobody is accused', async () => {
    const { id } = await paid(1_000);
    nodes[1].isAway = true;
    await look();
    nodes[1].isAway = false;
    nodes[1].sightings = [...nodes[0].sightings];
    nodes[0].isAway = true;
    await askAgain();
    await look();
    await tick();
    expect([await statusOf(id), denied, reported]).toEqual(['seen', 0, 0]);
  });

  it('of no intent has no known value, so it is treated like a large one', async () => {
    const { id } = await paid(1);
    await database.query(
      `update deposit set intent_id = null, merchant_id = null, unattributed_reason = 'other_token' where id = $1`,
      [id],
    );
    await tick();
    expect(await statusOf(id)).toBe('seen');
    nodes[1].sightings = [...nodes[0].sightings];
    await look();
    await tick();
    expect(await statusOf(id)).toBe('confirmed');
  });

  it('that only a balance showed is reported by a node that shows all that is known there', async () => {
    const { intent } = await paid(1);
    const units = 10n ** 18n;
    const remainder = async (height: number, hash: string): Promise<string> => {
      const id = newId('dep_');
      await database.query(
        `insert into deposit (id, chain_ref, token_contract, position, to_address, amount, block_height, block_hash,
           block_time, status, address_id, unattributed_reason)
         select $1, $2, 'native', -1, address, $3, $4, $5, now(), 'seen', id, 'other_token'
           from pool_address where address = $6`,
        [id, chain.chainRef, units.toString(), height, hash, intent.address],
      );
      return id;
    };
    const ids = [await remainder(FINAL - 1, '0x96'), await remainder(FINAL, '0x97')];
    await remainder(FINAL + 1, '0x98');
    for (const node of nodes) node.balances.set(intent.address, 2n * units);
    nodes[1].balances.set(intent.address, 2n * units - 1n);
    await look();
    expect(denied).toBe(2);
    nodes[1].balances.set(intent.address, 3n * units);
    await askAgain();
    await look();
    await tick();
    expect(await Promise.all(ids.map(statusOf))).toEqual(['confirmed', 'confirmed']);
  });

  it('needs nobody else where no second node is configured, and every deposit does where the limit is zero', async () => {
    const large = await paid(1_000_000);
    const dust = await paid(1);
    await tick(0);
    expect([await statusOf(large.id), await statusOf(dust.id)]).toEqual(['seen', 'seen']);
    await tick(null);
    expect([await statusOf(large.id), await statusOf(dust.id)]).toEqual(['confirmed', 'confirmed']);
  });

  it('loses the word of the nodes when a reorg puts it into another block, or its amount changes', async () => {
    const { id } = await paid(1_000);
    nodes[1].sightings = [...nodes[0].sightings];
    const word = async () => {
      const [row] = await database.query<{ at: string | null }>(
        `select second_node_at as at from deposit where id = $1`,
        [id],
      );
      return row?.at ?? null;
    };
    await look();
    expect(await word()).not.toBeNull();
    await database.query(`update deposit set block_hash = '0xother' where id = $1`, [id]);
    expect(await word()).toBeNull();
    await look();
    await database.query(`update deposit set amount = amount + 1 where id = $1`, [id]);
    expect(await word()).toBeNull();
  });

  it('is no concern of a process that no longer leads the chain', async () => {
    const { id } = await paid(1_000);
    nodes[1].sightings = [...nodes[0].sightings];
    await database.query(`update lease set epoch = epoch + 1`);
    await look();
    const [row] = await database.query<{ at: string | null }>(
      `select second_node_at as at from deposit where id = $1`,
      [id],
    );
    expect([row?.at, reported]).toEqual([null, 0]);
  });
});

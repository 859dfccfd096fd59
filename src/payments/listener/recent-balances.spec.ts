import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aChain, aMerchant, anIntent, freeAddresses, type SeededChain } from '../../../test/support/factories.js';
import { copiesOfIntent } from '../../../test/support/intent-copies.js';
import { LogLines } from '../../../test/support/log-lines.js';
import { MemoryChain } from '../../../test/support/memory-chain.js';
import { readTypedByGenericPlan } from '../../../test/support/query-plan.js';
import { query } from '../../../test/support/sql.js';
import { type BlockRef, type ChainClient, ChainUnavailable } from '../../chains/chain.js';
import { EVM_NETWORKS } from '../../domain/network.js';
import type { Tenant } from '../../domain/tenant.js';
import type { Database } from '../../platform/database/database.js';
import { createLogger } from '../../platform/logging.js';
import { nextRecent } from './native-reads.sql.js';
import { RecentBalances } from './recent-balances.js';

const DEPTH = 5;
const PER_REQUEST = 1_000;

const EXPIRE = `update payment_intent set status = 'expired', updated_at = now()`;

let db: TestDatabase;
let database: Database;
let tenant: Tenant;
let polygon: SeededChain;
let usdc: SeededChain;
let node: MemoryChain;
/** The requests to the node: at which block, about which addresses, when. */
let asked: { readonly hash: string; readonly addresses: readonly string[]; readonly atMs: number }[];
let answer: (client: ChainClient, block: BlockRef, addresses: readonly string[]) => Promise<readonly bigint[]>;
let balancesPerRequest: number;
let nowMs: number;
let named: string[];
let log: LogLines;
let recent: RecentBalances;

beforeEach(async () => {
  db = await freshDatabase();
  database = db.database;
  tenant = await aMerchant(database);
  polygon = await aChain(database, { network: 'polygon', coin: 'POL' });
  usdc = { ...polygon, symbol: 'USDC', contract: `0x${'a1'.repeat(20)}`, decimals: 6 };
  node = new MemoryChain({ height: 100, hash: `0x${'01'.repeat(32)}` }, DEPTH);
  asked = [];
  answer = (client, block, addresses) => client.balancesAt(block, addresses);
  balancesPerRequest = PER_REQUEST;
  nowMs = 0;
  named = [];
  log = new LogLines();
  recent = opened();
});
afterEach(() => db.drop());

/** As the listener opens it, over a node in memory and by a clock that runs only while it is waited for. */
function opened(): RecentBalances {
  return new RecentBalances(
    {
      chainRef: polygon.chainRef,
      profile: { environment: 'sandbox', addressFamily: 'evm' },
      nodes: { askInUse: (question) => question(asking()).catch(unknownWhenUnavailable) },
      database,
      logger: createLogger('warn', { destination: log }),
      onExcess: (addresses) => named.push(...addresses),
    },
    {
      nowMs: () => nowMs,
      sleep: async (ms) => {
        nowMs += ms;
      },
    },
  );
}

/** The node, with what it is asked for written down. */
function asking(): ChainClient {
  return Object.assign(Object.create(node) as MemoryChain, {
    balancesPerRequest,
    balancesAt: (block: BlockRef, addresses: readonly string[]) => {
      asked.push({ hash: block.hash, addresses, atMs: nowMs });
      return answer(node, block, addresses);
    },
  });
}

function unknownWhenUnavailable(error: unknown): null {
  if (error instanceof ChainUnavailable) return null;
  throw error;
}

const pay = (to: string, amount: bigint): void => node.mine({ inside: [{ to, amount }] });
const check = async (): Promise<void> => recent.check(await node.head());
const askedAddresses = (): string[] => asked.flatMap(({ addresses }) => addresses);

describe('the balances of recent addresses', () => {
  it('are those of intents that are open or ended within a day, in any token and on any network of the family', async () => {
    const bnb = await aChain(database, { network: 'bnb' });
    const addressOf = async (chain: SeededChain, age?: string): Promise<string> => {
      const { id, address } = await anIntent(database, { tenant, chain });
      if (age !== undefined) {
        await db.query(`${EXPIRE} - $2::interval where id = $1`, [id, age]);
      }
      return address;
    };
    const wanted = [
      await addressOf(usdc),
      await addressOf(polygon),
      await addressOf(bnb),
      await addressOf(usdc, '1 second'),
      await addressOf(usdc, '23 hours 59 minutes'),
    ];
    await addressOf(usdc, '1 day');
    await freeAddresses(database, 2);
    await check();
    expect(asked).toHaveLength(1);
    expect(askedAddresses().toSorted()).toEqual(wanted.toSorted());
  });

  it('name the addresses that hold more than the books say, and no others', async () => {
    const { address } = await anIntent(database, { tenant, chain: usdc });
    const known = await anIntent(database, { tenant, chain: polygon });
    const short = await anIntent(database, { tenant, chain: polygon });
    for (const { id, address: to } of [known, short]) {
      await db.query(
        `insert into deposit (id, chain_ref, token_contract, position, to_address, amount, block_height, block_hash,
           block_time, status, confirmed_at, address_id, intent_id, merchant_id)
         select 'dep_' || $1, $2, 'native', -1, $3, 5, 100, 'block', now(), 'confirmed', now(), address.id, $1, $4
           from pool_address address where address_key = $3`,
        [id, polygon.chainRef, to, tenant.merchantId],
      );
    }
    pay(known.address, 5n);
    pay(short.address, 4n);
    pay(address, 7n);
    await check();
    expect(named).toEqual([address]);
    expect(log.lines).toEqual([]);
  });

  it('are read at the newest block, and again only when there is a newer one', async () => {
    const { address } = await anIntent(database, { tenant, chain: usdc });
    await check();
    await check();
    expect(asked.map(({ hash }) => hash)).toEqual([(await node.head()).hash]);
    pay(address, 1n);
    await check();
    await check();
    expect(asked.map(({ hash }) => hash).slice(1)).toEqual([(await node.head()).hash]);
    expect(named).toEqual([address]);
  });

  it('of 10,000 addresses take ten requests a round, and two in any second at most, however fast blocks come', async () => {
    const { id, address } = await anIntent(database, { tenant, chain: usdc });
    const all = [address, ...(await copiesOfIntent(database, id, 9_999))];
    answer = async (client, block, addresses) => {
      // In the midst of the first two rounds comes a block, which the next round reads.
      if (asked.length % 10 === 5 && asked.length < 20) {
        node.mine();
        void recent.check(await node.head());
      }
      return client.balancesAt(block, addresses);
    };
    await check();
    expect(asked).toHaveLength(30);
    for (let first = 0; first < asked.length; first += 10) {
      const round = asked.slice(first, first + 10).flatMap(({ addresses }) => addresses);
      expect(round.toSorted()).toEqual(all.toSorted());
    }
    const times = asked.map(({ atMs }) => atMs);
    for (const [index, atMs] of times.entries()) expect((times[index + 2] ?? Infinity) - atMs).toBeGreaterThan(1_000);
    // Each address is read once in six seconds, so coins are noticed well within 15.
    const between = times.map((atMs, index) => (times[index + 10] ?? atMs) - atMs);
    expect(Math.max(...between)).toBeLessThanOrEqual(6_000);
  });

  it('of few addresses take one request in six seconds', async () => {
    await anIntent(database, { tenant, chain: usdc });
    for (let block = 0; block < 5; block++) {
      node.mine();
      await check();
    }
    expect(asked.map(({ atMs }) => atMs)).toEqual([0, 6_000, 12_000, 18_000, 24_000]);
  });

  it('cost no request while there is no recent intent', async () => {
    await freeAddresses(database, 3);
    node.mine();
    await check();
    expect(asked).toEqual([]);
  });

  it('pass over no intent that ends while the round is under way, and find those that are new in the next', async () => {
    const { id, address } = await anIntent(database, { tenant, chain: usdc });
    const all = [address, ...(await copiesOfIntent(database, id, 2_499))];
    const added: string[] = [];
    answer = async (client, block, addresses) => {
      if (asked.length === 1) {
        // Every intent, inside and outside of the first page, ends now.
        await db.query(EXPIRE);
        added.push((await anIntent(database, { tenant, chain: usdc })).address);
      }
      return client.balancesAt(block, addresses);
    };
    await check();
    expect(all.filter((one) => !askedAddresses().includes(one))).toEqual([]);
    asked = [];
    answer = (client, block, addresses) => client.balancesAt(block, addresses);
    node.mine();
    await check();
    expect(askedAddresses().toSorted()).toEqual([...all, ...added].toSorted());
  });

  it('are asked for again from the point where the node failed, after a pause that grows', async () => {
    const { id, address } = await anIntent(database, { tenant, chain: usdc });
    const all = [address, ...(await copiesOfIntent(database, id, 1_499))];
    let failures = 0;
    answer = async (client, block, addresses) => {
      if (asked.length === 1 || failures === 7) return client.balancesAt(block, addresses);
      failures++;
      throw new ChainUnavailable('The node does not have the block.');
    };
    await check();
    // The listener checks again with each of its polls. Six more of them fail.
    for (let polls = 0; polls < 6; polls++) await check();
    await check();
    const pauses = asked.slice(2).map(({ atMs }, index) => atMs - (asked[index + 1]?.atMs ?? 0));
    expect(pauses).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    const read = [asked[0], asked.at(-1)].flatMap((request) => request?.addresses ?? []);
    expect(read.toSorted()).toEqual(all.toSorted());
    expect(asked).toHaveLength(9);
  });

  it('are believed in nothing but an excess: a node that shows none, or too little, changes nothing', async () => {
    const { address } = await anIntent(database, { tenant, chain: usdc });
    pay(address, 5n);
    answer = async (_client, _block, addresses) => addresses.map(() => 0n);
    await check();
    expect(named).toEqual([]);
    answer = (client, block, addresses) => client.balancesAt(block, addresses);
    node.mine();
    await check();
    expect(named).toEqual([address]);
    expect(await db.query(`select from deposit`)).toEqual([]);
  });

  it('are not asked for one by one of a node that can do no better, which the log says once', async () => {
    await anIntent(database, { tenant, chain: usdc });
    balancesPerRequest = 100;
    await check();
    await check();
    expect(asked).toEqual([]);
    expect(log.lines).toEqual([expect.objectContaining({ level: 'warn', chainRef: polygon.chainRef })]);
    balancesPerRequest = PER_REQUEST;
    await check();
    expect(asked).toHaveLength(1);
  });

  it('are asked for no more once stopped, and a fault of ours breaks nothing', async () => {
    await anIntent(database, { tenant, chain: usdc });
    const cut = new RecentBalances({
      chainRef: polygon.chainRef,
      profile: { environment: 'sandbox', addressFamily: 'evm' },
      nodes: { askInUse: () => Promise.reject(new Error('out of memory')) },
      database,
      logger: createLogger('warn', { destination: log }),
      onExcess: (addresses) => named.push(...addresses),
    });
    await cut.check(await node.head());
    expect(log.lines).toEqual([expect.objectContaining({ level: 'error' })]);
    // The pause after that failure ends at once.
    const checking = cut.check(await node.head());
    await cut.stop();
    await checking;
    expect(log.lines).toHaveLength(1);
    await recent.stop();
    await check();
    expect(asked).toEqual([]);
  });

  it('are found in few pages of an index, however many intents there are [J-139]', async () => {
    const { id } = await anIntent(database, { tenant, chain: usdc });
    await copiesOfIntent(database, id, 5_000);
    await db.query(`${EXPIRE} - interval '2 days' where id like '%0'`);
    await query(db.owner, `analyze`);
    const page = (endedAt: string, from: string) =>
      readTypedByGenericPlan(database, nextRecent('sandbox', EVM_NETWORKS, { endedAt, id: from }));
    const rows = await db.query<{ id: string }>(`select id from payment_intent order by id`);
    const first = await page('infinity', 'pj');
    const middle = await page('infinity', rows[rows.length >> 1]?.id ?? '');
    for (const { scans, pages } of [first, middle]) {
      // The order of the index on a large table; on one as small as this, a sort is as good.
      expect(scans[0]).toMatch(
        /^(Index Scan on payment_intent by payment_intent_recent|Bitmap Heap Scan on payment_intent)$/,
      );
      expect(scans.slice(1)).toEqual(['Index Scan on pool_address by pool_address_intent_id_key']);
      // Five for each of the 1,000: an index of three levels and two rows.
      expect(pages).toBeLessThan(6_000);
    }
    const over = await page('-infinity', '');
    expect(over.pages).toBeLessThan(10);
  });
});

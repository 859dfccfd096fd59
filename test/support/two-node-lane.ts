import { type BlockRef, ChainUnavailable, type Sighting } from '../../src/chains/chain.js';
import { ChainNodes } from '../../src/chains/nodes/chain-nodes.js';
import { NodeHealth } from '../../src/chains/nodes/node-health.js';
import { DepositRecorder } from '../../src/payments/listener/deposit-recorder.service.js';
import { blockOpinions } from '../../src/payments/listener/node-reports.js';
import { SecondNode } from '../../src/payments/listener/second-node.js';
import { newId } from '../../src/domain/ids.js';
import type { Tenant } from '../../src/domain/tenant.js';
import type { Database } from '../../src/platform/database/database.js';
import { createLogger } from '../../src/platform/logging.js';
import { freshDatabase, type TestDatabase } from './database.js';
import { aChain, aDeposit, aMerchant, anIntent, type SeededChain, type SeededIntent } from './factories.js';
import { holdLease } from './leases.js';
import { MemoryChain } from './memory-chain.js';
import { FLOORED_NOW, query } from './sql.js';

const LEASE = { name: 'listener:test', epoch: 1 };
const ABOVE_CENTS = 100_000;

/** All blocks up to here are final. */
export const FINAL_HEIGHT = 97;

/** A node that reports what a spec sets, or does not have any block. */
class TellingNode extends MemoryChain {
  sightings: Sighting[] = [];
  balances = new Map<string, bigint>();
  isAway = false;
  isPruned = false;
  /** Hash of the block at which our own code fails. */
  breaksAt: string | null = null;

  override async transfersIn(block?: BlockRef, tokens: readonly string[] = []): Promise<readonly Sighting[]> {
    if (block?.hash === this.breaksAt) throw new Error('ours');
    if (this.isAway) throw new ChainUnavailable('The node has no such block.');
    return this.sightings.filter(({ token }) => tokens.includes(token));
  }

  override async balancesAt(_block: BlockRef, addresses: readonly string[]): Promise<readonly bigint[]> {
    if (this.isPruned) throw new ChainUnavailable('The node no longer has these balances.');
    return addresses.map((address) => this.balances.get(address) ?? 0n);
  }
}

/** The books of one chain with two nodes that a spec makes speak, and the ticks that make deposits final. */
export class TwoNodeLane {
  readonly nodes: readonly [TellingNode, TellingNode];
  /** Denials that were counted. */
  denied = 0;
  /** Times that the listener was notified of deposits which two nodes report. */
  reported = 0;

  private constructor(
    private readonly db: TestDatabase,
    readonly tenant: Tenant,
    readonly chain: SeededChain,
  ) {
    const start = { height: 1, hash: '0xgenesis' };
    this.nodes = [new TellingNode(start, 3), new TellingNode(start, 3)];
  }

  static async open(): Promise<TwoNodeLane> {
    const db = await freshDatabase();
    const { database } = db;
    const lane = new TwoNodeLane(db, await aMerchant(database), await aChain(database));
    await holdLease(database, LEASE);
    await query(
      database,
      `insert into chain_block (chain_ref, height, hash, parent_hash, block_time) values ($1, $2, '0xfinal', '0x', now())`,
      [lane.chain.chainRef, FINAL_HEIGHT],
    );
    return lane;
  }

  get database(): Database {
    return this.db.database;
  }

  close(): Promise<void> {
    return this.db.drop();
  }

  /** Runs beside each tick. */
  async check(): Promise<void> {
    const profile = { environment: 'sandbox', network: 'polygon', chainId: '31337', blockIntervalMs: 1_000 } as const;
    const [first, second] = this.nodes;
    const { chainRef } = this.chain;
    const nodes = new ChainNodes(profile, [
      { client: first, health: new NodeHealth('first') },
      { client: second, health: new NodeHealth('second') },
    ]);
    const secondNode = new SecondNode({
      chainRef,
      opinionsOn: (block) => blockOpinions(this.database, { chainRef, nodes }, block),
      aboveCents: ABOVE_CENTS,
      database: this.database,
      lease: LEASE,
      logger: createLogger('silent'),
      onReported: () => this.reported++,
      onDenied: (count) => (this.denied += count),
    });
    await secondNode.check();
  }

  /** Acts as the listener at each tick, once blocks up to `FINAL_HEIGHT` are final. */
  async tick(secondNodeAboveCents: number | null = ABOVE_CENTS): Promise<void> {
    const { chainRef } = this.chain;
    const [row] = await query<{ height: string; hash: string }>(
      this.database,
      `select height, hash from chain_cursor where chain_ref = $1`,
      [chainRef],
    );
    const cursor = { height: Number(row?.height), hash: row?.hash ?? '', finalizedHeight: FINAL_HEIGHT };
    const step = {
      rollbackTo: null,
      blocks: [],
      balances: [],
      headHeight: cursor.height,
      finalizedHeight: FINAL_HEIGHT,
      isCaughtUp: true,
    };
    const recorder = new DepositRecorder(this.database, createLogger('silent'));
    await recorder.record({ chainRef, cursor, step, lease: LEASE, readAt: new Date(), secondNodeAboveCents });
  }

  /** An intent over `dollars`, with a payment of `paidDollars` in a final block that only the first node has reported. */
  async paid(dollars: number, paidDollars = dollars): Promise<{ intent: SeededIntent; id: string }> {
    const { tenant, chain } = this;
    const intent = await anIntent(this.database, { tenant, chain, amountCents: dollars * 100 });
    const id = await aDeposit(this.database, intent, this.aPartOf(paidDollars));
    this.nodes[0].sightings.push(await this.sightingOf(id));
    return { intent, id };
  }

  /** Traits of a payment in a final block. */
  aPartOf(dollars: number): { readonly amount: bigint; readonly blockHeight: number } {
    return { amount: BigInt(dollars) * 10n ** BigInt(this.chain.decimals), blockHeight: FINAL_HEIGHT };
  }

  /** Coins of no intent on its address, without a transaction unless they are `count` transfers. */
  async addDust(intent: SeededIntent, blockHash: string, count: number | null = null): Promise<void> {
    await query(
      this.database,
      `insert into deposit (id, chain_ref, token_contract, tx_hash, from_address, position, to_address, amount,
         block_height, block_hash, block_time, seen_at, status, address_id, unattributed_reason)
       select $1 || nth, $2, case when $5::int is null then 'native' else '0xdust' end,
              case when $5::int is not null then '0x' || nth end, case when $5::int is not null then '0xsender' end,
              case when $5::int is null then -1 else 0 end, address, 1, $3, $4, now(), now() - interval '1 hour', 'seen',
              id, 'other_token'
         from pool_address, generate_series(1, coalesce($5::int, 1)) as nth where address = $6`,
      [newId('dep_'), this.chain.chainRef, FINAL_HEIGHT - 1, blockHash, count, intent.address],
    );
  }

  readonly sightingOf = async (id: string): Promise<Sighting> => {
    const row = await this.rowOf(id);
    return {
      txHash: row['tx_hash'] ?? '',
      position: Number(row['position']),
      token: row['token_contract'] ?? '',
      from: row['from_address'] ?? '',
      to: row['to_address'] ?? '',
      amount: BigInt(row['amount'] ?? 0),
    };
  };

  readonly statusOf = async (id: string): Promise<string | undefined> => (await this.rowOf(id))['status'];

  readonly blockHashOf = async (id: string): Promise<string> => (await this.rowOf(id))['block_hash'] ?? '';

  async askAgain(): Promise<void> {
    await query(this.database, `update deposit set second_node_due_at = ${FLOORED_NOW} where status = 'seen'`);
  }

  private async rowOf(id: string): Promise<Record<string, string>> {
    const [row] = await query<Record<string, string>>(this.database, `select * from deposit where id = $1`, [id]);
    return row ?? {};
  }
}

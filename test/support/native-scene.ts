import { type Cursor, readStep } from '../../src/payments/listener/chain-reader.js';
import type { DepositRecorder } from '../../src/payments/listener/deposit-recorder.service.js';
import type { NativeReading } from '../../src/payments/listener/native-read-planner.js';
import type { Database } from '../../src/platform/database/database.js';
import { aChain, aMerchant, anIntent, type SeededChain, type SeededIntent } from './factories.js';
import { holdLease } from './leases.js';
import { MemoryChain } from './memory-chain.js';
import { query } from './sql.js';

/** Blocks required on top of a final one. */
export const NATIVE_DEPTH = 5;

const NATIVE_LEASE = { name: 'listener', epoch: 7 };

/** A deposit as it is stored. */
export interface StoredDeposit {
  tx_hash: string | null;
  amount: string;
  status: string;
  block_height: string;
  block_hash: string;
  intent_id: string | null;
  unattributed_reason: string | null;
}

/** One chain of its own, an intent that waits for its coin, and how the service reads it. */
export class NativeScene {
  private constructor(
    private readonly database: Database,
    private readonly recorder: DepositRecorder,
    readonly chain: SeededChain,
    readonly node: MemoryChain,
    readonly intent: SeededIntent,
  ) {}

  /** Of the intent. */
  get address(): string {
    return this.intent.address;
  }

  static async set(database: Database, recorder: DepositRecorder): Promise<NativeScene> {
    await holdLease(database, NATIVE_LEASE);
    // Of one network only one chain is active.
    await query(database, `update chain set active = false`);
    const chain = await aChain(database, { coin: 'POL' });
    const intent = await anIntent(database, { tenant: await aMerchant(database), chain });
    const { height, hash } = await cursorOf(database, chain);
    await query(database, `insert into chain_block values ($1, $2, $3, $3, now())`, [chain.chainRef, height, hash]);
    return new NativeScene(database, recorder, chain, new MemoryChain({ height, hash }, NATIVE_DEPTH), intent);
  }

  /** Reads on from the cursor. Balances are read by a step that is caught up, or `quietly` without new blocks. */
  async read(
    what: Partial<NativeReading> & { readonly quietly?: boolean } = {},
  ): Promise<{ height: number; hash: string; balancesOf: readonly string[] }> {
    const { transactions = true, balancesOf = [this.address], quietly = false } = what;
    const cursor = await this.cursor();
    let asked: readonly string[] = [];
    const step = await readStep(this.node, cursor, {
      tokens: [],
      refreshWatched: async () => () => true,
      native: {
        plan: async (isCaughtUp) => {
          asked = isCaughtUp ? balancesOf : [];
          return { ...what, transactions, balancesOf: asked };
        },
        planWithoutBlocks: () => {
          asked = quietly ? balancesOf : [];
          return { transactions: false, balancesOf: asked };
        },
        readAsOf: (time) => time,
      },
      recordedHashAt: (height) => this.recordedHashAt(height),
    });
    await this.recorder.record({
      chainRef: this.chain.chainRef,
      cursor,
      step,
      lease: NATIVE_LEASE,
      readAt: new Date(),
      secondNodeAboveCents: null,
    });
    const { height, hash } = await this.cursor();
    return { height, hash, balancesOf: asked };
  }

  cursor(): Promise<Cursor> {
    return cursorOf(this.database, this.chain);
  }

  /** Sets the cursor back, as an operator does to read blocks again. */
  async setBack(height: number): Promise<void> {
    const hash = await this.recordedHashAt(height);
    await query(this.database, `update chain_cursor set height = $2, hash = $3 where chain_ref = $1`, [
      this.chain.chainRef,
      height,
      hash,
    ]);
  }

  async recordedHashAt(height: number): Promise<string | null> {
    const [row] = await query<{ hash: string }>(
      this.database,
      `select hash from chain_block where chain_ref = $1 and height = $2`,
      [this.chain.chainRef, height],
    );
    return row?.hash ?? null;
  }

  async recordedHeights(): Promise<number[]> {
    const rows = await query<{ height: string }>(
      this.database,
      `select height from chain_block where chain_ref = $1 order by height`,
      [this.chain.chainRef],
    );
    return rows.map((row) => Number(row.height));
  }

  /** Every deposit of an address that counts, in the order of the chain. */
  async deposits(address = this.address): Promise<StoredDeposit[]> {
    return query<StoredDeposit>(
      this.database,
      `select tx_hash, amount, status, block_height, block_hash, intent_id, unattributed_reason from deposit
        where chain_ref = $1 and to_address = $2 and status <> 'orphaned' order by block_height, tx_hash nulls last`,
      [this.chain.chainRef, address],
    );
  }

  async booked(address = this.address): Promise<bigint> {
    return (await this.deposits(address)).reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  }
}

async function cursorOf(database: Database, { chainRef }: SeededChain): Promise<Cursor> {
  const [row] = await query<{ height: string; hash: string; finalized_height: string }>(
    database,
    `select height, hash, least(finalized_height, height) as finalized_height from chain_cursor where chain_ref = $1`,
    [chainRef],
  );
  return { height: Number(row?.height), hash: row?.hash ?? '', finalizedHeight: Number(row?.finalized_height) };
}

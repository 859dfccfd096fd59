import type { Logger } from 'pino';
import type { ChainNodes } from '../../chains/nodes/chain-nodes.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { type Database, sql } from '../../platform/database/database.js';
import { assertLease, type HeldLease, LeaseLost } from '../../platform/leases.js';
import { type BalanceBlock, type QuestionedBlock, type QuestionedDeposit, reportedBy } from './node-reports.js';
import { hasNodesEnough } from './second-node-rule.js';

const DEPOSITS_PER_CHECK_MAX = 100;
const NODES_ENOUGH = 2;

/** A deposit is asked about again after a tenth of its age, within these bounds. */
const ASK_AGAIN_MIN_SECONDS = 2;
const ASK_AGAIN_MAX_SECONDS = 60;

export interface SecondNodeOptions {
  readonly chainRef: string;
  readonly nodes: ChainNodes;
  /** Deposits worth this many fiat minor units or more need two nodes. */
  readonly aboveCents: number;
  readonly database: Database;
  readonly lease: HeldLease;
  readonly logger: Logger;
  /** Called when two nodes have reported deposits that waited for it. */
  readonly onReported: () => void;
  /** Called when a node denies deposits that another one reported. */
  readonly onDenied: (count: number) => void;
}

interface WaitingRow {
  id: string;
  tx_hash: string | null;
  position: number;
  token_contract: string;
  to_address: string;
  amount: string;
  block_height: string;
  block_hash: string;
  known_units: string;
}

/** The answers of the nodes about one deposit. */
interface Verdict {
  readonly deposit: QuestionedDeposit;
  readonly blockHash: string;
  readonly isReported: boolean;
}

/**
 * Prevents one node from inventing a large payment: such a deposit becomes final only once two nodes have reported it
 * in the same block. Both are asked at that time, whichever node it was read from before, and none may deny it. Runs
 * beside the listener's ticks, so that a hanging node delays only these deposits.
 */
export class SecondNode {
  private checking: Promise<void> | null = null;
  private isStopped = false;

  constructor(private readonly options: SecondNodeOptions) {}

  /** Asks about the waiting deposits, or joins the check that is under way. Never fails. */
  async check(): Promise<void> {
    if (this.isStopped) return;
    this.checking ??= this.checkSafely().finally(() => (this.checking = null));
    await this.checking;
  }

  /** Ends after the current question. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.checking;
  }

  private async checkSafely(): Promise<void> {
    const { logger, chainRef } = this.options;
    try {
      await this.checkOnce();
    } catch (error) {
      if (error instanceof LeaseLost) logger.warn({ chainRef }, error.message);
      else logger.error({ chainRef, err: error }, 'The second node could not be asked.');
    }
  }

  private async checkOnce(): Promise<void> {
    const blocks = await this.waiting();
    const balanceBlock = blocks.length === 0 ? null : await this.newestFinalBlock();
    if (balanceBlock === null) return;
    for (const block of blocks) {
      if (this.isStopped) return;
      const verdicts = await this.judge(block, balanceBlock);
      await this.write(verdicts);
      if (verdicts.some(({ isReported }) => isReported)) this.options.onReported();
    }
  }

  private async judge(block: QuestionedBlock, balanceBlock: BalanceBlock): Promise<Verdict[]> {
    const { nodes, logger, chainRef, onDenied } = this.options;
    const opinions = await nodes.ask((client) => reportedBy(client, block, balanceBlock));
    return block.deposits.map((deposit) => {
      const deniers = opinions.filter(({ answer }) => !answer.has(deposit.id)).map(({ label }) => label);
      if (deniers.length > 0) {
        onDenied(1);
        const { id, txHash, to } = deposit;
        logger.error({ chainRef, deposit: id, txHash, to, block: block.hash, deniers }, 'A node denies a deposit.');
      }
      const isReported = deniers.length === 0 && opinions.length >= NODES_ENOUGH;
      return { deposit, blockHash: block.hash, isReported };
    });
  }

  /**
   * Returns the deposits that need only a second node to become final, by block. Those of an intent come first, then
   * the longest waiting: unattributed dust delays no payment.
   */
  private async waiting(): Promise<readonly QuestionedBlock[]> {
    const { database, chainRef, aboveCents } = this.options;
    const rows = await database.query<WaitingRow>(
      // Coins that we send from an address must be subtracted from its known units, as in native-remainders.ts.
      `select deposit.id, deposit.tx_hash, deposit.position, deposit.token_contract, address.address_key as to_address,
              deposit.amount, deposit.block_height, deposit.block_hash,
              case when deposit.tx_hash is null then
                (select sum(known.amount) from deposit known
                  where known.chain_ref = $1 and known.address_id = deposit.address_id and known.status <> 'orphaned'
                    and known.token_contract = '${NATIVE_COIN}' and known.block_height <= cursor.finalized_height)
              else 0 end as known_units
         from deposit
         join chain_cursor cursor on cursor.chain_ref = deposit.chain_ref
         join pool_address address on address.id = deposit.address_id
        where deposit.chain_ref = $1 and deposit.status = 'seen' and deposit.block_height <= cursor.finalized_height
          and not ${hasNodesEnough('$1', '$2')}
          and (deposit.second_node_due_at is null or deposit.second_node_due_at <= now())
        order by deposit.intent_id is null, coalesce(deposit.second_node_due_at, deposit.seen_at) limit $3`,
      [chainRef, aboveCents, DEPOSITS_PER_CHECK_MAX],
    );
    return blocksOf(rows);
  }

  private async newestFinalBlock(): Promise<BalanceBlock | null> {
    const [row] = await this.options.database.query<{ height: string; hash: string }>(
      `select block.height, block.hash from chain_cursor cursor
         join chain_block block on block.chain_ref = cursor.chain_ref and block.height = cursor.finalized_height
        where cursor.chain_ref = $1`,
      [this.options.chainRef],
    );
    return row === undefined ? null : { height: Number(row.height), hash: row.hash };
  }

  private async write(verdicts: readonly Verdict[]): Promise<void> {
    const { database, lease } = this.options;
    await database.transaction(async (tx) => {
      await assertLease(tx, lease.name, lease.epoch);
      await sql(
        tx,
        // The answers are about what was read: the block or the amount may have changed since.
        `update deposit
            set second_node_at = case when verdict.is_reported then now() end,
                second_node_due_at = case when not verdict.is_reported then now() + greatest(
                  least((now() - seen_at) / 10, make_interval(secs => $6)), make_interval(secs => $5)) end
           from unnest($1::text[], $2::text[], $3::numeric[], $4::boolean[]) as verdict (id, hash, amount, is_reported)
          where deposit.id = verdict.id and deposit.block_hash = verdict.hash and deposit.amount = verdict.amount
            and deposit.status = 'seen'`,
        [
          verdicts.map(({ deposit }) => deposit.id),
          verdicts.map(({ blockHash }) => blockHash),
          verdicts.map(({ deposit }) => deposit.amount.toString()),
          verdicts.map(({ isReported }) => isReported),
          ASK_AGAIN_MIN_SECONDS,
          ASK_AGAIN_MAX_SECONDS,
        ],
      );
    });
  }
}

/**
 * Groups by block, remainders apart: a node that cannot report their balance can still report the transfers of their
 * block.
 */
function blocksOf(rows: readonly WaitingRow[]): readonly QuestionedBlock[] {
  const byQuestion = Map.groupBy(rows, (row) => `${row.block_hash} ${row.tx_hash === null}`);
  return [...byQuestion.values()].map((ofBlock) => ({
    height: Number(ofBlock[0]?.block_height),
    hash: ofBlock[0]?.block_hash ?? '',
    deposits: ofBlock.map((row) => ({
      id: row.id,
      txHash: row.tx_hash,
      position: row.position,
      token: row.token_contract,
      to: row.to_address,
      amount: BigInt(row.amount),
      knownUnits: BigInt(row.known_units),
    })),
  }));
}

import type { Logger } from 'pino';
import type { Opinion } from '../../chains/nodes/chain-nodes.js';
import { type Database, rows } from '../../platform/database/database.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { assertLease, type HeldLease, LeaseLost } from '../../platform/leases.js';
import type { QuestionedBlock, QuestionedDeposit } from './node-reports.js';
import { findWaitingForNode, storeVerdicts } from './second-node.sql.js';

const DEPOSITS_PER_CHECK_MAX = 100;
const NODES_ENOUGH = 2;

/** A deposit is asked about again after a tenth of its age, within these bounds. */
const ASK_AGAIN = { minSeconds: 2, maxSeconds: 60 };

export interface SecondNodeOptions {
  readonly chainRef: string;
  /** Asks all nodes about a block: each answers with the ids of the deposits that it reports too. */
  readonly opinionsOn: (block: QuestionedBlock) => Promise<readonly Opinion<ReadonlySet<string>>[]>;
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

type WaitingRow = RowOf<typeof findWaitingForNode>;

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
    for (const block of blocks) {
      if (this.isStopped) return;
      const verdicts = await this.judge(block);
      await this.write(verdicts);
      if (verdicts.some(({ isReported }) => isReported)) this.options.onReported();
    }
  }

  private async judge(block: QuestionedBlock): Promise<Verdict[]> {
    const { opinionsOn, logger, chainRef, onDenied } = this.options;
    const opinions = await opinionsOn(block);
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
    const waiting = await database.rows(findWaitingForNode(chainRef, aboveCents, DEPOSITS_PER_CHECK_MAX));
    return blocksOf(waiting);
  }

  private async write(verdicts: readonly Verdict[]): Promise<void> {
    const { database, lease } = this.options;
    await database.transaction(async (tx) => {
      await assertLease(tx, lease.name, lease.epoch);
      const written = verdicts.map(({ deposit, ...verdict }) => ({
        id: deposit.id,
        amount: deposit.amount,
        ...verdict,
      }));
      await rows(tx, storeVerdicts(written, ASK_AGAIN));
    });
  }
}

/**
 * Groups by block, remainders apart: a node that cannot report their balance can still report the transfers of their
 * block.
 */
function blocksOf(waiting: readonly WaitingRow[]): readonly QuestionedBlock[] {
  const byQuestion = Map.groupBy(waiting, (row) => `${row.blockHash} ${row.txHash === null}`);
  return [...byQuestion.values()].map((ofBlock) => ({
    height: Number(ofBlock[0]?.blockHeight),
    hash: ofBlock[0]?.blockHash ?? '',
    deposits: ofBlock.map((row) => ({
      id: row.id,
      txHash: row.txHash,
      position: row.position,
      token: row.tokenContract,
      to: row.addressKey,
      amount: BigInt(row.amount),
      knownUnits: BigInt(row.knownUnits),
    })),
  }));
}

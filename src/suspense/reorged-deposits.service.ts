import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { NodeSession } from '../chains/nodes/chain-nodes.js';
import { type FinalTransfer, presenceOf, type Presence } from '../chains/transfer-presence.js';
import { idBefore } from '../domain/ids.js';
import { markDirty } from '../payments/intents/dirty-intents.js';
import { Database, rows, type Tx } from '../platform/database/database.js';
import { LOGGER } from '../platform/logging.js';
import { RecurringJob } from '../platform/recurring/recurring-job.js';
import type { RowOf } from '../platform/sql/sql.js';
import { ChainJob } from '../treasury/chain-job.js';
import { type TreasuryChain, TreasuryChains } from '../treasury/treasury-chains.service.js';
import { freezeWallet } from '../treasury/wallets/wallet-freeze.js';
import {
  dueChains,
  findFinal,
  inDoubt,
  intentsWaitingFor,
  marked,
  markGone,
  oldestBlockTime,
  unmarkGone,
} from './reorged-deposits.sql.js';

const BATCH = 500;
const OPINION_WITHIN_MS = 10_000;
/** An id is as old as the first sighting, by the clock of the process that made it. */
const ID_MARGIN_MS = 24 * 3_600_000;

const FREEZE_REASON = 'Deposits that were final are gone from the chain.';

/** Below the id of every deposit. */
const BELOW_ALL_IDS = '';

type DepositRow = RowOf<typeof inDoubt>;

interface Marked {
  readonly reorged: readonly string[];
  readonly back: readonly string[];
}

/**
 * Finds final deposits that were reorged, on chains that the listener has halted, and marked ones that are back. It
 * marks them, logs them and freezes the hot wallet. Staff decide whether the books follow, because a node on a wrong
 * fork answers like a chain that lost its blocks.
 *
 * Coins that only a balance showed have no transaction to ask for; the listener logs what is missing there.
 */
@Injectable()
export class ReorgedDeposits {
  private readonly job: ChainJob<TreasuryChain>;

  constructor(
    private readonly database: Database,
    private readonly chains: TreasuryChains,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.job = new ChainJob('reorged deposits', chains, logger);
  }

  /** Checks every chain that is halted or has marked deposits; one that is down or hangs delays no other. */
  @RecurringJob({ role: 'worker', every: 5_000, leader: 'scheduler' })
  async check(): Promise<void> {
    const chains = await this.database.rows(dueChains);
    const due = new Map(chains.map(({ chainRef, isHalted }) => [chainRef, isHalted]));
    await this.job.run(due, (chain, isHalted) => this.checkChain(chain, isHalted));
  }

  /**
   * Asks the nodes about one deposit now, however deep it was, and marks it by their answers. Returns null when there
   * is no node to ask or no transaction to ask for: the mark stays as it is then.
   * @throws ChainUnavailable when no node answers.
   */
  async checkOne(id: string): Promise<Presence | null> {
    const [row] = await this.database.rows(findFinal(id));
    const chain = row === undefined ? null : await this.chains.find(row.chainRef);
    if (row === undefined || chain === null) return null;
    const { reorged, there } = await this.judge(chain, [finalTransferOf(row)]);
    if (reorged.length > 0) return 'gone';
    return there.length > 0 ? 'there' : 'unknown';
  }

  private async checkChain(chain: TreasuryChain, isHalted: boolean): Promise<void> {
    await this.judgeAll(chain, BELOW_ALL_IDS, marked);
    if (!isHalted) return;
    const oldest = await this.oldestInDoubt(chain.chainRef);
    if (oldest !== null) await this.judgeAll(chain, oldest, inDoubt);
  }

  /** Checks the deposits that a statement returns above an id, page by page. */
  private async judgeAll(chain: TreasuryChain, above: string, page: typeof inDoubt): Promise<void> {
    let after: string | null = above;
    while (after !== null) {
      const found: readonly DepositRow[] = await this.database.rows(
        page({ chainRef: chain.chainRef, above: after, limit: BATCH }),
      );
      await this.judge(chain, found.map(finalTransferOf));
      after = found.length < BATCH ? null : (found.at(-1)?.id ?? null);
    }
  }

  private async judge(
    { chainRef, nodes }: TreasuryChain,
    transfers: readonly FinalTransfer[],
  ): Promise<Readonly<Record<'reorged' | 'there', readonly string[]>>> {
    if (transfers.length === 0) return { reorged: [], there: [] };
    const opinions = await nodes.attempt((session) => opinionsOn(session, transfers));
    const ids = transfers.map(({ id }) => id);
    const said = (id: string): (Presence | undefined)[] => opinions.map((opinion) => opinion.get(id));
    // Reorged when every node that answers says so; back when one does.
    const reorged = ids.filter((id) => said(id).every((word) => word === 'gone'));
    const there = ids.filter((id) => said(id).includes('there'));
    const changed = await this.database.transaction(async (tx) => ({
      reorged: await mark(tx, chainRef, reorged),
      back: await unmark(tx, there),
    }));
    this.report(chainRef, changed);
    return { reorged, there };
  }

  private report(chainRef: string, { reorged, back }: Marked): void {
    if (reorged.length > 0) this.logger.fatal({ chainRef, deposits: reorged }, 'Final deposits were reorged.');
    if (back.length > 0) this.logger.warn({ chainRef, deposits: back }, 'Reorged deposits are back on the chain.');
  }

  /**
   * Returns an id below those of all deposits that may be in a block that the listener still stores; null when there is
   * none.
   */
  private async oldestInDoubt(chainRef: string): Promise<string | null> {
    const [oldest] = await this.database.rows(oldestBlockTime(chainRef));
    if (oldest === undefined) return null;
    return idBefore('dep_', new Date(new Date(oldest.blockTime).getTime() - ID_MARGIN_MS));
  }
}

async function mark(tx: Tx, chainRef: string, reorged: readonly string[]): Promise<readonly string[]> {
  const gone = await rows(tx, markGone(reorged));
  if (gone.length > 0) await freezeWallet(tx, chainRef, FREEZE_REASON);
  return gone.map(({ id }) => id);
}

/** A deposit that was reorged before it was credited is credited now: its intent must be settled again. */
async function unmark(tx: Tx, there: readonly string[]): Promise<readonly string[]> {
  const waiting = await rows(tx, intentsWaitingFor(there));
  await markDirty(tx, [...new Set(waiting.map(({ intentId }) => intentId))]);
  const back = await rows(tx, unmarkGone(there));
  return back.map(({ id }) => id);
}

/** Returns the answers of the nodes, the preferred one first. A node that was pointed at another chain has no say. */
async function opinionsOn(
  session: NodeSession,
  transfers: readonly FinalTransfer[],
): Promise<readonly ReadonlyMap<string, Presence>[]> {
  await session.verify();
  const first = await presenceOf(session.client, transfers);
  const others = await session.askOthers((client) => presenceOf(client, transfers), {
    isFresh: true,
    withinMs: OPINION_WITHIN_MS,
  });
  return [first, ...others.map(({ answer }) => answer)];
}

const finalTransferOf = ({ tokenContract, toAddress, amount, blockHeight, ...row }: DepositRow): FinalTransfer => ({
  ...row,
  token: tokenContract,
  to: toAddress,
  amount: BigInt(amount),
  blockHeight: Number(blockHeight),
});

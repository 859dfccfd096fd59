import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { NodeSession } from '../chains/nodes/chain-nodes.js';
import { type FinalTransfer, presenceOf, type Presence } from '../chains/transfer-presence.js';
import { idBefore } from '../domain/ids.js';
import { COMES_BACK_WITHIN } from '../payments/deposits/reorged-deposit.sql.js';
import { markDirty } from '../payments/intents/dirty-intents.js';
import { Database, type Tx, sql } from '../platform/database/database.js';
import { LOGGER } from '../platform/logging.js';
import { RecurringJob } from '../platform/recurring/recurring-job.js';
import { ChainJob } from '../treasury/chain-job.js';
import { type TreasuryChain, TreasuryChains } from '../treasury/treasury-chains.service.js';
import { freezeWallet } from '../treasury/wallets/wallet-freeze.js';

const BATCH = 500;
const OPINION_WITHIN_MS = 10_000;
/** An id is as old as the first sighting, by the clock of the process that made it. */
const ID_MARGIN_MS = 24 * 3_600_000;

/** SQL: reorged deposits that may come back. */
const MAY_COME_BACK = `
  deposit.gone_at is not null and (deposit.reversed_at is null or deposit.reversed_at > now() - ${COMES_BACK_WITHIN})`;

/** The columns that describe a deposit to a node. */
const TRANSFER = 'id, tx_hash, position, token_contract, to_address, amount, block_height, block_hash';

const FREEZE_REASON = 'Deposits that were final are gone from the chain.';

/** Chains that are halted, and those that have marked deposits. */
export const DUE_CHAINS_STATEMENT = `
  select cursor.chain_ref, cursor.halted_reason is not null as is_halted
    from chain_cursor cursor
   where cursor.halted_reason is not null
      or exists (select from deposit where deposit.chain_ref = cursor.chain_ref and ${MAY_COME_BACK})`;

/**
 * Final deposits of the chain $1 in blocks that the listener still stores, above the id $2, at most $3: a range of the
 * primary key, since no index has the height of final deposits.
 */
export const IN_DOUBT_STATEMENT = `
  select ${TRANSFER} from deposit
   where id > $2 and chain_ref = $1 and status = 'confirmed' and gone_at is null and tx_hash is not null
     and block_height >= (select min(height) from chain_block where chain_ref = $1)
   order by id limit $3`;

/** Below the id of every deposit. */
const BELOW_ALL_IDS = '';

/** Marked deposits of the chain $1 above the id $2 that may be back, at most $3. */
const MARKED_STATEMENT = `
  select ${TRANSFER} from deposit
   where id > $2 and chain_ref = $1 and tx_hash is not null and ${MAY_COME_BACK} order by id limit $3`;

interface DepositRow {
  id: string;
  tx_hash: string;
  position: number;
  token_contract: string;
  to_address: string;
  amount: string;
  block_height: string;
  block_hash: string;
}

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
  private readonly job: ChainJob;

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
    const rows = await this.database.query<{ chain_ref: string; is_halted: boolean }>(DUE_CHAINS_STATEMENT);
    const due = new Map(rows.map(({ chain_ref: chainRef, is_halted: isHalted }) => [chainRef, isHalted]));
    await this.job.run(due, (chain, isHalted) => this.checkChain(chain, isHalted));
  }

  /**
   * Asks the nodes about one deposit now, however deep it was, and marks it by their answers. Returns null when there
   * is no node to ask or no transaction to ask for: the mark stays as it is then.
   * @throws ChainUnavailable when no node answers.
   */
  async checkOne(id: string): Promise<Presence | null> {
    const [row] = await this.database.query<DepositRow & { chain_ref: string }>(
      `select chain_ref, ${TRANSFER} from deposit where id = $1 and status = 'confirmed' and tx_hash is not null`,
      [id],
    );
    const chain = row === undefined ? null : await this.chains.find(row.chain_ref);
    if (row === undefined || chain === null) return null;
    const { reorged, there } = await this.judge(chain, [finalTransferOf(row)]);
    if (reorged.length > 0) return 'gone';
    return there.length > 0 ? 'there' : 'unknown';
  }

  private async checkChain(chain: TreasuryChain, isHalted: boolean): Promise<void> {
    await this.judgeAll(chain, BELOW_ALL_IDS, MARKED_STATEMENT);
    if (!isHalted) return;
    const oldest = await this.oldestInDoubt(chain.chainRef);
    if (oldest !== null) await this.judgeAll(chain, oldest, IN_DOUBT_STATEMENT);
  }

  /** Checks the deposits that a statement returns above an id, page by page. */
  private async judgeAll(chain: TreasuryChain, above: string, statement: string): Promise<void> {
    let after: string | null = above;
    while (after !== null) {
      const rows: readonly DepositRow[] = await this.database.query(statement, [chain.chainRef, after, BATCH]);
      await this.judge(chain, rows.map(finalTransferOf));
      after = rows.length < BATCH ? null : (rows.at(-1)?.id ?? null);
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
    const marked = await this.database.transaction(async (tx) => ({
      reorged: await mark(tx, chainRef, reorged),
      back: await unmark(tx, there),
    }));
    this.report(chainRef, marked);
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
    const [oldest] = await this.database.query<{ block_time: string }>(
      `select block_time from chain_block where chain_ref = $1 order by height limit 1`,
      [chainRef],
    );
    if (oldest === undefined) return null;
    return idBefore('dep_', new Date(new Date(oldest.block_time).getTime() - ID_MARGIN_MS));
  }
}

async function mark(tx: Tx, chainRef: string, reorged: readonly string[]): Promise<readonly string[]> {
  const marked = await sql<{ id: string }>(
    tx,
    `update deposit set gone_at = now() where id = any($1) and gone_at is null returning id`,
    [reorged],
  );
  if (marked.length > 0) await freezeWallet(tx, chainRef, FREEZE_REASON);
  return marked.map(({ id }) => id);
}

/** A deposit that was reorged before it was credited is credited now: its intent must be settled again. */
async function unmark(tx: Tx, there: readonly string[]): Promise<readonly string[]> {
  const waiting = await sql<{ intent_id: string }>(
    tx,
    `select intent_id from deposit
      where id = any($1) and gone_at is not null and credited_at is null and intent_id is not null`,
    [there],
  );
  await markDirty(tx, [...new Set(waiting.map(({ intent_id: intentId }) => intentId))]);
  const back = await sql<{ id: string }>(
    tx,
    `update deposit set gone_at = null where id = any($1) and gone_at is not null returning id`,
    [there],
  );
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

function finalTransferOf(row: DepositRow): FinalTransfer {
  return {
    id: row.id,
    txHash: row.tx_hash,
    position: row.position,
    token: row.token_contract,
    to: row.to_address,
    amount: BigInt(row.amount),
    blockHeight: Number(row.block_height),
    blockHash: row.block_hash,
  };
}

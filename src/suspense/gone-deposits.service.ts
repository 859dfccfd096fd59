import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { NodeSession } from '../chains/chain-nodes.js';
import { idBefore } from '../domain/ids.js';
import { Database, type Tx, sql } from '../platform/database/database.js';
import { LOGGER } from '../platform/logging.js';
import { ChainDuty } from '../treasury/chain-duty.js';
import { type TreasuryChain, TreasuryChains } from '../treasury/treasury-chains.service.js';
import { freezeWallet } from '../treasury/wallet-freeze.js';
import { type FinalDeposit, presenceOf, type Presence } from './deposit-presence.js';

const BATCH = 500;
const OPINION_WITHIN_MS = 10_000;
/** An id is as old as the first sighting, by the clock of the process that made it. */
const ID_MARGIN_MS = 24 * 3_600_000;

/** So long it is asked whether what was booked out comes back. */
const COMES_BACK_WITHIN = `interval '7 days'`;
/** Of deposits that were found gone: those that may yet be there again. */
const MAY_COME_BACK = `
  deposit.gone_at is not null and (deposit.reversed_at is null or deposit.reversed_at > now() - ${COMES_BACK_WITHIN})`;

const FREEZE_REASON = 'Deposits that were final are gone from the chain.';

/** Chains that are halted, and those that have marked deposits. */
export const DUE_CHAINS_STATEMENT = `
  select cursor.chain_ref, cursor.halted_reason is not null as is_halted
    from chain_cursor cursor
   where cursor.halted_reason is not null
      or exists (select from deposit where deposit.chain_ref = cursor.chain_ref and ${MAY_COME_BACK})`;

/**
 * Final deposits of the chain $1 in blocks that the listener remembers, above the id $2, at most $3: a range of the primary
 * key, since no index knows the height of what is final.
 */
export const IN_DOUBT_STATEMENT = `
  select id, tx_hash, block_height, block_hash from deposit
   where id > $2 and chain_ref = $1 and status = 'confirmed' and gone_at is null and tx_hash is not null
     and block_height >= (select min(height) from chain_block where chain_ref = $1)
   order by id limit $3`;

interface DepositRow {
  id: string;
  tx_hash: string;
  block_height: string;
  block_hash: string;
}

/**
 * Looks for deposits that were final and are gone, on chains that the listener has halted, and for marked ones that are
 * back. What it finds is a mark, an alarm and a frozen hot wallet: whether the books follow is for staff, because a node
 * on a wrong fork tells the same as a chain that lost its blocks.
 *
 * Coins that only a balance showed have no transaction to ask for; the listener tells of what is missing there.
 */
@Injectable()
export class GoneDeposits {
  private readonly duty: ChainDuty;

  constructor(
    private readonly database: Database,
    chains: TreasuryChains,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.duty = new ChainDuty('gone deposits', chains, logger);
  }

  /** Looks at every chain that is halted or has marked deposits; one that is down or hangs holds up no other. */
  async look(): Promise<void> {
    const rows = await this.database.query<{ chain_ref: string; is_halted: boolean }>(DUE_CHAINS_STATEMENT);
    const due = new Map(rows.map(({ chain_ref: chainRef, is_halted: isHalted }) => [chainRef, isHalted]));
    await this.duty.run(due, (chain, isHalted) => this.lookAt(chain, isHalted));
  }

  private async lookAt(chain: TreasuryChain, isHalted: boolean): Promise<void> {
    await this.judge(chain, await this.marked(chain.chainRef));
    if (!isHalted) return;
    let after = await this.oldestInDoubt(chain.chainRef);
    while (after !== null) {
      const found: readonly FinalDeposit[] = await this.inDoubt(chain.chainRef, after);
      await this.judge(chain, found);
      after = found.length < BATCH ? null : (found.at(-1)?.id ?? null);
    }
  }

  private async judge({ chainRef, nodes }: TreasuryChain, deposits: readonly FinalDeposit[]): Promise<void> {
    if (deposits.length === 0) return;
    const opinions = await nodes.attempt((session) => opinionsOn(session, deposits));
    const said = (id: string): (Presence | undefined)[] => opinions.map((opinion) => opinion.get(id));
    // Gone by the word of every node that answers; back by the word of one.
    const gone = deposits.filter(({ id }) => said(id).every((word) => word === 'gone'));
    const there = deposits.filter(({ id }) => said(id).includes('there'));
    await this.database.transaction(async (tx) => {
      await this.mark(tx, chainRef, gone);
      await this.unmark(tx, chainRef, there);
    });
  }

  private async mark(tx: Tx, chainRef: string, gone: readonly FinalDeposit[]): Promise<void> {
    const marked = await sql<{ id: string }>(
      tx,
      `update deposit set gone_at = now() where id = any($1) and gone_at is null returning id`,
      [gone.map(({ id }) => id)],
    );
    if (marked.length === 0) return;
    await freezeWallet(tx, chainRef, FREEZE_REASON);
    this.logger.fatal({ chainRef, deposits: marked.map(({ id }) => id) }, 'deposits that were final are gone');
  }

  private async unmark(tx: Tx, chainRef: string, there: readonly FinalDeposit[]): Promise<void> {
    const back = await sql<{ id: string }>(
      tx,
      `update deposit set gone_at = null
        where id = any($1) and gone_at is not null returning id`,
      [there.map(({ id }) => id)],
    );
    if (back.length === 0) return;
    this.logger.warn({ chainRef, deposits: back.map(({ id }) => id) }, 'deposits that were gone are there again');
  }

  private async marked(chainRef: string): Promise<readonly FinalDeposit[]> {
    const rows = await this.database.query<DepositRow>(
      `select id, tx_hash, block_height, block_hash from deposit
        where chain_ref = $1 and ${MAY_COME_BACK} order by id limit $2`,
      [chainRef, BATCH],
    );
    return rows.map(finalDepositOf);
  }

  /** Below the ids of all deposits that may lie in a block which the listener still remembers; null when there is none. */
  private async oldestInDoubt(chainRef: string): Promise<string | null> {
    const [oldest] = await this.database.query<{ block_time: string }>(
      `select block_time from chain_block where chain_ref = $1 order by height limit 1`,
      [chainRef],
    );
    if (oldest === undefined) return null;
    return idBefore('dep_', new Date(new Date(oldest.block_time).getTime() - ID_MARGIN_MS));
  }

  private async inDoubt(chainRef: string, after: string): Promise<readonly FinalDeposit[]> {
    const rows = await this.database.query<DepositRow>(IN_DOUBT_STATEMENT, [chainRef, after, BATCH]);
    return rows.map(finalDepositOf);
  }
}

/** What each node says that answers, the preferred one first. A node that was pointed at another chain has no say. */
async function opinionsOn(
  session: NodeSession,
  deposits: readonly FinalDeposit[],
): Promise<readonly ReadonlyMap<string, Presence>[]> {
  await session.verify();
  const first = await presenceOf(session.client, deposits);
  const others = await session.askOthers((client) => presenceOf(client, deposits), {
    isFresh: true,
    withinMs: OPINION_WITHIN_MS,
  });
  return [first, ...others.map(({ answer }) => answer)];
}

function finalDepositOf(row: DepositRow): FinalDeposit {
  return { id: row.id, txHash: row.tx_hash, blockHeight: Number(row.block_height), blockHash: row.block_hash };
}

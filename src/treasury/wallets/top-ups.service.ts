import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { newId } from '../../domain/ids.js';
import { assetOf, transfer } from '../../domain/posting.js';
import { LedgerService } from '../../ledger/ledger.service.js';
import { systemAccount } from '../../ledger/system-accounts.js';
import { Database, type Tx, sql } from '../../platform/database/database.js';
import { LOGGER } from '../../platform/logging.js';
import { Metrics } from '../../platform/metrics.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import { ChainJob } from '../chain-job.js';
import { COMPARABLE_STATEMENT, COMPARED_STATEMENT, UNCOMPARED_STATEMENT } from './top-ups.sql.js';
import { type TreasuryChain, TreasuryChains } from '../treasury-chains.service.js';

/** What a hot wallet held of a token at a final block, by the chain and by the books. */
interface Comparison {
  readonly token: string;
  readonly height: number;
  readonly blockHash: string;
  /** So many transactions it had sent. */
  readonly nonce: number;
  readonly held: bigint;
  /** May be below zero before the first top-up is booked. */
  readonly books: bigint;
  /** The block of the comparison before; -1 when there was none. */
  readonly fromHeight: number;
}

/**
 * Compares what hot wallets hold with what the books say, block by block. What they hold beyond that an operator has put
 * there: it is booked as a top-up. What is missing is booked by nobody: it is told, and coins that come later make up for it.
 */
@Injectable()
export class TopUps {
  private readonly job: ChainJob;
  /** Differences that other nodes did not confirm, and were told. */
  private readonly disputed = new Set<string>();
  /** What was told to be missing. */
  private readonly missing = new Map<string, bigint>();

  constructor(
    private readonly database: Database,
    private readonly ledger: LedgerService,
    private readonly metrics: Metrics,
    chains: TreasuryChains,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.job = new ChainJob('top-ups', chains, logger);
  }

  /** Compares every stocktaking that can be. One process does: the leader of the recurring duties. */
  @RecurringJob({ role: 'worker', every: 1_000, leader: 'scheduler' })
  async bookFound(): Promise<void> {
    const rows = await this.database.query<{ chain_ref: string; address_key: string }>(UNCOMPARED_STATEMENT);
    const due = new Map(rows.map(({ chain_ref: chainRef, address_key: address }) => [chainRef, address]));
    await this.job.run(due, (chain, address) => this.compare(chain, address));
  }

  /** Tells the metrics of which token a hot wallet lacks something, and how long ago that was looked at. */
  @RecurringJob({ role: 'worker', every: 10_000 })
  async measure(): Promise<void> {
    const rows = await this.database.query<{
      chain_ref: string;
      symbol: string;
      is_short: boolean | null;
      age: string;
    }>(COMPARED_STATEMENT);
    for (const { chain_ref: chainRef, symbol, is_short: isShort, age } of rows) {
      if (isShort !== null) this.metrics.treasury.setShort(chainRef, symbol, isShort);
      this.metrics.treasury.setComparedAge(chainRef, symbol, Number(age));
    }
  }

  private async compare(chain: TreasuryChain, address: string): Promise<void> {
    const confirmed: Comparison[] = [];
    for (const comparison of await comparable(this.database.em(), chain.chainRef)) {
      if (await this.isAgreedUpon(chain, address, comparison)) confirmed.push(comparison);
    }
    if (confirmed.length === 0) return;
    const done = await this.database.transaction((tx) => this.conclude(tx, chain, confirmed));
    for (const comparison of done) this.report(chain.chainRef, comparison);
  }

  /**
   * What is booked stays booked, so one node's word does not suffice where there are others. Of coins that are missing
   * nothing is booked: they are told by one node's word, unless another denies it.
   */
  private async isAgreedUpon(
    { chainRef, nodes }: TreasuryChain,
    address: string,
    comparison: Comparison,
  ): Promise<boolean> {
    if (comparison.held === comparison.books || nodes.count === 1) return true;
    const { token, blockHash, held, books, nonce, height } = comparison;
    const opinions = await nodes.ask(
      async ({ outgoing }) => (await outgoing.holdingsAt({ hash: blockHash }, [{ address, token }]))[0] ?? null,
    );
    const isSame = opinions.every(({ answer }) => answer.units === held && answer.nonce === nonce);
    const key = `${chainRef} ${token}`;
    if (isSame && (opinions.length > 1 || held < books)) {
      this.disputed.delete(key);
      return true;
    }
    if (!this.disputed.has(key)) {
      this.disputed.add(key);
      const detail = { chainRef, token, height, held: String(held), nonce };
      this.logger.warn(detail, 'one node says what a hot wallet holds, and no other confirms it');
    }
    return false;
  }

  /** Books what was confirmed and stands as it was, once, whoever else compares at the same time. */
  private async conclude(
    tx: Tx,
    chain: TreasuryChain,
    confirmed: readonly Comparison[],
  ): Promise<readonly Comparison[]> {
    const { chainRef } = chain;
    await sql(tx, `select from stocktaking where chain_ref = $1 order by token_contract for no key update`, [chainRef]);
    const unchanged = (await comparable(tx, chainRef)).filter((now) =>
      confirmed.some(({ token, height, held, books }) => {
        const isSameBlock = token === now.token && height === now.height;
        return isSameBlock && held === now.held && books === now.books;
      }),
    );
    for (const comparison of unchanged) {
      if (comparison.held > comparison.books) await this.book(tx, chain, comparison);
      const booked = comparison.held > comparison.books ? comparison.held : comparison.books;
      await sql(
        tx,
        `update stocktaking set booked = $3, booked_height = height, booked_nonce = nonce, missing = $3::numeric - amount,
                compared_at = now()
          where chain_ref = $1 and token_contract = $2`,
        [chainRef, comparison.token, String(booked)],
      );
    }
    return unchanged;
  }

  private async book(
    tx: Tx,
    { chainRef, profile: { environment, network } }: TreasuryChain,
    { token, held, books, fromHeight, height }: Comparison,
  ): Promise<void> {
    const id = newId('top_');
    const amount = held - books;
    await sql(
      tx,
      `insert into top_up (id, chain_ref, token_contract, amount, from_height, to_height)
       values ($1, $2, $3, $4, $5, $6)`,
      [id, chainRef, token, String(amount), fromHeight, height],
    );
    const asset = assetOf(network, token);
    await this.ledger.book(tx, {
      reference: `top_up:${id}`,
      kind: 'top_up',
      environment,
      legs: transfer({
        from: await systemAccount(tx, 'chain', environment, asset),
        to: await systemAccount(tx, 'capital', environment, asset),
        asset,
        amount,
      }),
    });
  }

  private report(chainRef: string, { token, height, held, books }: Comparison): void {
    const detail = { chainRef, token, height, held: String(held), books: String(books) };
    const key = `${chainRef} ${token}`;
    const missing = books > held ? books - held : 0n;
    if (held > books) this.logger.info({ ...detail, amount: String(held - books) }, 'a hot wallet was topped up');
    if (missing > 0n && missing !== this.missing.get(key)) {
      this.logger.error({ ...detail, missing: String(missing) }, 'a hot wallet lacks coins that the books say it has');
    }
    if (missing > 0n) this.missing.set(key, missing);
    else this.missing.delete(key);
  }
}

async function comparable(tx: Tx, chainRef: string): Promise<readonly Comparison[]> {
  const rows = await sql<{
    token_contract: string;
    height: string;
    block_hash: string;
    nonce: string;
    amount: string;
    from_height: string;
    books: string;
  }>(tx, COMPARABLE_STATEMENT, [chainRef]);
  return rows.map((row) => ({
    token: row.token_contract,
    height: Number(row.height),
    blockHash: row.block_hash,
    nonce: Number(row.nonce),
    held: BigInt(row.amount),
    books: BigInt(row.books),
    fromHeight: Number(row.from_height),
  }));
}

import { Inject, Injectable } from '@nestjs/common';
import { expiringPayerOf, expiringSweeperOf } from '../../../chains/registry.js';
import { NATIVE_COIN, type Network } from '../../../domain/network.js';
import { CONFIG, type Config } from '../../../platform/config.js';
import { Database } from '../../../platform/database/database.js';
import { PricingService } from '../../../pricing/pricing.service.js';
import { EXPIRING_FAMILIES } from '../../expiring/expiring-families.js';
import { keptCoins } from '../../expiring/expiring-funds.js';
import { currentConditions } from '../../expiring/payment-conditions.js';
import { HotWalletCap } from '../hot-wallet-cap.service.js';
import { busyChains, type CandidateRow, dueCandidates, needsByChain, type NeedRow } from '../sweep-due.js';
import { coinValueOf, type FreshPrices, freshPrices } from '../sweep-values.js';
import type { SweepReason } from '../sweep.entity.js';
import { partsOf } from './balance-parts.js';
import { creditedBalances } from './credited-balances.sql.js';
import { coveringMoves, type DueBalance, worthMoving } from './due-balances.js';

/** Older fees say nothing about the cost of a sweep. */
const FEES_FOR_SECONDS = 120;

/** Balances that are due on a chain by the books alone, before the chain itself was asked. */
export interface ExpiringSweepDraft {
  readonly reason: SweepReason;
  readonly items: readonly DueBalance[];
}

interface ChainTerms {
  /** What sweeping an address costs, and a payment of coins at most, in smallest units of the coin. */
  readonly cost: bigint;
  readonly paymentCost: bigint;
  /** The coins that payments of coins leave in the hot wallet. */
  readonly reserve: bigint;
  readonly shareBps: number;
  readonly room: bigint | null;
  /** Whether a sweep of a token brings all of it. Others wait until their issuer changes that. */
  readonly movesWhole: (token: string) => boolean;
}

/** Decides by the books what to sweep where transactions expire: first what withdrawals wait for, then what is worth its fee. */
@Injectable()
export class ExpiringSweepDrafts {
  constructor(
    private readonly database: Database,
    private readonly pricing: PricingService,
    private readonly cap: HotWalletCap,
    @Inject(CONFIG) private readonly config: Pick<Config, 'treasury'>,
  ) {}

  /** Returns them by chain; a chain with nothing due or without fresh fees is left out. */
  async due(): Promise<ReadonlyMap<string, ExpiringSweepDraft>> {
    const drafts = new Map<string, ExpiringSweepDraft>();
    const needs = await needsByChain(this.database);
    const rows = await dueCandidates(this.database, EXPIRING_FAMILIES, needs);
    if (rows.length === 0) return drafts;
    const [prices, busy] = await Promise.all([freshPrices(this.pricing), busyChains(this.database)]);
    for (const [chainRef, found] of Map.groupBy(rows, (row) => row.chainRef)) {
      const terms = await this.terms(chainRef, found[0]?.network);
      if (terms === null) continue;
      const whole = found.filter(({ token }) => terms.movesWhole(token)).map((row) => balanceOf(row, prices));
      const addressIds = [...new Set(whole.map(({ addressId }) => addressId))];
      const balances = partsOf(whole, await this.database.rows(creditedBalances(chainRef, addressIds)));
      const covering = coveringMoves(balances, missingOn(needs.get(chainRef) ?? [], terms), terms.cost);
      if (covering.length > 0) drafts.set(chainRef, { reason: 'withdrawal', items: covering });
      else if (!busy.has(chainRef)) {
        const items = worthMoving(balances, terms);
        if (items.length > 0) drafts.set(chainRef, { reason: 'threshold', items });
      }
    }
    return drafts;
  }

  private async terms(chainRef: string, network: Network | undefined): Promise<ChainTerms | null> {
    const em = this.database.em();
    const current = network === undefined ? null : await currentConditions(em, chainRef, FEES_FOR_SECONDS);
    if (network === undefined || current === null) return null;
    const payer = expiringPayerOf(network);
    const sweeper = expiringSweeperOf(network);
    return {
      cost: sweeper.expectedCost(current.details),
      paymentCost: payer.expectedCost(NATIVE_COIN, 'fast', null, current.details),
      reserve: keptCoins(NATIVE_COIN, { payer, sweeper }, current.details),
      shareBps: this.config.treasury.sweepFeeShareBps,
      room: await this.cap.room(em, chainRef),
      movesWhole: (token) => payer.paysWhole(token, current.details),
    };
  }
}

/** Returns by token what the hot wallet misses for waiting payments, beyond open sweeps, in smallest units. */
function missingOn(rows: readonly NeedRow[], { paymentCost, reserve }: ChainTerms): ReadonlyMap<string, bigint> {
  return new Map(
    rows.map(({ token, amount, count, held, underWay }) => {
      const costs = token === NATIVE_COIN ? BigInt(count) * paymentCost + reserve : 0n;
      return [token, BigInt(amount) + costs - BigInt(held) - BigInt(underWay)];
    }),
  );
}

const balanceOf = (row: CandidateRow, prices: FreshPrices): DueBalance => {
  const { addressId, addressKey, token, isOpen, isSettled, isQuiet, failures } = row;
  const value = coinValueOf(row, prices);
  const whole = { account: null, units: BigInt(row.units), value };
  return { ...whole, addressId, addressKey, token, isOpen, isSettled, isQuiet, failures };
};

import { Inject, Injectable } from '@nestjs/common';
import { type Environment, isEvmNetwork, NATIVE_COIN, type Network } from '../../domain/network.js';
import { expectedGasPrice, gasFees, OFFER_MAX } from '../../domain/network-fee.js';
import { CALL_GAS_HEADROOM } from '../../domain/sweep-gas.js';
import {
  coveringNeeds,
  SWEEP_ITEMS_MAX,
  type SweepCandidate,
  type SweepTerms,
  valueInCoin,
  worthSweeping,
} from '../../domain/sweep-plan.js';
import { TRANSFER_GAS } from '../../domain/transfer-gas.js';
import { CONFIG, type Config } from '../../platform/config.js';
import { Database } from '../../platform/database/database.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { PricingService } from '../../pricing/pricing.service.js';
import { currentFees } from '../fees/current-fees.js';
import { HotBalances } from '../wallets/hot-balances.service.js';
import { gasReserve } from '../fees/gas-reserve.js';
import { HotWalletCap } from './hot-wallet-cap.service.js';
import { countReverted, findCandidates, findOpenCandidates } from './sweep-candidates.sql.js';
import { findNeeds } from './sweep-needs.sql.js';
import { UNSIGNED_AND_WAITING_FOR } from './sweep-outcome-handler.service.js';
import { Sweep, type SweepReason } from './sweep.entity.js';

/** A sweep that is due on a chain by the books alone, before the chain itself was asked. */
export interface SweepDraft {
  readonly reason: SweepReason;
  readonly items: readonly SweepCandidate[];
}

type CandidateRow = RowOf<typeof findCandidates> & { readonly isOpen: boolean };
type NeedRow = RowOf<typeof findNeeds>;

interface ChainTerms extends SweepTerms {
  /** The gas cost of a coin payment by the most expensive strategy, in wei. */
  readonly coinPaymentGas: bigint;
  /** The wei that coin payments must leave in the hot wallet. */
  readonly reserve: bigint;
}

type Prices = ReadonlyMap<Environment, ReadonlyMap<string, string | null>>;

/** Decides by the books which sweeps are due: first those that withdrawals wait for, then those worth their gas. */
@Injectable()
export class SweepDrafts {
  constructor(
    private readonly database: Database,
    private readonly balances: HotBalances,
    private readonly pricing: PricingService,
    private readonly cap: HotWalletCap,
    @Inject(CONFIG) private readonly config: Pick<Config, 'treasury'>,
  ) {}

  /** Returns them by chain; a chain with nothing due or without fresh gas prices is left out. */
  async due(): Promise<ReadonlyMap<string, SweepDraft>> {
    const drafts = new Map<string, SweepDraft>();
    const needs = await this.needs();
    const rows = await this.candidates(needs);
    if (rows.length === 0) return drafts;
    const [prices, busy] = await Promise.all([this.prices(), this.busyChains()]);
    for (const [chainRef, found] of Map.groupBy(rows, (row) => row.chainRef)) {
      const terms = await this.terms(chainRef, found[0]?.network);
      if (terms === null) continue;
      const candidates = found.map((row) => candidateOf(row, prices));
      const covering = coveringNeeds(candidates, missingOn(needs.get(chainRef) ?? [], terms), terms);
      if (covering.length > 0) drafts.set(chainRef, { reason: 'withdrawal', items: covering });
      else if (!busy.has(chainRef)) {
        const items = worthSweeping(candidates, terms);
        if (items.length > 0) drafts.set(chainRef, { reason: 'threshold', items });
      }
    }
    return drafts;
  }

  /** Balances of open intents are included only for needed tokens. */
  private async candidates(needs: ReadonlyMap<string, readonly NeedRow[]>): Promise<readonly CandidateRow[]> {
    const ended = await this.database.rows(findCandidates(SWEEP_ITEMS_MAX));
    const needed = [...needs.values()].flat();
    const open = needed.length === 0 ? [] : await this.database.rows(findOpenCandidates(SWEEP_ITEMS_MAX, needed));
    return [...ended.map((row) => ({ ...row, isOpen: false })), ...open.map((row) => ({ ...row, isOpen: true }))];
  }

  private async terms(chainRef: string, network: Network | undefined): Promise<ChainTerms | null> {
    if (network === undefined || !isEvmNetwork(network)) return null;
    const em = this.database.em();
    const gasPrices = await currentFees(em, chainRef);
    const fees = gasPrices === null ? null : gasFees(network, gasPrices, 'standard');
    const fast = gasPrices === null ? null : gasFees(network, gasPrices, 'fast');
    if (gasPrices === null || fees === null || fast === null) return null;
    const coins = (await this.balances.spendable(em, chainRef, NATIVE_COIN)) ?? 0n;
    const [reverted] = await this.database.rows(countReverted(chainRef));
    return {
      feePerGas: expectedGasPrice(network, gasPrices),
      coinPaymentGas: TRANSFER_GAS.coin.limit * fast.maxFeePerGas,
      reserve: await gasReserve(em, chainRef, fees.maxFeePerGas),
      shareBps: this.config.treasury.sweepFeeShareBps,
      // A sweep that was reverted as a whole is retried at half its size.
      itemsMax: Math.max(1, SWEEP_ITEMS_MAX >> (reverted?.count ?? 0)),
      // Its replacements may raise the fee by this factor, and must not exceed the wallet's coins or the limit of
      // nodes.
      gasMax: (coins < OFFER_MAX ? coins : OFFER_MAX) / (CALL_GAS_HEADROOM * fees.maxFeePerGas),
      roomWei: await this.cap.room(em, chainRef),
    };
  }

  /** Prices of environments whose newest snapshot is fresh. */
  private async prices(): Promise<Prices> {
    const states = await this.pricing.states();
    return new Map(states.filter(({ isFresh }) => isFresh).map(({ environment, prices }) => [environment, prices]));
  }

  private async needs(): Promise<ReadonlyMap<string, readonly NeedRow[]>> {
    return Map.groupBy(await this.database.rows(findNeeds(UNSIGNED_AND_WAITING_FOR)), ({ chainRef }) => chainRef);
  }

  /** One threshold sweep at a time: later balances share the next one. */
  private async busyChains(): Promise<ReadonlySet<string>> {
    const sweeps = await this.database.em().find(Sweep, { finishedAt: null, reason: 'threshold' });
    return new Set(sweeps.map(({ chainRef }) => chainRef));
  }
}

/**
 * Returns by token the smallest units that the hot wallet misses for waiting payments, beyond open sweeps. Coin
 * payments also need their gas, and leave the reserve.
 */
function missingOn(rows: readonly NeedRow[], { coinPaymentGas, reserve }: ChainTerms): ReadonlyMap<string, bigint> {
  return new Map(
    rows.map(({ token, amount, count, held, underWay }) => {
      const gas = token === NATIVE_COIN ? BigInt(count) * coinPaymentGas + reserve : 0n;
      return [token, BigInt(amount) + gas - BigInt(held) - BigInt(underWay)];
    }),
  );
}

function candidateOf(row: CandidateRow, prices: Prices): SweepCandidate {
  const units = BigInt(row.units);
  if (row.token === NATIVE_COIN) return { ...placeOf(row), units, valueWei: units };
  return { ...placeOf(row), units, valueWei: valueOf(row, units, prices.get(row.environment)) };
}

/** Returns the value of a token in the smallest units of the chain's coin; null without prices. */
function valueOf(
  { symbol, decimals, coinSymbol, coinDecimals }: CandidateRow,
  units: bigint,
  prices: ReadonlyMap<string, string | null> | undefined,
): bigint | null {
  const [token, coin] = [prices?.get(symbol) ?? null, prices?.get(coinSymbol ?? '') ?? null];
  if (token === null || coin === null || coinDecimals === null) return null;
  return valueInCoin(units, { decimals, price: token }, { decimals: coinDecimals, price: coin });
}

const placeOf = ({ addressId, addressKey, token, isDelegated, isOpen }: CandidateRow) => ({
  addressId,
  addressKey,
  token,
  isDelegated,
  isOpen,
});

import { Inject, Injectable } from '@nestjs/common';
import { type AddressFamily, isEvmNetwork, NATIVE_COIN, type Network } from '../../domain/network.js';
import { expectedGasPrice, gasFees, OFFER_MAX } from '../../domain/network-fee.js';
import { CALL_GAS_HEADROOM } from '../../domain/sweep-gas.js';
import {
  coveringNeeds,
  SWEEP_ITEMS_MAX,
  type SweepCandidate,
  type SweepTerms,
  worthSweeping,
} from '../../domain/sweep-plan.js';
import { TRANSFER_GAS } from '../../domain/transfer-gas.js';
import { CONFIG, type Config } from '../../platform/config.js';
import { Database } from '../../platform/database/database.js';
import { PricingService } from '../../pricing/pricing.service.js';
import { currentFees } from '../fees/current-fees.js';
import { HotBalances } from '../wallets/hot-balances.service.js';
import { gasReserve } from '../fees/gas-reserve.js';
import { HotWalletCap } from './hot-wallet-cap.service.js';
import { countReverted } from './sweep-candidates.sql.js';
import { busyChains, type CandidateRow, dueCandidates, needsByChain, type NeedRow } from './sweep-due.js';
import { coinValueOf, type FreshPrices, freshPrices } from './sweep-values.js';
import type { SweepReason } from './sweep.entity.js';

/** A sweep that is due on a chain by the books alone, before the chain itself was asked. */
export interface SweepDraft {
  readonly reason: SweepReason;
  readonly items: readonly SweepCandidate[];
}

interface ChainTerms extends SweepTerms {
  /** The gas cost of a coin payment by the most expensive strategy, in wei. */
  readonly coinPaymentGas: bigint;
  /** The wei that coin payments must leave in the hot wallet. */
  readonly reserve: bigint;
}

/** Families whose deposit addresses delegate to a contract that sweeps them. */
const FAMILIES: readonly AddressFamily[] = ['evm'];

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
    const needs = await needsByChain(this.database);
    const rows = await dueCandidates(this.database, FAMILIES, needs);
    if (rows.length === 0) return drafts;
    const [prices, busy] = await Promise.all([freshPrices(this.pricing), busyChains(this.database)]);
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

const candidateOf = (row: CandidateRow, prices: FreshPrices): SweepCandidate => ({
  ...placeOf(row),
  units: BigInt(row.units),
  valueWei: coinValueOf(row, prices),
});

const placeOf = ({ addressId, addressKey, token, isDelegated, isOpen }: CandidateRow) => ({
  addressId,
  addressKey,
  token,
  isDelegated,
  isOpen,
});

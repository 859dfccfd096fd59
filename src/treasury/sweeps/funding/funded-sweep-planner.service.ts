import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { ChainNodes } from '../../../chains/nodes/chain-nodes.js';
import type { NodeClient } from '../../../chains/chain.js';
import type { OwnCostClient } from '../../../chains/expiring-sweeps.js';
import type { PaymentConditions } from '../../../chains/expiring.js';
import { energyLenderOf } from '../../../chains/registry.js';
import { newId } from '../../../domain/ids.js';
import { NATIVE_COIN } from '../../../domain/network.js';
import { ChainCursor } from '../../../offers/chain-cursor.entity.js';
import { Database, rows, type Tx } from '../../../platform/database/database.js';
import { failpoint } from '../../../platform/failpoints.js';
import { LOGGER } from '../../../platform/logging.js';
import type { ExpiringChain } from '../../treasury-chains.service.js';
import type { DueBalance } from '../expiring/due-balances.js';
import type { ExpiringSweepDraft } from '../expiring/expiring-sweep-drafts.service.js';
import { findFailedLately, insertLoan } from '../energy/energy-loans.sql.js';
import { lendableStake } from '../energy/lendable-stake.js';
import { countUnsweepable } from '../sweep-failures.sql.js';
import { claimFree, insertSweep } from '../sweep-rows.js';
import type { SweepReason } from '../sweep.entity.js';
import { addressesUnderSweep, usableCoins } from './funded-sweeps.sql.js';
import { insertFunding } from './fundings.sql.js';
import { type FundedPlace, type FundedSweep, fundedSweep, oneByAddress, OPEN_SWEEPS_MAX } from './planned-fundings.js';

/** A chain on which deposit addresses pay for their sweeps. */
export interface OwnCostChain {
  readonly chain: ExpiringChain;
  readonly nodes: ChainNodes<NodeClient & OwnCostClient>;
  readonly hotWallet: string;
  readonly conditions: PaymentConditions;
}

/** Plans sweeps where each deposit address pays for its own, with coins that the hot wallet sends it first. */
@Injectable()
export class FundedSweepPlanner {
  constructor(
    private readonly database: Database,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Checks due balances on the chain, outside of any transaction, and records their sweeps with their fundings. */
  async take(on: OwnCostChain, { reason, items }: ExpiringSweepDraft): Promise<void> {
    const { chainRef } = on.chain;
    const open = new Set((await this.database.rows(addressesUnderSweep(chainRef))).map(({ addressId }) => addressId));
    const free = items.filter(({ addressId }) => !open.has(addressId));
    const chosen = oneByAddress(free, OPEN_SWEEPS_MAX - open.size);
    if (chosen.length === 0) return;
    const places = await this.placesOf(on, chosen);
    const unsweepable: DueBalance[] = [];
    const { stake, failed } = await this.lendable(on, chosen);
    let lendable = stake;
    for (const [nth, item] of chosen.entries()) {
      const place = places[nth] ?? null;
      const planned = place === null ? 'waits' : fundedSweep(item, place, failed.has(item.addressId) ? 0n : lendable);
      if (planned === 'unsweepable') unsweepable.push(item);
      else if (planned !== 'waits') {
        const isPlanned = await this.database.transaction((tx) => this.store(tx, { chainRef, reason, item }, planned));
        if (!isPlanned) continue;
        lendable -= planned.loan;
        failpoint('sweep.planned');
      }
    }
    if (unsweepable.length === 0) return;
    await this.database.rows(countUnsweepable(chainRef, unsweepable));
    this.logger.warn({ chainRef, items: unsweepable.length }, 'Balances cannot be swept in their on-chain state.');
  }

  /** Returns the stake that can be lent, and the addresses whose sweep has just failed with lent energy: they pay themselves. */
  private async lendable(
    { chain: { chainRef, profile }, conditions }: OwnCostChain,
    items: readonly DueBalance[],
  ): Promise<{ readonly stake: bigint; readonly failed: ReadonlySet<string> }> {
    const found = energyLenderOf(profile.network)?.lendable(conditions) ?? { stake: 0n, height: 0 };
    if (found.stake === 0n) return { stake: 0n, failed: new Set() };
    const stake = await lendableStake(this.database.em(), chainRef, found, { withUnsigned: true });
    const addressIds = items.map(({ addressId }) => addressId);
    const failed = await this.database.rows(findFailedLately(chainRef, addressIds));
    return { stake, failed: new Set(failed.map(({ addressId }) => addressId)) };
  }

  private async placesOf(
    { chain: { chainRef, nodes }, nodes: pricedBy, hotWallet, conditions }: OwnCostChain,
    items: readonly DueBalance[],
  ): Promise<readonly (FundedPlace | null)[]> {
    const cursor = await this.database.em().findOne(ChainCursor, { chainRef });
    const asked = items.flatMap(({ addressKey: owner, token }) => [
      { owner, token },
      { owner, token: NATIVE_COIN },
    ]);
    const funds = await nodes.attempt(({ client }) => client.finalFundsAt(asked, cursor?.finalizedHeight ?? 0));
    const sources = items.map(({ addressKey: owner, token, units: amount }) => ({
      owner,
      funds: [{ token, account: null, decimals: 0, amount, closesAccount: false }],
    }));
    const costs = await pricedBy.attempt(({ client }) => client.ownCosts(sources, hotWallet, conditions));
    const usable = await this.database.rows(
      usableCoins(
        chainRef,
        items.map(({ addressId }) => addressId),
      ),
    );
    const usableOf = new Map(usable.map(({ addressId, units }) => [addressId, BigInt(units)]));
    return items.map(({ addressId }, nth) => {
      const [held, coins] = funds.slice(2 * nth);
      if (held === undefined || coins === undefined) return null;
      return { held, coins, cost: costs[nth] ?? null, usable: usableOf.get(addressId) ?? 0n };
    });
  }

  /** Records a sweep unless another planner has taken its balance; returns whether it did. */
  private async store(
    tx: Tx,
    { chainRef, reason, item }: { readonly chainRef: string; readonly reason: SweepReason; readonly item: DueBalance },
    { amount, costMax, funding, loan }: FundedSweep,
  ): Promise<boolean> {
    const [claimed] = await claimFree(tx, chainRef, [item]);
    if (claimed === undefined) return false;
    const { token, addressId } = claimed;
    const terms = { account: null, authorizationNonce: null, opensAccount: false, closesAccount: false };
    const items = [{ token, addressId, expected: amount, costMax, ...terms }];
    const sweepId = await insertSweep(tx, { chainRef, reason, contracts: null, items });
    if (funding > 0n) {
      const id = newId('fnd_');
      await rows(tx, insertFunding({ id, sweepId, chainRef, addressId: Number(addressId), amount: funding }));
    }
    if (loan > 0n) {
      const row = { id: newId('eln_'), sweepId, chainRef, addressId: Number(addressId), stake: loan };
      await rows(tx, insertLoan(row, false));
    }
    this.logger.info(
      { chainRef, sweepId, reason, funding: String(funding), loan: String(loan) },
      'A sweep was planned.',
    );
    return true;
  }
}

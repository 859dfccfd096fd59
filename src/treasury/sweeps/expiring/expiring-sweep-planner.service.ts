import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { PaymentConditions } from '../../../chains/expiring.js';
import type { CreditedObstacle } from '../../../domain/account-obstacle.js';
import { NATIVE_COIN } from '../../../domain/network.js';
import { ChainCursor } from '../../../offers/chain-cursor.entity.js';
import { CONFIG, type Config } from '../../../platform/config.js';
import { Database, type Tx } from '../../../platform/database/database.js';
import { failpoint } from '../../../platform/failpoints.js';
import { LOGGER } from '../../../platform/logging.js';
import { RecurringJob } from '../../../platform/recurring/recurring-job.js';
import { ChainJob } from '../../chain-job.js';
import { currentConditions } from '../../expiring/payment-conditions.js';
import { type ExpiringChain, TreasuryChains } from '../../treasury-chains.service.js';
import { HotWallet } from '../../wallets/hot-wallet.entity.js';
import { FundedSweepPlanner } from '../funding/funded-sweep-planner.service.js';
import { countUnsweepable } from '../sweep-failures.sql.js';
import { claimFree, insertSweep } from '../sweep-rows.js';
import type { SweepReason } from '../sweep.entity.js';
import { blockAccounts } from './credited-balances.sql.js';
import type { DueBalance } from './due-balances.js';
import { type ExpiringSweepDraft, ExpiringSweepDrafts } from './expiring-sweep-drafts.service.js';
import { batchesOf, type HeldBalance, heldBalance } from './held-balances.js';

/** Transactions that are planned at once; each waits for the vault with its lock. */
const SWEEPS_MAX = 20;
const PLANNED_FOR_SECONDS = 120;

/** A balance that its account does not give, with the reason where it is known. */
interface UnsweepableBalance extends DueBalance {
  readonly obstacle: CreditedObstacle | null;
}

/** What the chain says about due balances. */
interface Holdings {
  readonly held: readonly HeldBalance[];
  readonly unsweepable: readonly UnsweepableBalance[];
  /** Tokens that the hot wallet has no account for. */
  readonly missingAccounts: ReadonlySet<string>;
}

/**
 * Plans sweeps on chains whose transactions expire, as `SweepPlanner` does on others: due balances are checked at a final
 * block, outside of any transaction, and then recorded for the vault to sign.
 */
@Injectable()
export class ExpiringSweepPlanner {
  private readonly job: ChainJob<ExpiringChain>;

  constructor(
    private readonly database: Database,
    chains: TreasuryChains,
    private readonly drafts: ExpiringSweepDrafts,
    private readonly funded: FundedSweepPlanner,
    @Inject(CONFIG) private readonly config: Pick<Config, 'treasury'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.job = new ChainJob('sweeps', chains.expiring, logger);
  }

  /** Plans due sweeps on every chain. Runs in the leader of the recurring jobs. */
  @RecurringJob({ role: 'worker', every: 2_000, leader: 'scheduler' })
  async plan(): Promise<void> {
    if (this.config.treasury.sweepFeeShareBps === 0) return;
    await this.job.run(await this.drafts.due(), (chain, draft) => this.take(chain, draft));
  }

  private async take(chain: ExpiringChain, { reason, items }: ExpiringSweepDraft): Promise<void> {
    const { chainRef, sweeper } = chain;
    const em = this.database.em();
    const wallet = await em.findOne(HotWallet, { chainRef });
    const conditions = await currentConditions(em, chainRef, PLANNED_FOR_SECONDS);
    if (wallet === null || conditions === null) return;
    const hotWallet = wallet.addressKey;
    if (chain.ownCosts !== null) {
      const on = { chain, nodes: chain.ownCosts, hotWallet, conditions: conditions.details };
      return this.funded.take(on, { reason, items });
    }
    const { held, unsweepable, missingAccounts } = await this.holdings(chain, items, {
      hotWallet,
      conditions: conditions.details,
    });
    if (unsweepable.length > 0) {
      await this.setBack(chainRef, unsweepable);
      const count = unsweepable.length;
      this.logger.warn({ chainRef, items: count }, 'Balances cannot be swept in their on-chain state.');
    }
    const target = { hotWallet, missingAccounts: [...missingAccounts] };
    const batches = batchesOf(held, (sources) =>
      sweeper.plan(target, sources, { strategy: 'standard', sequence: 0, costMax: null }, conditions.details),
    );
    for (const batch of batches.slice(0, SWEEPS_MAX)) {
      const isPlanned = await this.database.transaction((tx) =>
        this.store(tx, { chainRef, reason, missingAccounts }, batch),
      );
      if (isPlanned) failpoint('sweep.planned');
    }
  }

  private async holdings(
    { chainRef, nodes, payer }: ExpiringChain,
    items: readonly DueBalance[],
    { hotWallet, conditions }: { readonly hotWallet: string; readonly conditions: PaymentConditions },
  ): Promise<Holdings> {
    const cursor = await this.database.em().findOne(ChainCursor, { chainRef });
    const tokens = [...new Set(items.map(({ token }) => token))].filter((token) => token !== NATIVE_COIN);
    const places = [
      ...tokens.map((token) => ({ owner: hotWallet, token })),
      ...items.map(({ addressKey: owner, token, account }) => {
        return { owner, token, ...(account !== null && { account }) };
      }),
    ];
    const funds = await nodes.attempt(({ client }) => client.finalFundsAt(places, cursor?.finalizedHeight ?? 0));
    const leastCoin = payer.leastCoin(conditions);
    const held: HeldBalance[] = [];
    const unsweepable: UnsweepableBalance[] = [];
    for (const [place, item] of items.entries()) {
      const found = funds[tokens.length + place];
      const checked = found === undefined ? 'waits' : heldBalance(item, found, leastCoin);
      if (checked === 'unsweepable') unsweepable.push({ ...item, obstacle: found?.obstacle ?? null });
      else if (checked !== 'waits') held.push(checked);
    }
    const missingAccounts = new Set(tokens.filter((_token, place) => funds[place]?.hasAccount === false));
    return { held, unsweepable, missingAccounts };
  }

  /** Leaves balances out of sweeps for a while: each credited account by itself. */
  private async setBack(chainRef: string, unsweepable: readonly UnsweepableBalance[]): Promise<void> {
    const blocked = unsweepable.flatMap(({ account, ...rest }) => (account === null ? [] : [{ ...rest, account }]));
    await this.database.rows(blockAccounts(chainRef, blocked));
    const associated = unsweepable.filter(({ account }) => account === null);
    await this.database.rows(countUnsweepable(chainRef, associated));
  }

  /** Records a sweep of the balances that no other planner holds or has taken; returns whether any is left. */
  private async store(
    tx: Tx,
    {
      chainRef,
      reason,
      missingAccounts,
    }: { readonly chainRef: string; readonly reason: SweepReason; readonly missingAccounts: ReadonlySet<string> },
    batch: readonly HeldBalance[],
  ): Promise<boolean> {
    const claimed = await claimFree(tx, chainRef, batch);
    if (claimed.length === 0) return false;
    const missing = new Set(missingAccounts);
    const items = claimed.map(({ token, addressId, account, units: expected, closesAccount }) => {
      return {
        token,
        addressId,
        account,
        expected,
        authorizationNonce: null,
        opensAccount: missing.delete(token),
        closesAccount,
        costMax: null,
      };
    });
    const sweepId = await insertSweep(tx, { chainRef, reason, contracts: null, items });
    this.logger.info({ chainRef, sweepId, reason, items: items.length }, 'A sweep was planned.');
    return true;
  }
}

import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { Logger } from 'pino';
import { BooksAuditor } from '../../auditor/books-auditor.service.js';
import { IdempotencyRecords } from '../../idempotency/idempotency-records.service.js';
import { RelayService } from '../../events/relay.service.js';
import { IntentSweeps } from '../../payments/intents/intent-sweeps.service.js';
import { SettlementService } from '../../payments/intents/settlement.service.js';
import { Sealer } from '../../ledger/sealer.service.js';
import { CONFIG, type Config } from '../../platform/config.js';
import { LeaseKeeper } from '../../platform/leases.js';
import { LOGGER } from '../../platform/logging.js';
import { Metrics } from '../../platform/metrics.js';
import { JobWorkers } from '../../platform/queue/job-workers.js';
import { PriceRounds } from '../../pricing/price-rounds.service.js';
import { PriceWatch } from '../../pricing/price-watch.js';
import { ReturnEndings } from '../../suspense/refunds/return-endings.service.js';
import { SandboxPayer } from '../../sandbox/sandbox-payer.service.js';
import { SandboxTreasury } from '../../sandbox/sandbox-treasury.service.js';
import { GoneDeposits } from '../../suspense/gone-deposits.service.js';
import { HeldWatch } from '../../suspense/held-watch.service.js';
import { SuspenseBooking } from '../../suspense/suspense-booking.service.js';
import { SweepEndings } from '../../treasury/sweeps/sweep-endings.service.js';
import { SweepPlanner } from '../../treasury/sweeps/sweep-planner.service.js';
import { FeeRounds } from '../../treasury/fees/fee-rounds.service.js';
import { HotBalances } from '../../treasury/wallets/hot-balances.service.js';
import { IssuerFreezes } from '../../treasury/wallets/issuer-freezes.service.js';
import { Broadcaster } from '../../treasury/transactions/broadcaster.service.js';
import { Confirmer } from '../../treasury/transactions/confirmer.service.js';
import { LostTransactions } from '../../treasury/transactions/lost-transactions.service.js';
import { StuckTransactions } from '../../treasury/transactions/stuck-transactions.service.js';
import { TopUps } from '../../treasury/wallets/top-ups.service.js';
import { WalletPool } from '../../payments/addresses/wallet-pool.service.js';
import { DelivererService } from '../../webhooks/deliveries/deliverer.service.js';
import { EndpointRecoveryService } from '../../webhooks/endpoints/endpoint-recovery.service.js';
import { WithdrawalEndings } from '../../withdrawals/payouts/withdrawal-endings.service.js';
import { PaymentSimulator } from '../../treasury/simulation/payment-simulator.service.js';
import { PayoutWatch } from '../../withdrawals/payouts/payout-watch.service.js';

const SCHEDULER = 'scheduler';

/**
 * Settles, relays, delivers. Jobs wake it; the sweeps find what PostgreSQL says is due when a wake was lost. What only
 * one process may do (taking price rounds, pruning) is done by the leader of the lease `scheduler`.
 */
@Injectable()
export class WorkerRole implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly running = new Set<string>();

  constructor(
    private readonly settlement: SettlementService,
    private readonly sweeps: IntentSweeps,
    private readonly relay: RelayService,
    private readonly deliverer: DelivererService,
    private readonly recoveries: EndpointRecoveryService,
    private readonly sandbox: SandboxPayer,
    private readonly sandboxTreasury: SandboxTreasury,
    private readonly prices: PriceRounds,
    private readonly priceWatch: PriceWatch,
    private readonly broadcaster: Broadcaster,
    private readonly confirmer: Confirmer,
    private readonly stuck: StuckTransactions,
    private readonly lost: LostTransactions,
    private readonly withdrawals: WithdrawalEndings,
    private readonly returns: ReturnEndings,
    private readonly sweepPlanner: SweepPlanner,
    private readonly sweepEndings: SweepEndings,
    private readonly fees: FeeRounds,
    private readonly hotBalances: HotBalances,
    private readonly topUps: TopUps,
    private readonly simulator: PaymentSimulator,
    private readonly payoutWatch: PayoutWatch,
    private readonly issuers: IssuerFreezes,
    private readonly suspense: SuspenseBooking,
    private readonly gone: GoneDeposits,
    private readonly heldWatch: HeldWatch,
    private readonly sealer: Sealer,
    private readonly auditor: BooksAuditor,
    private readonly records: IdempotencyRecords,
    private readonly pool: WalletPool,
    private readonly workers: JobWorkers,
    private readonly leases: LeaseKeeper,
    private readonly metrics: Metrics,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.leases.campaign(SCHEDULER, {
      onElected: () => void this.takePrices(),
      onLost: () => undefined,
    });
    await this.workers.start('worker', {
      'intents.settle': ({ intentIds }) => this.settlement.settleAll(intentIds),
      'events.relay': async () => void (await this.relay.relay()),
      'webhooks.deliver': () => this.deliverer.drain(),
      'webhooks.recover': () => this.recoveries.execute(),
      'payments.simulate': () => this.simulator.simulateDue(),
      'treasury.broadcast': () => this.broadcaster.sendDue(),
      'sandbox.pay': ({ paymentId }) => this.sandbox.execute(paymentId),
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.workers.close();
  }

  @Interval(500)
  async wakeDueIntents(): Promise<void> {
    await this.round('due intents', () => this.sweeps.wakeDue());
  }

  @Interval(2_000)
  async sweep(): Promise<void> {
    // First, since sandbox orders follow their intents; and by itself, so that its failure stops nothing else.
    await this.round('intents of replaced chains', () => this.sweeps.moveFromGoneChains());
    await this.round('sweep', async () => {
      await this.sweeps.wakeDirty();
      await this.sandbox.wakeDue();
      await this.withdrawals.failOnGoneChains();
      await this.returns.failOnGoneChains();
    });
  }

  /**
   * For rolling updates only; remove it one version later. Every worker runs it, because the one with the lease may be of
   * the version before.
   */
  @Interval(10_000)
  async recheckHeldIntents(): Promise<void> {
    await this.round('intents with money on hold', () => this.sweeps.recheckHeld());
  }

  @Interval(2_000)
  async recoverDeliveries(): Promise<void> {
    await this.round('webhook recoveries', () => this.recoveries.execute());
  }

  /** No intent settles what belongs to none. */
  @Interval(2_000)
  async bookUnattributed(): Promise<void> {
    await this.round('unattributed deposits', () => this.suspense.bookFinal());
  }

  @Interval(5_000)
  async lookForGoneDeposits(): Promise<void> {
    if (!this.leases.holds(SCHEDULER)) return;
    await this.round('gone deposits', () => this.gone.look());
  }

  @Interval(1_000)
  async takePrices(): Promise<void> {
    if (!this.leases.holds(SCHEDULER)) return;
    await this.round('prices', () => this.prices.takeDue());
  }

  /** What is signed is sent, by any worker. */
  @Interval(1_000)
  async sendTransactions(): Promise<void> {
    await this.round('send transactions', () => this.broadcaster.sendDue());
  }

  /** How our transactions fare, and what the hot wallets hold by now. */
  @Interval(1_000)
  async followTransactions(): Promise<void> {
    if (!this.leases.holds(SCHEDULER)) return;
    await Promise.all([
      this.round('follow transactions', () => this.confirmer.confirmAll()),
      this.round('hot balances', () => this.takeStock()),
      this.round('sandbox treasury', () => this.sandboxTreasury.topUp()),
    ]);
  }

  @Interval(2_000)
  async takeFees(): Promise<void> {
    if (!this.leases.holds(SCHEDULER)) return;
    await this.round('fees', async () => {
      await this.fees.takeDue();
      await this.stuck.find();
    });
  }

  @Interval(30_000)
  async sendLostAgain(): Promise<void> {
    if (!this.leases.holds(SCHEDULER)) return;
    await this.round('lost transactions', () => this.lost.sendAgain());
  }

  @Interval(60_000)
  async askIssuers(): Promise<void> {
    if (!this.leases.holds(SCHEDULER)) return;
    await this.round('black lists', () => this.issuers.look());
  }

  /** What lies on deposit addresses is brought to the hot wallets. */
  @Interval(2_000)
  async planSweeps(): Promise<void> {
    if (!this.leases.holds(SCHEDULER)) return;
    await this.round('sweeps', async () => {
      await this.sweepEndings.giveUp();
      await this.sweepPlanner.plan();
    });
  }

  @Interval(5_000)
  async sealEntries(): Promise<void> {
    if (!this.leases.holds(SCHEDULER)) return;
    await this.round('seal entries', () => this.sealer.seal());
  }

  @Interval(60_000)
  async auditBooks(): Promise<void> {
    if (!this.leases.holds(SCHEDULER)) return;
    await this.round('audit of the books', () => this.auditor.auditDue());
  }

  @Interval(600_000)
  async prune(): Promise<void> {
    if (!this.leases.holds(SCHEDULER)) return;
    await this.round('prune', async () => {
      await this.records.prune(this.config.idempotency.retentionHours);
      await this.prices.prune();
      await this.fees.prune();
      await this.auditor.prune();
    });
  }

  @Interval(10_000)
  async measure(): Promise<void> {
    await this.round('measure', async () => {
      this.metrics.intents.setDirty(await this.sweeps.countDirty());
      for (const level of await this.pool.levels()) {
        this.metrics.walletPool.setFree(level.environment, level.family, level.free);
      }
      this.metrics.walletPool.setDisproved(await this.pool.countDisproved());
      await this.priceWatch.measure();
      await this.hotBalances.measure();
      await this.topUps.measure();
      await this.payoutWatch.measure();
      await this.heldWatch.measure();
      await this.auditor.measure();
    });
  }

  /** What hot wallets hold is read, and compared with the books. */
  private async takeStock(): Promise<void> {
    await this.hotBalances.refresh();
    await this.topUps.bookFound();
  }

  /** One round at a time of each kind; a failing one is told and tried again at the next interval. */
  private async round(name: string, work: () => Promise<unknown>): Promise<void> {
    if (this.running.has(name)) return;
    this.running.add(name);
    try {
      await work();
    } catch (error) {
      this.logger.error({ round: name, err: error }, 'a recurring duty failed');
    } finally {
      this.running.delete(name);
    }
  }
}

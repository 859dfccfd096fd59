import type { CheckedChain } from '../../src/auditor/checks/chain-rules.js';
import { auditBlockChain } from '../../src/cli/chain-audit.js';
import type { NetworkProfile } from '../../src/chains/networks.js';
import { LedgerService } from '../../src/ledger/ledger.service.js';
import type { Database } from '../../src/platform/database/database.js';
import { createLogger } from '../../src/platform/logging.js';
import { Metrics } from '../../src/platform/metrics.js';
import { PricingService } from '../../src/pricing/pricing.service.js';
import { ConditionSamples } from '../../src/treasury/expiring/condition-samples.service.js';
import { ExpiredTransactions } from '../../src/treasury/expiring/expired-transactions.service.js';
import { ExpiringBalances } from '../../src/treasury/expiring/expiring-balances.service.js';
import { ExpiringConfirmer } from '../../src/treasury/expiring/expiring-confirmer.service.js';
import { SentCheck } from '../../src/treasury/expiring/sent-check.service.js';
import { ExpiringSweepDrafts } from '../../src/treasury/sweeps/expiring/expiring-sweep-drafts.service.js';
import { ExpiringSweepPlanner } from '../../src/treasury/sweeps/expiring/expiring-sweep-planner.service.js';
import { ReturnedRents } from '../../src/treasury/sweeps/expiring/returned-rents.service.js';
import { FundedSweepPlanner } from '../../src/treasury/sweeps/funding/funded-sweep-planner.service.js';
import { SweepOutcomeHandler } from '../../src/treasury/sweeps/sweep-outcome-handler.service.js';
import { Broadcaster } from '../../src/treasury/transactions/broadcaster.service.js';
import { OutcomeRecorder } from '../../src/treasury/transactions/outcome-recorder.service.js';
import { type ExpiringChain, TreasuryChains } from '../../src/treasury/treasury-chains.service.js';
import { TopUps } from '../../src/treasury/wallets/top-ups.service.js';
import { hotWalletCap } from './hot-wallet-cap.js';
import type { LogLines } from './log-lines.js';
import { RecordingQueue } from './recording-queue.js';
import { runtimeServing } from './served-chains.js';
import { query } from './sql.js';
import { vaultServices } from './vault-services.js';

/** Where a worker works. */
export interface WorkerPlace {
  readonly database: Database;
  readonly owner: Database;
  readonly profile: NetworkProfile;
  readonly rpcUrls: readonly string[];
  readonly log: LogLines;
}

const TREASURY = { stuckAfterMs: 1, unexplainedAfterMs: 1, sweepFeeShareBps: 9_000, hotWalletCapCents: 0 };

/** The parts of a worker that sweep where transactions expire, run one by one. */
export class ExpiringSweepWorker {
  private readonly chains: TreasuryChains;
  private readonly conditions: ConditionSamples;
  private readonly balances: ExpiringBalances;
  private readonly planner: ExpiringSweepPlanner;
  private readonly broadcaster: Broadcaster;
  private readonly confirmer: ExpiringConfirmer;
  private readonly topUps: TopUps;
  private readonly outcomes: SweepOutcomeHandler;

  constructor(private readonly place: WorkerPlace) {
    const { database, profile, rpcUrls, log } = place;
    const logger = createLogger('info', { destination: log });
    const { outcomes } = vaultServices(database, new RecordingQueue().queue, logger);
    this.outcomes = new SweepOutcomeHandler(database, new Metrics(), new ReturnedRents(new LedgerService()), logger);
    this.chains = new TreasuryChains(database, runtimeServing([{ profile, rpcUrls }]), logger);
    this.conditions = new ConditionSamples(database, this.chains, logger);
    this.balances = new ExpiringBalances(database, this.chains, logger);
    const treasury = { treasury: TREASURY };
    const drafts = new ExpiringSweepDrafts(database, new PricingService(database), hotWalletCap(database), treasury);
    const funded = new FundedSweepPlanner(database, logger);
    this.planner = new ExpiringSweepPlanner(database, this.chains, drafts, funded, treasury, logger);
    this.broadcaster = new Broadcaster(database, this.chains, outcomes, logger);
    const recorder = new OutcomeRecorder(database, new LedgerService(), outcomes, logger);
    const expired = new ExpiredTransactions(database, outcomes, logger);
    this.confirmer = new ExpiringConfirmer(database, this.chains, recorder, expired, logger);
    this.topUps = new TopUps(database, new LedgerService(), new Metrics(), this.chains, logger);
  }

  async close(): Promise<void> {
    await this.chains.beforeApplicationShutdown();
  }

  /** Plans sweeps with fresh fees. */
  async plan(): Promise<void> {
    await this.readConditions();
    await this.planner.plan();
  }

  async readBalances(): Promise<void> {
    await this.run(`update hot_balance set taken_at = taken_at - interval '1 hour'`);
    await this.balances.refresh();
  }

  async readConditions(): Promise<void> {
    await this.run(`update fee_round set taken_at = taken_at - interval '1 hour' where details is not null`);
    await this.conditions.takeDue();
  }

  /** Sends every signed transaction, whenever it was sent before. */
  async send(): Promise<void> {
    await this.run(`update chain_transaction set due_at = now() where status = 'signed'`);
    await this.broadcaster.sendDue();
  }

  confirm(): Promise<void> {
    return this.confirmer.confirmAll();
  }

  /** Compares the sent transactions of the wallet with the records, as a worker does that has just started. */
  async checkSent(): Promise<void> {
    const logger = createLogger('info', { destination: this.place.log });
    await new SentCheck(this.place.database, this.chains, logger).check();
  }

  /** Compares the books with the chain, as `coffer verify` does. */
  async audit(): Promise<CheckedChain> {
    const [chain] = await this.chains.blocks.active();
    if (chain === undefined) throw new Error('The chain is not served.');
    return auditBlockChain(this.place.database, chain);
  }

  /** The chain as recovery asks it. */
  async chain(): Promise<ExpiringChain> {
    const [chain] = await this.chains.expiring.active();
    if (chain === undefined) throw new Error('The chain is not served.');
    return chain;
  }

  /** Ends sweeps that were not signed for too long. */
  giveUp(): Promise<void> {
    return this.outcomes.giveUp();
  }

  async bookTopUps(): Promise<void> {
    await this.checkSent();
    await this.topUps.bookFound();
  }

  private async run(statement: string): Promise<void> {
    await query(this.place.owner, statement);
  }
}

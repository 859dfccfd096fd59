import type { Logger } from 'pino';
import type { NetworkProfile } from '../../src/chains/networks.js';
import { LedgerService } from '../../src/ledger/ledger.service.js';
import type { Database } from '../../src/platform/database/database.js';
import { createLogger } from '../../src/platform/logging.js';
import { Metrics } from '../../src/platform/metrics.js';
import { ConditionSamples } from '../../src/treasury/expiring/condition-samples.service.js';
import { ExpiredTransactions } from '../../src/treasury/expiring/expired-transactions.service.js';
import { ExpiringBalances } from '../../src/treasury/expiring/expiring-balances.service.js';
import { ExpiringConfirmer } from '../../src/treasury/expiring/expiring-confirmer.service.js';
import { SentCheck } from '../../src/treasury/expiring/sent-check.service.js';
import { Broadcaster } from '../../src/treasury/transactions/broadcaster.service.js';
import { OutcomeRecorder } from '../../src/treasury/transactions/outcome-recorder.service.js';
import { TreasuryChains } from '../../src/treasury/treasury-chains.service.js';
import { TopUps } from '../../src/treasury/wallets/top-ups.service.js';
import type { LogLines } from './log-lines.js';
import { RecordingQueue } from './recording-queue.js';
import { runtimeServing } from './served-chains.js';
import { FLOORED_NOW, query } from './sql.js';
import { vaultServices } from './vault-services.js';

/** What a worker is made of on a network whose transactions expire. */
export interface WorkerPlace {
  readonly database: Database;
  /** With the rights of the owner: rows of samples are not the service's to change. */
  readonly owner: Database;
  readonly profile: NetworkProfile;
  /** The preferred node first. */
  readonly rpcUrls: readonly string[];
  readonly log: LogLines;
}

/**
 * The jobs of a worker that every payment needs where transactions expire, wired like in the modules. They run when a spec
 * says so, whatever their clocks say.
 */
export abstract class ExpiringWorker {
  readonly chains: TreasuryChains;
  protected readonly logger: Logger;
  private readonly conditions: ConditionSamples;
  private readonly balances: ExpiringBalances;
  private readonly broadcaster: Broadcaster;
  private readonly confirmer: ExpiringConfirmer;
  private readonly topUps: TopUps;

  constructor(protected readonly place: WorkerPlace) {
    const { database, profile, rpcUrls, log } = place;
    const logger = createLogger('info', { destination: log });
    const { outcomes } = vaultServices(database, new RecordingQueue().queue, logger);
    this.logger = logger;
    this.chains = new TreasuryChains(database, runtimeServing([{ profile, rpcUrls }]), logger);
    this.conditions = new ConditionSamples(database, this.chains, logger);
    this.balances = new ExpiringBalances(database, this.chains, logger);
    this.broadcaster = new Broadcaster(database, this.chains, outcomes, logger);
    const recorder = new OutcomeRecorder(database, new LedgerService(), outcomes, logger);
    const expired = new ExpiredTransactions(database, outcomes, logger);
    this.confirmer = new ExpiringConfirmer(database, this.chains, recorder, expired, logger);
    this.topUps = new TopUps(database, new LedgerService(), new Metrics(), this.chains, logger);
  }

  async close(): Promise<void> {
    await this.chains.beforeApplicationShutdown();
  }

  /** Compares the sent transactions of the wallet with the records some times, as a worker does that has just started. */
  async checkSent(times = 1): Promise<void> {
    const check = new SentCheck(this.place.database, this.chains, this.logger);
    for (let nth = 0; nth < times; nth += 1) await check.check();
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
    // Truncated: the column would round up, and nothing is due for a moment.
    await this.run(`update chain_transaction set due_at = ${FLOORED_NOW} where status = 'signed'`);
    await this.broadcaster.sendDue();
  }

  confirm(): Promise<void> {
    return this.confirmer.confirmAll();
  }

  /** Compares the hot wallet with the books, as far as its sent transactions are recorded. */
  async bookTopUps(): Promise<void> {
    await this.checkSent();
    await this.topUps.bookFound();
  }

  private async run(statement: string): Promise<void> {
    await query(this.place.owner, statement);
  }
}

import type { CheckedChain } from '../../src/auditor/checks/chain-rules.js';
import { auditAccountChain, auditBlockChain } from '../../src/cli/chain-audit.js';
import { LedgerService } from '../../src/ledger/ledger.service.js';
import { Metrics } from '../../src/platform/metrics.js';
import { PricingService } from '../../src/pricing/pricing.service.js';
import { ExpiringSweepDrafts } from '../../src/treasury/sweeps/expiring/expiring-sweep-drafts.service.js';
import { ExpiringSweepPlanner } from '../../src/treasury/sweeps/expiring/expiring-sweep-planner.service.js';
import { ReturnedRents } from '../../src/treasury/sweeps/expiring/returned-rents.service.js';
import { FundedSweepPlanner } from '../../src/treasury/sweeps/funding/funded-sweep-planner.service.js';
import { SweepOutcomeHandler } from '../../src/treasury/sweeps/sweep-outcome-handler.service.js';
import type { ExpiringChain } from '../../src/treasury/treasury-chains.service.js';
import { ExpiringWorker, type WorkerPlace } from './expiring-worker.js';
import { hotWalletCap } from './hot-wallet-cap.js';

const FEE_SHARE_BPS = 9_000;

/** The jobs of a worker that sweeps where transactions expire. */
export class ExpiringSweepWorker extends ExpiringWorker {
  private readonly planner: ExpiringSweepPlanner;
  private readonly outcomes: SweepOutcomeHandler;

  constructor(place: WorkerPlace, sweepFeeShareBps = FEE_SHARE_BPS) {
    super(place);
    const { chains, logger } = this;
    const { database } = place;
    this.outcomes = new SweepOutcomeHandler(database, new Metrics(), new ReturnedRents(new LedgerService()), logger);
    const limits = { stuckAfterMs: 1, unexplainedAfterMs: 1, sweepFeeShareBps, hotWalletCapCents: 0 };
    const treasury = { treasury: limits };
    const drafts = new ExpiringSweepDrafts(database, new PricingService(database), hotWalletCap(database), treasury);
    const funded = new FundedSweepPlanner(database, logger);
    this.planner = new ExpiringSweepPlanner(database, chains, drafts, funded, treasury, logger);
  }

  /** Plans sweeps with fresh fees. */
  async plan(): Promise<void> {
    await this.readConditions();
    await this.planner.plan();
  }

  /** Compares the books with the chain, as `coffer verify` does. */
  async audit(): Promise<CheckedChain> {
    const { database } = this.place;
    const [byBlocks] = await this.chains.blocks.active();
    if (byBlocks !== undefined) return auditBlockChain(database, byBlocks);
    const [byAccounts] = await this.chains.accounts.active();
    if (byAccounts === undefined) throw new Error('The chain is not served.');
    return auditAccountChain(database, byAccounts);
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
}

import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Database, row, rows, type Tx } from '../../platform/database/database.js';
import { LOGGER } from '../../platform/logging.js';
import type { Vault } from '../../vault/vault.js';
import { type Authorizations, NO_AUTHORIZATIONS } from '../transactions/checked-signature.js';
import { FAILPOINT_PREFIXES } from '../transactions/outcome-handler.js';
import {
  type SigningOutcome,
  type SigningOutcomes,
  SigningRun,
  type WaitingOrders,
} from '../transactions/signing-run.js';
import type { CallOrder, SweepingOrder } from '../transactions/transaction-order.js';
import { TransactionSigner } from '../transactions/transaction-signer.service.js';
import { recordWaiting } from '../transactions/waiting-orders.js';
import { recordRefusal } from '../vault-records.js';
import { HotWalletCap } from './hot-wallet-cap.service.js';
import { authorizeSweep } from './sweep-authorizations.js';
import { findOpenLoanOf, findSweepOf } from './energy/energy-loans.sql.js';
import { loanOrder, returnOrder } from './energy/energy-orders.js';
import { stakingOrder } from '../stakes/staking-order.js';
import { fundingOrder } from './funding/funding-order.js';
import { isNeeded } from './sweep-needs.sql.js';
import { contractOrder, frozenAddressOf, sweepOrder } from './sweep-orders.js';
import { finishSweeps } from './sweep-rows.js';
import {
  findOpen,
  findOpenFundingOf,
  markSigned,
  SWEEP_PURPOSES,
  type SweepPurpose,
  waitingSweeps,
} from './sweep-signing.sql.js';
import type { SweepWaitingReason } from './sweep-waiting.js';
import { Sweep } from './sweep.entity.js';

/** The kinds of orders signed here: their noun and table, the function that locks and reads one, and the rows that wait. */
const KINDS = {
  contract: {
    noun: 'deployment',
    table: 'sweep_contract',
    orderOf: contractOrder,
  },
  funding: {
    noun: 'funding',
    table: 'funding',
    orderOf: fundingOrder,
  },
  energy_return: {
    noun: 'return of energy',
    table: 'energy_return',
    orderOf: returnOrder,
  },
  energy_loan: {
    noun: 'loan of energy',
    table: 'energy_loan',
    orderOf: loanOrder,
  },
  stake: {
    noun: 'stake',
    table: 'stake_order',
    orderOf: stakingOrder,
  },
  sweep: {
    noun: 'sweep',
    table: 'sweep',
    orderOf: sweepOrder,
  },
} as const satisfies Record<SweepPurpose, { noun: string; table: string; orderOf: OrderOf }>;
type SignedOrder = CallOrder | SweepingOrder;
type OrderOf = (tx: Tx, id: string) => Promise<SignedOrder | null>;

/** Signs sweeps, what belongs to them, stakes, and the deployments of their contracts with the vault. Runs in the vault role. */
@Injectable()
export class SweepSigner {
  constructor(
    private readonly database: Database,
    private readonly transactions: TransactionSigner,
    private readonly cap: HotWalletCap,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Signs everything that waits for these purposes, one after the other, as `SigningRun.signWaiting`. */
  async signWaiting(vault: Vault, purposes: readonly SweepPurpose[] = SWEEP_PURPOSES): Promise<void> {
    for (const purpose of purposes) {
      await new SigningRun(this.database, this.logger, this.waiting(vault, purpose)).signWaiting();
    }
  }

  private waiting(vault: Vault, purpose: SweepPurpose): WaitingOrders<SweepWaitingReason> {
    return {
      ...waitingSweeps(purpose),
      noun: KINDS[purpose].noun,
      logKey: 'purposeId',
      failpoint: FAILPOINT_PREFIXES[purpose],
      // Each has its own authorizations, and the cap of the wallet is checked for each.
      together: 1,
      sign: ([id = '']) => this.signOne(vault, purpose, id),
    };
  }

  private async signOne(vault: Vault, purpose: SweepPurpose, id: string): Promise<SigningOutcomes<SweepWaitingReason>> {
    const early = await this.database.transaction((tx) => this.check(tx, purpose, id));
    if (early !== 'ready') return new Map(early === null ? [] : [[id, early]]);
    // The addresses sign before the wallet is locked: withdrawals wait for that lock.
    const authorizations = purpose === 'sweep' ? await authorizeSweep(this.database, vault, id) : NO_AUTHORIZATIONS;
    const outcome = await this.database.transaction((tx) => this.signIn(tx, vault, { purpose, id, authorizations }));
    return new Map(outcome === null ? [] : [[id, outcome]]);
  }

  /** Returns whether it could be signed now, before its addresses sign: a waiting order gets no signatures. */
  private async check(tx: Tx, purpose: SweepPurpose, id: string): Promise<SweepWaitingReason | 'ready' | null> {
    const order = await this.openOrder(tx, purpose, id);
    if (order === null) return null;
    const call = { purpose, purposeId: id, order, authorizations: NO_AUTHORIZATIONS };
    const reason = (await this.ownReason(tx, purpose, id)) ?? (await this.transactions.waitsFor(tx, call));
    if (reason === null) return 'ready';
    await this.wait(tx, purpose, id, reason);
    return reason;
  }

  /** Locks and returns the order; null when it must not be signed any more. */
  private async openOrder(tx: Tx, purpose: SweepPurpose, id: string): Promise<SignedOrder | null> {
    const order = await KINDS[purpose].orderOf(tx, id);
    const open = await rows(tx, findOpen(purpose, id));
    if (order === null || open.length === 0) return null;
    return purpose === 'sweep' && (await this.endedAsFrozen(tx, id)) ? null : order;
  }

  /**
   * Ends a sweep with funds of a listed sender, which may have arrived since it was planned, or whose sender was listed
   * since. The whole sweep ends, since its terms never change; the next plan leaves that address out.
   */
  private async endedAsFrozen(tx: Tx, id: string): Promise<boolean> {
    const address = await frozenAddressOf(tx, id);
    if (address === null) return false;
    await recordRefusal(tx, { purpose: 'sweep', purposeId: id, reason: `coins of a listed sender lie at ${address}` });
    await finishSweeps(tx, [id]);
    this.logger.warn(
      { sweepId: id, address },
      'The sweep ended: funds of a listed sender lie at one of its addresses.',
    );
    return true;
  }

  private async signIn(
    tx: Tx,
    vault: Vault,
    { purpose, id, authorizations }: { purpose: SweepPurpose; id: string; authorizations: Authorizations },
  ): Promise<SigningOutcome<SweepWaitingReason> | null> {
    const order = await this.openOrder(tx, purpose, id);
    if (order === null) return null;
    const call = { purpose, purposeId: id, order, authorizations };
    const outcome = (await this.ownReason(tx, purpose, id)) ?? (await this.transactions.signCall(tx, vault, call));
    if (outcome === 'signed') {
      await rows(tx, markSigned(purpose, id));
    } else {
      await this.wait(tx, purpose, id, outcome);
    }
    return outcome;
  }

  /**
   * Returns the reason of a sweep, beside those of all transactions, to wait: its funding, its loan, or the cap of the hot
   * wallet. A loan waits for the funding, since an address must be active to borrow.
   */
  private async ownReason(
    tx: Tx,
    purpose: SweepPurpose,
    id: string,
  ): Promise<'funding_not_final' | 'energy_not_final' | 'hot_wallet_full' | null> {
    if (purpose !== 'sweep' && purpose !== 'energy_loan') return null;
    const sweepId = purpose === 'sweep' ? id : ((await rows(tx, findSweepOf(id)))[0]?.sweepId ?? '');
    if ((await rows(tx, findOpenFundingOf(sweepId))).length > 0) return 'funding_not_final';
    if (purpose === 'energy_loan') return null;
    if ((await rows(tx, findOpenLoanOf(id))).length > 0) return 'energy_not_final';
    return (await this.exceedsCap(tx, id)) ? 'hot_wallet_full' : null;
  }

  /** Checks the cap again: the planner may be wrong or compromised. The sweep itself counts among the open ones. */
  private async exceedsCap(tx: Tx, sweepId: string): Promise<boolean> {
    const sweep = await tx.findOne(Sweep, { id: sweepId });
    if (sweep === null) return false;
    const room = await this.cap.room(tx, sweep.chainRef);
    if (room === null || room >= 0n) return false;
    return sweep.reason !== 'withdrawal' || !(await row(tx, isNeeded(sweepId))).isNeeded;
  }

  private async wait(tx: Tx, purpose: SweepPurpose, id: string, reason: SweepWaitingReason): Promise<void> {
    const changed = await recordWaiting(tx, KINDS[purpose].table, new Map([[id, reason]]));
    if (changed.length > 0) this.logger.warn({ purpose, purposeId: id, reason }, 'The sweep waits.');
  }
}

import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Database, type Tx, sql, sqlOne } from '../../platform/database/database.js';
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
import type { CallOrder } from '../transactions/transaction-order.js';
import { TransactionSigner } from '../transactions/transaction-signer.service.js';
import { recordWaiting } from '../transactions/waiting-orders.js';
import { recordRefusal } from '../vault-records.js';
import { HotWalletCap } from './hot-wallet-cap.service.js';
import { authorizeSweep } from './sweep-authorizations.js';
import { IS_NEEDED_STATEMENT } from './sweep-candidates.sql.js';
import { contractOrder, frozenAddressOf, sweepOrder } from './sweep-orders.js';
import { finishSweeps } from './sweep-rows.js';
import type { SweepWaitingReason } from './sweep-waiting.js';
import type { SweepReason } from './sweep.entity.js';

/** The kinds of orders signed here: their noun and table, the function that locks and reads one, and the rows that wait. */
const KINDS = {
  contract: {
    noun: 'deployment',
    table: 'sweep_contract',
    orderOf: contractOrder,
    isOpen: 'signed_at is null and ready_at is null and trouble is null and abandoned_at is null',
  },
  sweep: {
    noun: 'sweep',
    table: 'sweep',
    orderOf: sweepOrder,
    isOpen: 'signed_at is null and finished_at is null',
  },
} as const satisfies Record<string, { noun: string; table: string; orderOf: OrderOf; isOpen: string }>;
type OrderOf = (tx: Tx, id: string) => Promise<CallOrder | null>;
type SweepPurpose = keyof typeof KINDS;

/** Signs sweeps and the deployments of their contracts with the vault. Runs in the vault role. */
@Injectable()
export class SweepSigner {
  constructor(
    private readonly database: Database,
    private readonly transactions: TransactionSigner,
    private readonly cap: HotWalletCap,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Signs every waiting deployment, then every waiting sweep, as `SigningRun.signWaiting`. */
  async signWaiting(vault: Vault): Promise<void> {
    await new SigningRun(this.database, this.logger, this.waiting(vault, 'contract')).signWaiting();
    await new SigningRun(this.database, this.logger, this.waiting(vault, 'sweep')).signWaiting();
  }

  private waiting(vault: Vault, purpose: SweepPurpose): WaitingOrders<SweepWaitingReason> {
    const { table, isOpen, noun } = KINDS[purpose];
    return {
      noun,
      logKey: 'purposeId',
      failpoint: FAILPOINT_PREFIXES[purpose],
      // Each has its own authorizations, and the cap of the wallet is checked for each.
      together: 1,
      table,
      purpose: `'${purpose}'`,
      purposeId: 'id',
      isOpen,
      chainRef: 'chain_ref',
      hasReason: 'waiting_reason is not null',
      isBeingSimulated: 'false',
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
    const reason = (await this.fullFor(tx, purpose, id)) ?? (await this.transactions.waitsFor(tx, call));
    if (reason === null) return 'ready';
    await this.wait(tx, purpose, id, reason);
    return reason;
  }

  /** Locks and returns the order; null when it must not be signed any more. */
  private async openOrder(tx: Tx, purpose: SweepPurpose, id: string): Promise<CallOrder | null> {
    const { table, orderOf, isOpen } = KINDS[purpose];
    const order = await orderOf(tx, id);
    const open = await sql(tx, `select from ${table} where id = $1 and ${isOpen}`, [id]);
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
    const outcome = (await this.fullFor(tx, purpose, id)) ?? (await this.transactions.signCall(tx, vault, call));
    if (outcome === 'signed') {
      await sql(tx, `update ${KINDS[purpose].table} set signed_at = now(), waiting_reason = null where id = $1`, [id]);
    } else {
      await this.wait(tx, purpose, id, outcome);
    }
    return outcome;
  }

  private async fullFor(tx: Tx, purpose: SweepPurpose, id: string): Promise<'hot_wallet_full' | null> {
    return purpose === 'sweep' && (await this.exceedsCap(tx, id)) ? 'hot_wallet_full' : null;
  }

  /** Checks the cap again: the planner may be wrong or compromised. The sweep itself counts among the open ones. */
  private async exceedsCap(tx: Tx, sweepId: string): Promise<boolean> {
    const [sweep] = await sql<{ chain_ref: string; reason: SweepReason }>(
      tx,
      `select chain_ref, reason from sweep where id = $1`,
      [sweepId],
    );
    if (sweep === undefined) return false;
    const room = await this.cap.room(tx, sweep.chain_ref);
    if (room === null || room >= 0n) return false;
    return sweep.reason !== 'withdrawal' || !(await isNeeded(tx, sweepId));
  }

  private async wait(tx: Tx, purpose: SweepPurpose, id: string, reason: SweepWaitingReason): Promise<void> {
    const changed = await recordWaiting(tx, KINDS[purpose].table, new Map([[id, reason]]));
    if (changed.length > 0) this.logger.warn({ purpose, purposeId: id, reason }, 'The sweep waits.');
  }
}

/** Returns whether withdrawals wait for the funds of a sweep. */
async function isNeeded(tx: Tx, sweepId: string): Promise<boolean> {
  return (await sqlOne<{ is_needed: boolean }>(tx, IS_NEEDED_STATEMENT, [sweepId])).is_needed;
}

import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Database, type Tx, sql, sqlOne } from '../../platform/database/database.js';
import { failpoint } from '../../platform/failpoints.js';
import { LOGGER } from '../../platform/logging.js';
import { JobQueue } from '../../platform/queue/job-queue.js';
import { type Authorizations, NO_AUTHORIZATIONS } from '../transactions/checked-signature.js';
import type { CallOrder } from '../transactions/standing-order.js';
import { FAILPOINT_PREFIXES } from '../transactions/transaction-outcomes.js';
import { TransactionSigning } from '../transactions/transaction-signing.service.js';
import { recordRefusal } from '../vault-records.js';
import { freezeWallet } from '../wallets/wallet-freeze.js';
import { SignedMismatch } from '../../vault/signed-check.js';
import { type Vault, VaultError } from '../../vault/vault.js';
import { HotWalletCap } from './hot-wallet-cap.service.js';
import { authorizeSweep } from './sweep-authorizations.js';
import { IS_NEEDED_STATEMENT } from './sweep-candidates.sql.js';
import type { SweepReason } from './sweep.entity.js';
import { contractOrder, frozenAddressOf, sweepOrder } from './sweep-orders.js';
import { finishSweeps } from './sweep-rows.js';
import type { SweepWaitingReason } from './sweep-waiting.js';

const BATCH = 100;

/** What is signed here: the table of the orders, how one is read and locked, and which of its rows wait. */
const KINDS = {
  contract: {
    table: 'sweep_contract',
    orderOf: contractOrder,
    isOpen: 'ready_at is null and trouble is null and abandoned_at is null',
  },
  sweep: { table: 'sweep', orderOf: sweepOrder, isOpen: 'finished_at is null' },
} as const satisfies Record<string, { table: string; orderOf: OrderOf; isOpen: string }>;
type OrderOf = (tx: Tx, id: string) => Promise<CallOrder | null>;
type SweepPurpose = keyof typeof KINDS;

/**
 * Has the vault sign sweeps, and the deployments of the contracts that they need. It is told an id and nothing else, as
 * with withdrawals. Runs in the vault role alone.
 */
@Injectable()
export class SweepSigner {
  constructor(
    private readonly database: Database,
    private readonly signing: TransactionSigning,
    private readonly cap: HotWalletCap,
    private readonly queue: JobQueue,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Signs everything that waits for it, the oldest first. One that cannot be signed holds up no other.
   * @throws VaultError when the vault has stopped
   */
  async signWaiting(vault: Vault): Promise<void> {
    for (const purpose of ['contract', 'sweep'] as const) {
      const { table, isOpen } = KINDS[purpose];
      const rows = await this.database.query<{ id: string }>(
        `select id from ${table} where ${isOpen} and signed_at is null order by created_at, id limit $1`,
        [BATCH],
      );
      for (const { id } of rows) {
        await this.sign(vault, purpose, id).catch((error: unknown) => {
          if (error instanceof VaultError) throw error;
          this.logger.error({ purpose, purposeId: id, err: error }, 'a sweep was not signed');
        });
      }
    }
  }

  /** Signs one, once; one that is signed already or has ended is left alone. Gives what it waits for, if so. */
  async sign(vault: Vault, purpose: SweepPurpose, id: string): Promise<SweepWaitingReason | null> {
    try {
      const early = await this.database.transaction((tx) => this.look(tx, purpose, id));
      if (early !== 'ready') return early;
      // The addresses sign before the wallet is locked: withdrawals wait for that lock.
      const authorizations = purpose === 'sweep' ? await authorizeSweep(this.database, vault, id) : NO_AUTHORIZATIONS;
      const outcome = await this.database.transaction((tx) => this.signIn(tx, vault, { purpose, id, authorizations }));
      if (outcome !== 'signed') return outcome;
      failpoint(`${FAILPOINT_PREFIXES[purpose]}.signed_persisted`);
      this.queue.wake('treasury.broadcast', {});
      return null;
    } catch (error) {
      if (!(error instanceof SignedMismatch)) throw error;
      await this.refuse(purpose, id, error);
      return 'wallet_frozen';
    }
  }

  /** Whether it could be signed now: nobody signs anything for one that has to wait. */
  private async look(tx: Tx, purpose: SweepPurpose, id: string): Promise<SweepWaitingReason | 'ready' | null> {
    const order = await this.openOrder(tx, purpose, id);
    if (order === null) return null;
    const isFull = purpose === 'sweep' && (await this.exceedsCap(tx, id));
    const reason = isFull ? 'hot_wallet_full' : await this.signing.waitsFor(tx, { order, strategy: 'standard' });
    if (reason === null) return 'ready';
    await this.wait(tx, purpose, id, reason);
    return reason;
  }

  /** The order with its row locked; null when it is not to be signed, or not any more. */
  private async openOrder(tx: Tx, purpose: SweepPurpose, id: string): Promise<CallOrder | null> {
    const { table, orderOf, isOpen } = KINDS[purpose];
    const order = await orderOf(tx, id);
    const open = await sql(tx, `select from ${table} where id = $1 and signed_at is null and ${isOpen}`, [id]);
    if (order === null || open.length === 0) return null;
    return purpose === 'sweep' && (await this.endedAsFrozen(tx, id)) ? null : order;
  }

  /**
   * Coins of a listed sender may have come to an address since the sweep was planned, or their sender was listed since. The
   * whole sweep ends, as its terms never change: what is planned next leaves that address out.
   */
  private async endedAsFrozen(tx: Tx, id: string): Promise<boolean> {
    const address = await frozenAddressOf(tx, id);
    if (address === null) return false;
    await recordRefusal(tx, { purpose: 'sweep', purposeId: id, reason: `coins of a listed sender lie at ${address}` });
    await finishSweeps(tx, [id]);
    this.logger.warn(
      { sweepId: id, address },
      'a sweep is not signed: coins of a listed sender lie at an address of it',
    );
    return true;
  }

  private async signIn(
    tx: Tx,
    vault: Vault,
    { purpose, id, authorizations }: { purpose: SweepPurpose; id: string; authorizations: Authorizations },
  ): Promise<SweepWaitingReason | 'signed' | null> {
    const order = await this.openOrder(tx, purpose, id);
    if (order === null) return null;
    const terms = { purpose, purposeId: id, strategy: 'standard', order } as const;
    const isFull = purpose === 'sweep' && (await this.exceedsCap(tx, id));
    const verdict = isFull ? 'hot_wallet_full' : await this.signing.sign(tx, vault, terms, authorizations);
    if (verdict === 'signed') {
      await sql(tx, `update ${KINDS[purpose].table} set signed_at = now(), waiting_reason = null where id = $1`, [id]);
    } else {
      await this.wait(tx, purpose, id, verdict);
    }
    return verdict;
  }

  /** Whoever planned it may be wrong about it, or want it to be wrong. The sweep itself is among what is on its way. */
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
    const changed = await sql(
      tx,
      `update ${KINDS[purpose].table} set waiting_reason = $2 where id = $1 and waiting_reason is distinct from $2
        returning id`,
      [id, reason],
    );
    if (changed.length > 0) this.logger.warn({ purpose, purposeId: id, reason }, 'a sweep waits');
  }

  /** The vault did not sign what was ordered. Whatever the cause, nothing more is signed on this chain before staff looked. */
  private async refuse(purpose: SweepPurpose, id: string, error: SignedMismatch): Promise<void> {
    this.logger.fatal({ purpose, purposeId: id, err: error }, 'the vault signed something else than was ordered');
    await this.database.transaction(async (tx) => {
      await recordRefusal(tx, { purpose, purposeId: id, reason: error.message });
      const { chain_ref: chainRef } = await sqlOne<{ chain_ref: string }>(
        tx,
        `select chain_ref from ${KINDS[purpose].table} where id = $1`,
        [id],
      );
      await freezeWallet(tx, chainRef, error.message);
    });
  }
}

/** Whether withdrawals do wait for what it brings. */
async function isNeeded(tx: Tx, sweepId: string): Promise<boolean> {
  return (await sqlOne<{ is_needed: boolean }>(tx, IS_NEEDED_STATEMENT, [sweepId])).is_needed;
}

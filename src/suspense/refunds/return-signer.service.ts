import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { addressFamilyOf } from '../../domain/network.js';
import { isPaymentRefusal, type PaymentRefusal } from '../../domain/withdrawal.js';
import { Database, type Tx, sql } from '../../platform/database/database.js';
import { failpoint } from '../../platform/failpoints.js';
import { LOGGER } from '../../platform/logging.js';
import { JobQueue } from '../../platform/queue/job-queue.js';
import { SanctionsList } from '../../sanctions/sanctions-list.service.js';
import { TransactionSigning } from '../../treasury/transactions/transaction-signing.service.js';
import { recordRefusal } from '../../treasury/vault-records.js';
import { freezeWallet } from '../../treasury/wallets/wallet-freeze.js';
import { SignedMismatch } from '../../vault/signed-check.js';
import { type Vault, VaultError } from '../../vault/vault.js';
import { ReturnEndings } from './return-endings.service.js';
import { isReturnHeld, lockReturn, type ReturnOrder } from './return-order.js';
import type { ReturnWaitingReason } from './return-standing.js';

const BATCH = 100;
const PURPOSE = 'deposit_return';

/**
 * Has the vault sign returns. Like `WithdrawalSigner` it is told an id and believes rows alone: what is paid is the deposit,
 * to whom stands in the order. Staff order by a command, so there is no wake: the vault looks every second.
 */
@Injectable()
export class ReturnSigner {
  constructor(
    private readonly database: Database,
    private readonly sanctions: SanctionsList,
    private readonly signing: TransactionSigning,
    private readonly endings: ReturnEndings,
    private readonly queue: JobQueue,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Signs everything that waits for it, the oldest first. One that cannot be signed holds up no other.
   * @throws VaultError when the vault has stopped
   */
  async signWaiting(vault: Vault): Promise<void> {
    for (let after = { at: new Date(0), id: '' }; ;) {
      const rows = await this.database.query<{ id: string; created_at: string }>(
        `select id, created_at from deposit_return
          where status = 'broadcasting' and signed_at is null and (created_at, id) > ($1, $2)
          order by created_at, id limit $3`,
        [after.at, after.id, BATCH],
      );
      for (const { id } of rows) {
        await this.sign(vault, id).catch((error: unknown) => {
          if (error instanceof VaultError) throw error;
          this.logger.error({ returnId: id, err: error }, 'a return was not signed');
        });
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < BATCH) return;
      after = { at: new Date(last.created_at), id: last.id };
    }
  }

  /** Signs one return, once, unless it is signed, has ended, or another has it in hand. Gives what it waits for, if so. */
  async sign(vault: Vault, id: string): Promise<ReturnWaitingReason | null> {
    try {
      const outcome = await this.database.transaction((tx) => this.signIn(tx, vault, id));
      if (outcome !== 'signed') return outcome;
      failpoint('return.signed_persisted');
      this.queue.wake('treasury.broadcast', {});
      return null;
    } catch (error) {
      if (!(error instanceof SignedMismatch)) throw error;
      await this.refuse(id, error);
      return 'wallet_frozen';
    }
  }

  private async signIn(tx: Tx, vault: Vault, id: string): Promise<ReturnWaitingReason | 'signed' | null> {
    const order = await lockReturn(tx, id, 'both, unless locked');
    if (order === null || order.isSigned) return null;
    const { network, transfer } = order;
    if ((await this.sanctions.isListed(tx, addressFamilyOf(network), transfer.recipient)) !== null) {
      // After a restore it may be paid already: nothing is given back before that is known.
      const doubt = await this.signing.doubts(tx, transfer.chainRef);
      if (doubt !== null) {
        await this.wait(tx, order, doubt);
        return doubt;
      }
      return this.failUnsigned(tx, id, 'address_blocked');
    }
    const verdict = (await obstacleOf(tx, order)) ?? (await this.signPayment(tx, vault, order));
    if (isPaymentRefusal(verdict)) return this.failUnsigned(tx, id, verdict);
    if (verdict === 'signed') {
      await sql(tx, `update deposit_return set signed_at = now(), waiting_reason = null where id = $1`, [id]);
    } else {
      await this.wait(tx, order, verdict);
    }
    return verdict;
  }

  private async failUnsigned(tx: Tx, id: string, code: 'address_blocked' | PaymentRefusal): Promise<null> {
    await recordRefusal(tx, { purpose: PURPOSE, purposeId: id, reason: code });
    await this.endings.fail(tx, id, code, null);
    return null;
  }

  private signPayment(
    tx: Tx,
    vault: Vault,
    { id, transfer }: ReturnOrder,
  ): Promise<ReturnWaitingReason | PaymentRefusal | 'signed'> {
    return this.signing.pay(tx, vault, { purpose: PURPOSE, purposeId: id, strategy: 'standard', order: transfer });
  }

  private async wait(tx: Tx, { id, waitingReason }: ReturnOrder, reason: ReturnWaitingReason): Promise<void> {
    if (waitingReason === reason) return;
    await sql(tx, `update deposit_return set waiting_reason = $2 where id = $1`, [id, reason]);
    this.logger.warn({ returnId: id, reason }, 'a return waits');
  }

  /** The vault did not sign what was ordered. Whatever the cause, nothing more is signed on this chain before staff looked. */
  private async refuse(id: string, error: SignedMismatch): Promise<void> {
    this.logger.fatal({ returnId: id, err: error }, 'the vault signed something else than was ordered');
    await this.database.transaction(async (tx) => {
      const order = await lockReturn(tx, id, 'return');
      if (order === null) return;
      await recordRefusal(tx, { purpose: PURPOSE, purposeId: id, reason: error.message });
      await freezeWallet(tx, order.transfer.chainRef, error.message);
    });
  }
}

/** What keeps this very order from being signed. */
async function obstacleOf(tx: Tx, order: ReturnOrder): Promise<ReturnWaitingReason | null> {
  if (order.isReorged) return 'deposit_gone';
  return (await isReturnHeld(tx, order)) ? null : 'not_booked';
}

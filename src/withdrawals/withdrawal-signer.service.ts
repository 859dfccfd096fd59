import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { addressFamilyOf } from '../domain/network.js';
import type { WaitingReason } from '../domain/withdrawal.js';
import { Database, type Tx, sql } from '../platform/database/database.js';
import { detached } from '../platform/database/detached.js';
import { failpoint } from '../platform/failpoints.js';
import { LOGGER } from '../platform/logging.js';
import { JobQueue } from '../platform/queue/job-queue.js';
import { SanctionsList } from '../sanctions/sanctions-list.service.js';
import { TransactionSigning } from '../treasury/transaction-signing.service.js';
import { recordRefusal } from '../treasury/vault-records.js';
import { SignedMismatch } from '../vault/signed-check.js';
import type { Vault } from '../vault/vault.js';
import { WithdrawalEndings } from './withdrawal-endings.service.js';
import { WithdrawalPolicies } from './withdrawal-policies.service.js';
import { Withdrawal } from './withdrawal.entity.js';

const BATCH = 100;
const PURPOSE = 'withdrawal';

/**
 * Has the vault sign withdrawals. It is told an id and nothing else: what is paid to whom comes from the row, and every
 * rule is asked again. Runs in the vault role alone.
 */
@Injectable()
export class WithdrawalSigner {
  constructor(
    private readonly database: Database,
    private readonly policies: WithdrawalPolicies,
    private readonly sanctions: SanctionsList,
    private readonly signing: TransactionSigning,
    private readonly endings: WithdrawalEndings,
    private readonly queue: JobQueue,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Signs everything that waits for it, the oldest first. One that cannot be signed holds up no other. */
  async signWaiting(vault: Vault): Promise<void> {
    let after = { at: new Date(0), id: '' };
    for (;;) {
      const rows = await this.database.query<{ id: string; created_at: string }>(
        `select id, created_at from withdrawal
          where status = 'broadcasting' and signed_at is null and (created_at, id) > ($1, $2)
          order by created_at, id limit $3`,
        [after.at, after.id, BATCH],
      );
      for (const { id } of rows) await this.sign(vault, id);
      const last = rows.at(-1);
      if (last === undefined || rows.length < BATCH) return;
      after = { at: new Date(last.created_at), id: last.id };
    }
  }

  /** Signs one withdrawal, once; one that is signed already or has ended is left alone. */
  async sign(vault: Vault, id: string): Promise<void> {
    try {
      const signed = await this.database.transaction((tx) => this.signIn(tx, vault, id));
      failpoint('wd.signed_persisted');
      if (signed) this.queue.wake('treasury.broadcast', {});
    } catch (error) {
      if (!(error instanceof SignedMismatch)) throw error;
      await this.refuse(id, error);
    }
  }

  private async signIn(tx: Tx, vault: Vault, id: string): Promise<boolean> {
    const [row] = await sql<Record<string, unknown>>(
      tx,
      `select * from withdrawal where id = $1 and status = 'broadcasting' and signed_at is null for no key update`,
      [id],
    );
    if (row === undefined) return false;
    const withdrawal = detached(tx, Withdrawal, row);
    const family = addressFamilyOf(withdrawal.network);
    if ((await this.sanctions.isListed(tx, family, withdrawal.destinationKey)) !== null) {
      await recordRefusal(tx, { purpose: PURPOSE, purposeId: id, reason: 'address_blocked' });
      await this.endings.fail(tx, id, 'address_blocked', null);
      return false;
    }
    const verdict = (await this.policies.verdict(tx, withdrawal)) ?? (await this.signPayout(tx, vault, withdrawal));
    if (verdict === 'signed') {
      await sql(tx, `update withdrawal set signed_at = now(), waiting_reason = null where id = $1`, [id]);
      return true;
    }
    await this.wait(tx, withdrawal, verdict);
    return false;
  }

  private signPayout(tx: Tx, vault: Vault, withdrawal: Withdrawal): Promise<WaitingReason | 'signed'> {
    return this.signing.sign(tx, vault, {
      purpose: PURPOSE,
      purposeId: withdrawal.id,
      chainRef: withdrawal.chainRef,
      token: withdrawal.tokenContract,
      amount: withdrawal.amount,
      recipient: withdrawal.destinationKey,
      strategy: withdrawal.feeStrategy,
    });
  }

  private async wait(tx: Tx, { id, waitingReason }: Withdrawal, reason: WaitingReason): Promise<void> {
    if (waitingReason === reason) return;
    await sql(tx, `update withdrawal set waiting_reason = $2 where id = $1`, [id, reason]);
    this.logger.warn({ withdrawalId: id, reason }, 'a withdrawal waits');
  }

  /** The vault did not sign what was ordered. Whatever the cause, nothing more is signed on this chain before staff looked. */
  private async refuse(id: string, error: SignedMismatch): Promise<void> {
    this.logger.fatal({ withdrawalId: id, err: error }, 'the vault signed something else than was ordered');
    await this.database.transaction(async (tx) => {
      await recordRefusal(tx, { purpose: PURPOSE, purposeId: id, reason: error.message });
      await sql(
        tx,
        `update hot_wallet set frozen_reason = $2
          where frozen_reason is null and chain_ref = (select chain_ref from withdrawal where id = $1)`,
        [id, error.message],
      );
    });
  }
}

import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { addressFamilyOf } from '../../domain/network.js';
import { isHeldByRule, isPaymentRefusal, type PaymentRefusal, type WaitingReason } from '../../domain/withdrawal.js';
import { Database, type Tx, sql, sqlOne } from '../../platform/database/database.js';
import { detached } from '../../platform/database/detached.js';
import { failpoint } from '../../platform/failpoints.js';
import { LOGGER } from '../../platform/logging.js';
import { JobQueue } from '../../platform/queue/job-queue.js';
import { SanctionsList } from '../../sanctions/sanctions-list.service.js';
import { IS_BEING_SIMULATED } from '../../treasury/simulation/payment-simulations.sql.js';
import { TransactionSigning } from '../../treasury/transactions/transaction-signing.service.js';
import { recordRefusal } from '../../treasury/vault-records.js';
import { freezeWallet } from '../../treasury/wallets/wallet-freeze.js';
import { SignedMismatch } from '../../vault/signed-check.js';
import { type Vault, VaultError } from '../../vault/vault.js';
import { isHeld } from './held-coins.js';
import { WithdrawalEndings } from './withdrawal-endings.service.js';
import { WithdrawalPolicies } from '../policies/withdrawal-policies.service.js';
import { Withdrawal } from '../withdrawal.entity.js';

const BATCH = 100;
const PURPOSE = 'withdrawal';

/** What holds up one withdrawal of a chain for these reasons holds up all of them. */
const HOLDS_UP_CHAIN: ReadonlySet<WaitingReason> = new Set<WaitingReason>([
  'no_hot_wallet',
  'chain_halted',
  'wallet_frozen',
  'no_fresh_fees',
  'fees_above_cap',
  'balance_unknown',
]);

interface WaitingRow {
  id: string;
  created_at: string;
  chain_ref: string;
  has_reason: boolean;
  is_being_simulated: boolean;
}

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

  /**
   * Signs everything that waits for it, the oldest first. One that cannot be signed holds up no other.
   * @throws VaultError when the vault has stopped
   */
  async signWaiting(vault: Vault): Promise<void> {
    const stalled = new Set<string>();
    let after = { at: new Date(0), id: '' };
    // Where one waits for the worker to simulate it, all others that are not simulated yet are left to the worker.
    const unsimulated = new Set<string>();
    for (;;) {
      const rows = await this.database.query<WaitingRow>(
        `select id, created_at, chain_ref, waiting_reason is not null as has_reason,
                ${IS_BEING_SIMULATED} as is_being_simulated from withdrawal
          where status = 'broadcasting' and signed_at is null and (created_at, id) > ($1, $2)
            and (chain_ref <> all($3) or waiting_reason is null)
          order by created_at, id limit $4`,
        [after.at, after.id, [...stalled], BATCH],
      );
      for (const { id, chain_ref: chainRef, has_reason: hasReason, is_being_simulated: isBeingSimulated } of rows) {
        // On a chain that is held up, one more look gives an order its reason to wait.
        if (stalled.has(chainRef) ? hasReason : isBeingSimulated && unsimulated.has(chainRef)) continue;
        const reason = await this.trySigning(vault, id);
        if (reason === 'not_simulated') unsimulated.add(chainRef);
        if (reason !== null && HOLDS_UP_CHAIN.has(reason)) stalled.add(chainRef);
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < BATCH) return;
      after = { at: new Date(last.created_at), id: last.id };
    }
  }

  /** Signs one withdrawal, once, unless it is signed, has ended, or another has it in hand. Gives what it waits for, if so. */
  async sign(vault: Vault, id: string): Promise<WaitingReason | null> {
    try {
      const outcome = await this.database.transaction((tx) => this.signIn(tx, vault, id));
      if (outcome !== 'signed') return outcome;
      failpoint('wd.signed_persisted');
      this.queue.wake('treasury.broadcast', {});
      return null;
    } catch (error) {
      if (!(error instanceof SignedMismatch)) throw error;
      await this.refuse(id, error);
      return 'wallet_frozen';
    }
  }

  private async trySigning(vault: Vault, id: string): Promise<WaitingReason | null> {
    try {
      return await this.sign(vault, id);
    } catch (error) {
      if (error instanceof VaultError) throw error;
      this.logger.error({ withdrawalId: id, err: error }, 'a withdrawal was not signed');
      return null;
    }
  }

  private async signIn(tx: Tx, vault: Vault, id: string): Promise<WaitingReason | 'signed' | null> {
    // Whoever has it locked signs or ends it: a job and the sweep would else go on side by side, each waiting for the other.
    const [row] = await sql<Record<string, unknown>>(
      tx,
      `select * from withdrawal where id = $1 and status = 'broadcasting' and signed_at is null for no key update skip locked`,
      [id],
    );
    if (row === undefined) return null;
    const withdrawal = detached(tx, Withdrawal, row);
    const family = addressFamilyOf(withdrawal.network);
    if ((await this.sanctions.isListed(tx, family, withdrawal.destinationKey)) !== null) {
      // After a restore it may be paid already: nothing is given back before that is known.
      const doubt = await this.signing.doubts(tx, withdrawal.chainRef);
      if (doubt !== null) {
        await this.wait(tx, withdrawal, doubt);
        return doubt;
      }
      return this.failUnsigned(tx, id, 'address_blocked');
    }
    const verdict =
      ((await isHeld(tx, id)) ? null : 'not_booked') ??
      (await this.policies.verdict(tx, withdrawal)) ??
      (await this.signPayout(tx, vault, withdrawal));
    if (isPaymentRefusal(verdict)) return this.failUnsigned(tx, id, verdict);
    if (verdict === 'signed') {
      await sql(tx, `update withdrawal set signed_at = now(), waiting_reason = null where id = $1`, [id]);
    } else {
      await this.wait(tx, withdrawal, verdict);
    }
    return verdict;
  }

  private async failUnsigned(tx: Tx, id: string, code: 'address_blocked' | PaymentRefusal): Promise<null> {
    await recordRefusal(tx, { purpose: PURPOSE, purposeId: id, reason: code });
    await this.endings.fail(tx, id, code, null);
    return null;
  }

  private signPayout(tx: Tx, vault: Vault, withdrawal: Withdrawal): Promise<WaitingReason | PaymentRefusal | 'signed'> {
    return this.signing.pay(tx, vault, {
      purpose: PURPOSE,
      purposeId: withdrawal.id,
      strategy: withdrawal.feeStrategy,
      order: {
        kind: 'transfer',
        chainRef: withdrawal.chainRef,
        token: withdrawal.tokenContract,
        amount: withdrawal.amount,
        recipient: withdrawal.destinationKey,
      },
    });
  }

  private async wait(tx: Tx, { id, waitingReason }: Withdrawal, reason: WaitingReason): Promise<void> {
    if (waitingReason === reason) return;
    const isReleased = isHeldByRule(waitingReason) && !isHeldByRule(reason);
    await sql(
      tx,
      `update withdrawal set waiting_reason = $2, released_at = case when $3 then now() else released_at end
        where id = $1`,
      [id, reason, isReleased],
    );
    this.logger.warn({ withdrawalId: id, reason }, 'a withdrawal waits');
  }

  /** The vault did not sign what was ordered. Whatever the cause, nothing more is signed on this chain before staff looked. */
  private async refuse(id: string, error: SignedMismatch): Promise<void> {
    this.logger.fatal({ withdrawalId: id, err: error }, 'the vault signed something else than was ordered');
    await this.database.transaction(async (tx) => {
      await recordRefusal(tx, { purpose: PURPOSE, purposeId: id, reason: error.message });
      const { chain_ref: chainRef } = await sqlOne<{ chain_ref: string }>(
        tx,
        `select chain_ref from withdrawal where id = $1`,
        [id],
      );
      await freezeWallet(tx, chainRef, error.message);
    });
  }
}

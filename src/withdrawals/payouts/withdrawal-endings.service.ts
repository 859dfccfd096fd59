import { Injectable } from '@nestjs/common';
import { addressFamilyOf } from '../../domain/network.js';
import { assetOf, transfer } from '../../domain/posting.js';
import { FAILURES, type FailureCode } from '../../domain/withdrawal.js';
import { EventsService } from '../../events/events.service.js';
import { LedgerService } from '../../ledger/ledger.service.js';
import { systemAccount } from '../../ledger/system-accounts.js';
import { Database, type Tx, sql, sqlOne } from '../../platform/database/database.js';
import { detached } from '../../platform/database/detached.js';
import { failpoint } from '../../platform/failpoints.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import { SanctionsList } from '../../sanctions/sanctions-list.service.js';
import { type Authorizations, NO_AUTHORIZATIONS } from '../../treasury/transactions/checked-signature.js';
import type { TransferOrder } from '../../treasury/transactions/standing-order.js';
import type { TransactionOutcome, TransactionOutcomes } from '../../treasury/transactions/transaction-outcomes.js';
import { Withdrawal } from '../withdrawal.entity.js';
import { presentWithdrawal } from '../withdrawal.presenter.js';

const GONE_BATCH = 100;

/** How withdrawals end: what was held is let go or given back, and the merchant is told, in one transaction. */
@Injectable()
export class WithdrawalEndings implements TransactionOutcomes {
  constructor(
    private readonly database: Database,
    private readonly ledger: LedgerService,
    private readonly events: EventsService,
    private readonly sanctions: SanctionsList,
  ) {}

  /** A merchant's freeze is not asked: the payment is signed and out, and stuck it would hold up those of all others. */
  async standingOrder(tx: Tx, purposeId: string): Promise<TransferOrder | 'address_blocked' | null> {
    const [row] = await sql<Record<string, unknown>>(
      tx,
      `select * from withdrawal where id = $1 and status = 'broadcasting' for no key update`,
      [purposeId],
    );
    if (row === undefined) return null;
    const { chainRef, tokenContract, amount, destinationKey, network } = detached(tx, Withdrawal, row);
    const listing = await this.sanctions.isListed(tx, addressFamilyOf(network), destinationKey);
    if (listing !== null) return 'address_blocked';
    return { kind: 'transfer', chainRef, token: tokenContract, amount, recipient: destinationKey };
  }

  async authorizations(): Promise<Authorizations> {
    return NO_AUTHORIZATIONS;
  }

  async wasBroadcast(tx: Tx, { purposeId, txHash }: { purposeId: string; txHash: string }): Promise<void> {
    await sql(
      tx,
      `update withdrawal set tx_hash = $2, updated_at = now()
        where id = $1 and status = 'broadcasting' and tx_hash is distinct from $2`,
      [purposeId, txHash],
    );
  }

  async ended(tx: Tx, { purposeId, succeeded, txHash }: TransactionOutcome): Promise<void> {
    if (succeeded) await this.complete(tx, purposeId, txHash);
    else await this.fail(tx, purposeId, 'transaction_reverted', txHash);
  }

  /**
   * Gives amount and fee back to the pocket. Only for a withdrawal of which no transaction can be mined any more: one that
   * has none, or whose transaction is final and was reverted.
   */
  async fail(tx: Tx, id: string, code: FailureCode, txHash: string | null): Promise<void> {
    const row = await sqlOne<Record<string, unknown>>(
      tx,
      `update withdrawal
          set status = 'failed', failure_code = $2, failure_message = $3, tx_hash = coalesce($4, tx_hash),
              waiting_reason = null, updated_at = now()
        where id = $1 returning *`,
      [id, code, FAILURES[code], txHash],
    );
    const withdrawal = detached(tx, Withdrawal, row);
    const { availableAccountId, heldAccountId } = await accountsOf(tx, withdrawal);
    const asset = assetOf(withdrawal.network, withdrawal.tokenContract);
    const amount = withdrawal.amount + withdrawal.feeAmount;
    await this.ledger.book(tx, {
      reference: `withdrawal:${id}:refund`,
      kind: 'withdrawal_refund',
      environment: withdrawal.environment,
      legs: transfer({ from: heldAccountId, to: availableAccountId, asset, amount }),
    });
    await this.tell(tx, withdrawal, 'withdrawal.failed');
  }

  /**
   * Gives back what was to be paid on chains that are gone. Only a development chain can be: it was begun anew, and what
   * was signed for the old one is never sent again. One that cannot be given back holds up no other.
   * @throws AggregateError of those that were not given back, once all were tried
   */
  @RecurringJob({ role: 'worker', every: 2_000 })
  async failOnReplacedChains(): Promise<void> {
    const gone = await this.database.query<{ id: string }>(
      `select withdrawal.id from withdrawal join chain on chain.id = withdrawal.chain_ref
        where withdrawal.status = 'broadcasting' and not chain.active limit $1`,
      [GONE_BATCH],
    );
    const failures: unknown[] = [];
    for (const { id } of gone) await this.giveUp(id).catch((error: unknown) => failures.push(error));
    if (failures.length > 0)
      throw new AggregateError(failures, 'Not everything of a chain that is gone was given back.');
  }

  private async giveUp(id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      await sql(
        tx,
        `update chain_transaction set status = 'abandoned', finished_at = now()
          where purpose = 'withdrawal' and purpose_id = $1 and status = 'signed'`,
        [id],
      );
      await this.fail(tx, id, 'chain_gone', null);
    });
  }

  private async complete(tx: Tx, id: string, txHash: string): Promise<void> {
    const row = await sqlOne<Record<string, unknown>>(
      tx,
      `update withdrawal
          set status = 'completed', tx_hash = $2, waiting_reason = null, completed_at = now(), updated_at = now()
        where id = $1 returning *`,
      [id, txHash],
    );
    const withdrawal = detached(tx, Withdrawal, row);
    const { environment, amount, feeAmount } = withdrawal;
    const { heldAccountId } = await accountsOf(tx, withdrawal);
    const asset = assetOf(withdrawal.network, withdrawal.tokenContract);
    await this.ledger.book(tx, {
      reference: `withdrawal:${id}:paid`,
      kind: 'withdrawal_paid',
      environment,
      legs: transfer(
        { from: heldAccountId, to: await systemAccount(tx, 'chain', environment, asset), asset, amount },
        {
          from: heldAccountId,
          to: await systemAccount(tx, 'fee_income', environment, asset),
          asset,
          amount: feeAmount,
        },
      ),
    });
    await this.tell(tx, withdrawal, 'withdrawal.completed');
  }

  private async tell(
    tx: Tx,
    withdrawal: Withdrawal,
    type: 'withdrawal.completed' | 'withdrawal.failed',
  ): Promise<void> {
    const { id, merchantId, environment } = withdrawal;
    await this.events.record(tx, {
      tenant: { merchantId, environment },
      type,
      resourceId: id,
      data: presentWithdrawal(withdrawal),
    });
    failpoint('wd.evented');
  }
}

async function accountsOf(
  tx: Tx,
  { pocketId }: Withdrawal,
): Promise<{ availableAccountId: number; heldAccountId: number }> {
  const pocket = await sqlOne<{ available_account_id: string; held_account_id: string }>(
    tx,
    `select available_account_id, held_account_id from pocket where id = $1`,
    [pocketId],
  );
  return { availableAccountId: Number(pocket.available_account_id), heldAccountId: Number(pocket.held_account_id) };
}

import { Injectable } from '@nestjs/common';
import { addressFamilyOf } from '../../domain/network.js';
import { transfer } from '../../domain/posting.js';
import type { EntryKind } from '../../ledger/entry.entity.js';
import { LedgerService } from '../../ledger/ledger.service.js';
import { systemAccount } from '../../ledger/system-accounts.js';
import { Database, type Tx, sql } from '../../platform/database/database.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import { SanctionsList } from '../../sanctions/sanctions-list.service.js';
import { type Authorizations, NO_AUTHORIZATIONS } from '../../treasury/transactions/checked-signature.js';
import type { TransferOrder } from '../../treasury/transactions/standing-order.js';
import type { TransactionOutcome, TransactionOutcomes } from '../../treasury/transactions/transaction-outcomes.js';
import { lockReturn, type ReturnOrder, returnReference } from './return-order.js';
import type { ReturnFailureCode } from './return-standing.js';

const GONE_BATCH = 100;

/** How returns end: what was held has left, or is in suspense again for staff to decide anew, in one transaction. */
@Injectable()
export class ReturnEndings implements TransactionOutcomes {
  constructor(
    private readonly database: Database,
    private readonly ledger: LedgerService,
    private readonly sanctions: SanctionsList,
  ) {}

  /** Also while the deposit is gone: what is signed holds its nonce until it is mined. */
  async standingOrder(tx: Tx, returnId: string): Promise<TransferOrder | 'address_blocked' | null> {
    const order = await lockReturn(tx, returnId, 'return');
    if (order === null) return null;
    const listing = await this.sanctions.isListed(tx, addressFamilyOf(order.network), order.transfer.recipient);
    return listing === null ? order.transfer : 'address_blocked';
  }

  async authorizations(): Promise<Authorizations> {
    return NO_AUTHORIZATIONS;
  }

  async wasBroadcast(tx: Tx, { purposeId, txHash }: { purposeId: string; txHash: string }): Promise<void> {
    await sql(
      tx,
      `update deposit_return set tx_hash = $2
        where id = $1 and status = 'broadcasting' and tx_hash is distinct from $2`,
      [purposeId, txHash],
    );
  }

  async ended(tx: Tx, { purposeId, succeeded, txHash }: TransactionOutcome): Promise<void> {
    if (succeeded) await this.complete(tx, purposeId, txHash);
    else await this.fail(tx, purposeId, 'transaction_reverted', txHash);
  }

  /**
   * Puts the deposit back into suspense. Only for a return of which no transaction can be mined any more: one that has
   * none, or whose transaction is final and was reverted.
   */
  async fail(tx: Tx, id: string, code: ReturnFailureCode, txHash: string | null): Promise<void> {
    const order = await openReturn(tx, id);
    await sql(
      tx,
      `update deposit_return set status = 'failed', failure_code = $2, tx_hash = coalesce($3, tx_hash),
              waiting_reason = null, ended_at = now() where id = $1`,
      [id, code, txHash],
    );
    await this.move(tx, order, { kind: 'return_undone', suffix: 'undone', to: 'suspense' });
  }

  /**
   * Ends what was to be paid on chains that are gone. Only a development chain can be: it was begun anew, and what was
   * signed for the old one is never sent again. One that cannot be ended holds up no other.
   * @throws AggregateError of those that were not ended, once all were tried
   */
  @RecurringJob({ role: 'worker', every: 2_000 })
  async failOnReplacedChains(): Promise<void> {
    const gone = await this.database.query<{ id: string }>(
      `select deposit_return.id from deposit_return join deposit on deposit.id = deposit_return.deposit_id
         join chain on chain.id = deposit.chain_ref
        where deposit_return.status = 'broadcasting' and not chain.active limit $1`,
      [GONE_BATCH],
    );
    const failures: unknown[] = [];
    for (const { id } of gone) await this.giveUp(id).catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw new AggregateError(failures, 'Not every return on a chain that is gone has ended.');
  }

  private async giveUp(id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      await sql(
        tx,
        `update chain_transaction set status = 'abandoned', finished_at = now()
          where purpose = 'deposit_return' and purpose_id = $1 and status = 'signed'`,
        [id],
      );
      await this.fail(tx, id, 'chain_gone', null);
    });
  }

  private async complete(tx: Tx, id: string, txHash: string): Promise<void> {
    const order = await openReturn(tx, id);
    await sql(
      tx,
      `update deposit_return set status = 'completed', tx_hash = $2, waiting_reason = null, ended_at = now()
        where id = $1`,
      [id, txHash],
    );
    await this.move(tx, order, { kind: 'return_paid', suffix: 'paid', to: 'chain' });
  }

  /** Takes the whole deposit out of what is on its way. */
  private async move(
    tx: Tx,
    { id, depositId, environment, asset, transfer: { amount } }: ReturnOrder,
    { kind, suffix, to }: { readonly kind: EntryKind; readonly suffix: string; readonly to: 'suspense' | 'chain' },
  ): Promise<void> {
    await this.ledger.book(tx, {
      reference: `${returnReference(depositId, id)}:${suffix}`,
      kind,
      environment,
      legs: transfer({
        from: await systemAccount(tx, 'returning', environment, asset),
        to: await systemAccount(tx, to, environment, asset),
        asset,
        amount,
      }),
    });
    await sql(tx, `update deposit set held_as = $2 where id = $1`, [depositId, to === 'suspense' ? 'suspense' : null]);
  }
}

/** @throws when it has ended: nothing ends twice. */
async function openReturn(tx: Tx, id: string): Promise<ReturnOrder> {
  const order = await lockReturn(tx, id, 'both');
  if (order === null) throw new Error(`There is no open return ${id}.`);
  return order;
}

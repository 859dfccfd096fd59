import { Injectable } from '@nestjs/common';
import { transfer } from '../../domain/posting.js';
import type { EntryKind } from '../../ledger/entry.entity.js';
import { LedgerService } from '../../ledger/ledger.service.js';
import { systemAccount } from '../../ledger/system-accounts.js';
import { Database, rows, type Tx } from '../../platform/database/database.js';
import { SanctionsList } from '../../sanctions/sanctions-list.service.js';
import { type PaidOrder, PaymentOutcomeHandler } from '../../treasury/transactions/payment-outcome-handler.js';
import { lockRefund, type RefundOrder, refundReference } from './refund-order.js';
import { setHolding } from '../deposit-decisions.sql.js';
import { completeRefund, failRefund } from './refund-order.sql.js';
import type { RefundFailureCode } from './refund-standing.js';

/** Records the outcome of refunds in one transaction: the deposit is paid out, or in suspense again for staff to decide. */
@Injectable()
export class RefundOutcomeHandler extends PaymentOutcomeHandler<RefundFailureCode> {
  constructor(
    database: Database,
    private readonly ledger: LedgerService,
    sanctions: SanctionsList,
  ) {
    super(database, sanctions, 'deposit_return');
  }

  /** Moves the deposit back to suspense. */
  async fail(tx: Tx, id: string, code: RefundFailureCode, txHash: string | null): Promise<void> {
    const order = await openRefund(tx, id);
    await rows(tx, failRefund(id, code, txHash));
    await this.move(tx, order, { kind: 'return_undone', suffix: 'undone', to: 'suspense' });
  }

  /** Also when the deposit was reorged: a signed transaction occupies its nonce until it is mined. */
  protected lockOpen(tx: Tx, id: string): Promise<RefundOrder | null> {
    return lockRefund(tx, id, 'refund');
  }

  protected async complete(tx: Tx, paid: readonly PaidOrder[]): Promise<void> {
    for (const { purposeId: id, txHash } of paid) {
      const order = await openRefund(tx, id);
      await rows(tx, completeRefund(id, txHash));
      await this.move(tx, order, { kind: 'return_paid', suffix: 'paid', to: 'chain' });
    }
  }

  /** Books the whole deposit out of the returning account. */
  private async move(
    tx: Tx,
    { id, depositId, environment, asset, transfer: { amount } }: RefundOrder,
    { kind, suffix, to }: { readonly kind: EntryKind; readonly suffix: string; readonly to: 'suspense' | 'chain' },
  ): Promise<void> {
    await this.ledger.book(tx, {
      reference: `${refundReference(depositId, id)}:${suffix}`,
      kind,
      environment,
      legs: transfer({
        from: await systemAccount(tx, 'returning', environment, asset),
        to: await systemAccount(tx, to, environment, asset),
        asset,
        amount,
      }),
    });
    await rows(tx, setHolding(depositId, to === 'suspense' ? 'suspense' : null));
  }
}

/** @throws Error when it has ended: a refund ends once. */
async function openRefund(tx: Tx, id: string): Promise<RefundOrder> {
  const order = await lockRefund(tx, id, 'both');
  if (order === null) throw new Error(`There is no open refund ${id}.`);
  return order;
}

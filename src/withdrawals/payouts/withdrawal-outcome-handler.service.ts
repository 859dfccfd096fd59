import { Injectable } from '@nestjs/common';
import type { EventType } from '../../domain/event-type.js';
import { assetOf, transfer } from '../../domain/posting.js';
import type { FailureCode } from '../../domain/withdrawal.js';
import { EventsService } from '../../events/events.service.js';
import { LedgerService } from '../../ledger/ledger.service.js';
import type { Booking } from '../../ledger/new-entry.js';
import { systemAccount } from '../../ledger/system-accounts.js';
import { Database, row, rows, type Tx } from '../../platform/database/database.js';
import { entityOf } from '../../platform/database/entity-of.js';
import { failpoint } from '../../platform/failpoints.js';
import { SanctionsList } from '../../sanctions/sanctions-list.service.js';
import { type PaidOrder, PaymentOutcomeHandler } from '../../treasury/transactions/payment-outcome-handler.js';
import { Withdrawal } from '../withdrawal.entity.js';
import { presentWithdrawal } from '../withdrawal.presenter.js';
import { transferOf } from './withdrawal-order.js';
import {
  accountsOfPockets,
  completeWithdrawals,
  failWithdrawal,
  lockOpenWithdrawal,
} from './withdrawal-outcome.sql.js';

/** The accounts of a pocket. */
interface PocketAccounts {
  readonly available: number;
  readonly held: number;
}

/** Records the outcome of withdrawals: held funds are paid out or returned, with the event, in one transaction. */
@Injectable()
export class WithdrawalOutcomeHandler extends PaymentOutcomeHandler<FailureCode> {
  constructor(
    database: Database,
    private readonly ledger: LedgerService,
    private readonly events: EventsService,
    sanctions: SanctionsList,
  ) {
    super(database, sanctions, 'withdrawal');
  }

  /** Returns amount and fee to the pocket. */
  async fail(tx: Tx, id: string, code: FailureCode, txHash: string | null): Promise<void> {
    const withdrawal = entityOf(tx, Withdrawal, await row(tx, failWithdrawal(id, code, txHash)));
    const accounts = await accountsOf(tx, [withdrawal]);
    const { available, held } = accounts(withdrawal);
    const asset = assetOf(withdrawal.network, withdrawal.tokenContract);
    const amount = withdrawal.amount + withdrawal.feeAmount;
    await this.ledger.book(tx, {
      reference: `withdrawal:${id}:refund`,
      kind: 'withdrawal_refund',
      environment: withdrawal.environment,
      legs: transfer({ from: held, to: available, asset, amount }),
    });
    await this.recordEvents(tx, [withdrawal], 'withdrawal.failed');
  }

  /** Ignores a merchant's freeze: the payment is signed and sent, and while it is stuck it delays those of all others. */
  protected async lockOpen(tx: Tx, id: string) {
    const [open] = await rows(tx, lockOpenWithdrawal(id));
    if (open === undefined) return null;
    const withdrawal = entityOf(tx, Withdrawal, open);
    return { network: withdrawal.network, transfer: transferOf(withdrawal) };
  }

  /** Books the held amounts out to the chain, and the held fees to our income. */
  protected async complete(tx: Tx, paid: readonly PaidOrder[]): Promise<void> {
    const completed = await rows(tx, completeWithdrawals(paid));
    if (completed.length !== paid.length) throw new Error('A transaction has paid a withdrawal that does not exist.');
    const withdrawals = completed.map((one) => entityOf(tx, Withdrawal, one));
    const accounts = await accountsOf(tx, withdrawals);
    const bookings: Booking[] = [];
    const byToken = Map.groupBy(withdrawals, ({ environment, network, tokenContract }) =>
      [environment, assetOf(network, tokenContract)].join(' '),
    );
    for (const [first, ...others] of byToken.values()) {
      if (first === undefined) continue;
      const { environment } = first;
      const asset = assetOf(first.network, first.tokenContract);
      const chain = await systemAccount(tx, 'chain', environment, asset);
      const income = await systemAccount(tx, 'fee_income', environment, asset);
      for (const withdrawal of [first, ...others]) {
        const { id, amount, feeAmount } = withdrawal;
        const { held } = accounts(withdrawal);
        bookings.push({
          reference: `withdrawal:${id}:paid`,
          kind: 'withdrawal_paid',
          environment,
          legs: transfer(
            { from: held, to: chain, asset, amount },
            { from: held, to: income, asset, amount: feeAmount },
          ),
        });
      }
    }
    await this.ledger.bookAll(tx, bookings);
    await this.recordEvents(tx, withdrawals, 'withdrawal.completed');
  }

  private async recordEvents(tx: Tx, withdrawals: readonly Withdrawal[], type: EventType): Promise<void> {
    await this.events.recordAll(
      tx,
      withdrawals.map((withdrawal) => {
        const { id: resourceId, merchantId, environment } = withdrawal;
        return { tenant: { merchantId, environment }, type, resourceId, data: presentWithdrawal(withdrawal) };
      }),
    );
    withdrawals.forEach(() => failpoint('wd.evented'));
  }
}

async function accountsOf(
  tx: Tx,
  withdrawals: readonly Withdrawal[],
): Promise<(withdrawal: Withdrawal) => PocketAccounts> {
  const found = await rows(tx, accountsOfPockets(withdrawals.map(({ pocketId }) => pocketId)));
  const pockets = new Map(found.map((pocket) => [pocket.id, pocket]));
  return ({ pocketId }) => {
    const pocket = pockets.get(pocketId);
    if (pocket === undefined) throw new Error(`There is no pocket ${pocketId}.`);
    return { available: Number(pocket.availableAccountId), held: Number(pocket.heldAccountId) };
  };
}

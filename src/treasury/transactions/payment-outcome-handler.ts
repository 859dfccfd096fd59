import { addressFamilyOf, type Network } from '../../domain/network.js';
import { type Database, rows, type Tx } from '../../platform/database/database.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import type { SanctionsList } from '../../sanctions/sanctions-list.service.js';
import { type BroadcastFact, OutcomeHandler, type TransactionOutcome } from './outcome-handler.js';
import {
  abandonTransaction,
  findOnReplacedChains,
  markUnsigned,
  ordersOnReplacedChains,
  recordHashes,
} from './payment-orders.sql.js';
import type { PaymentPurpose, TransferOrder } from './transaction-order.js';

const BATCH = 100;

/** A mined payment, by its order. */
export type PaidOrder = Pick<TransactionOutcome, 'purposeId' | 'txHash'>;

/** Handles the outcomes of orders that pay somebody: withdrawals and refunds. */
export abstract class PaymentOutcomeHandler<Failure extends string> extends OutcomeHandler {
  protected constructor(
    private readonly database: Database,
    private readonly sanctions: SanctionsList,
    private readonly purpose: PaymentPurpose,
  ) {
    super();
  }

  /**
   * Fails an order and moves its held funds back: to the pocket, or to suspense. Only for an order whose transaction can
   * no longer be mined: it has none, or it is final and reverted.
   */
  abstract fail(
    tx: Tx,
    id: string,
    code: Failure | 'transaction_reverted' | 'chain_gone',
    txHash: string | null,
  ): Promise<void>;

  /** Ends paid orders. */
  protected abstract complete(tx: Tx, paid: readonly PaidOrder[]): Promise<void>;

  /** Locks and returns the order; null once it has ended. */
  protected abstract lockOpen(tx: Tx, id: string): Promise<{ network: Network; transfer: TransferOrder } | null>;

  async orderOf(tx: Tx, id: string): Promise<TransferOrder | 'address_blocked' | null> {
    const order = await this.lockOpen(tx, id);
    if (order === null) return null;
    const { network, transfer } = order;
    const listing = await this.sanctions.isListed(tx, addressFamilyOf(network), transfer.recipient);
    return listing === null ? transfer : 'address_blocked';
  }

  override async wereBroadcast(tx: Tx, facts: readonly BroadcastFact[]): Promise<void> {
    await rows(tx, recordHashes(this.purpose, facts));
  }

  override async reopen(tx: Tx, id: string): Promise<void> {
    await rows(tx, markUnsigned(this.purpose, id));
  }

  async ended(tx: Tx, outcomes: readonly TransactionOutcome[]): Promise<void> {
    const paid = outcomes.filter(({ succeeded }) => succeeded);
    if (paid.length > 0) await this.complete(tx, paid);
    for (const { purposeId, succeeded, txHash } of outcomes) {
      if (!succeeded) await this.fail(tx, purposeId, 'transaction_reverted', txHash);
    }
  }

  /**
   * Fails orders on replaced chains. Only development chains are replaced: their signed transactions are never sent
   * again. An order that could not be failed delays no other.
   * @throws AggregateError of those that could not be failed, after all were tried
   */
  @RecurringJob({ role: 'worker', every: 2_000, when: ordersOnReplacedChains })
  async failOnReplacedChains(): Promise<void> {
    const stale = await this.database.rows(findOnReplacedChains(this.purpose, BATCH));
    const failures: unknown[] = [];
    for (const { id } of stale) await this.giveUp(id).catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw new AggregateError(failures, 'Some orders of a replaced chain could not be failed.');
  }

  private async giveUp(id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      await rows(tx, abandonTransaction(this.purpose, id));
      await this.fail(tx, id, 'chain_gone', null);
    });
  }
}

import { addressFamilyOf, type Network } from '../../domain/network.js';
import { type Database, type Tx, sql } from '../../platform/database/database.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import type { SanctionsList } from '../../sanctions/sanctions-list.service.js';
import { type BroadcastFact, OutcomeHandler, type TransactionOutcome } from './outcome-handler.js';
import type { PaymentPurpose, TransferOrder } from './transaction-order.js';

const GONE_BATCH = 100;

/** Where orders of a purpose lie, in SQL. */
interface PaymentTable {
  /** Also the name of the table. */
  readonly purpose: PaymentPurpose;
  /** The chain of an order. */
  readonly chainRef: string;
  /** What is assigned beside the column that changes. */
  readonly stamp: string;
}

/** A payment that the chain took, by its order. */
export type PaidOrder = Pick<TransactionOutcome, 'purposeId' | 'txHash'>;

/** What becomes of orders to pay somebody: withdrawals and refunds. */
export abstract class PaymentOutcomeHandler<Failure extends string> extends OutcomeHandler {
  protected constructor(
    private readonly database: Database,
    private readonly sanctions: SanctionsList,
    private readonly table: PaymentTable,
  ) {
    super();
  }

  /**
   * Ends an order and gives its funds back. Only for one of which no transaction can be mined any more: one that has none, or
   * whose transaction is final and was reverted.
   */
  abstract fail(
    tx: Tx,
    id: string,
    code: Failure | 'transaction_reverted' | 'chain_gone',
    txHash: string | null,
  ): Promise<void>;

  /** Ends orders that were paid. */
  protected abstract complete(tx: Tx, paid: readonly PaidOrder[]): Promise<void>;

  /** The order, locked; null once it has ended. */
  protected abstract lockOpen(tx: Tx, id: string): Promise<{ network: Network; transfer: TransferOrder } | null>;

  async orderOf(tx: Tx, id: string): Promise<TransferOrder | 'address_blocked' | null> {
    const order = await this.lockOpen(tx, id);
    if (order === null) return null;
    const { network, transfer } = order;
    const listing = await this.sanctions.isListed(tx, addressFamilyOf(network), transfer.recipient);
    return listing === null ? transfer : 'address_blocked';
  }

  override async wereBroadcast(tx: Tx, facts: readonly BroadcastFact[]): Promise<void> {
    const { purpose, stamp } = this.table;
    await sql(
      tx,
      `update ${purpose} set tx_hash = taken.hash ${stamp} from unnest($1::text[], $2::text[]) as taken (id, hash)
        where ${purpose}.id = taken.id and status = 'broadcasting' and tx_hash is distinct from taken.hash`,
      [facts.map(({ purposeId }) => purposeId), facts.map(({ txHash }) => txHash)],
    );
  }

  async ended(tx: Tx, outcomes: readonly TransactionOutcome[]): Promise<void> {
    const paid = outcomes.filter(({ succeeded }) => succeeded);
    if (paid.length > 0) await this.complete(tx, paid);
    for (const { purposeId, succeeded, txHash } of outcomes) {
      if (!succeeded) await this.fail(tx, purposeId, 'transaction_reverted', txHash);
    }
  }

  /**
   * Gives back what was to be paid on chains that are gone. Only a development chain can be: it was begun anew, and what
   * was signed for the old one is never sent again. One that cannot be given back holds up no other.
   * @throws AggregateError of those that were not given back, once all were tried
   */
  @RecurringJob({ role: 'worker', every: 2_000 })
  async failOnReplacedChains(): Promise<void> {
    const { purpose, chainRef } = this.table;
    const gone = await this.database.query<{ id: string }>(
      `select ${purpose}.id from ${purpose} join chain on chain.id = ${chainRef}
        where ${purpose}.status = 'broadcasting' and not chain.active limit $1`,
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
          where purpose = $1 and purpose_id = $2 and status = 'signed'`,
        [this.table.purpose, id],
      );
      await this.fail(tx, id, 'chain_gone', null);
    });
  }
}

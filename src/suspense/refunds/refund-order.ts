import type { Environment, Network } from '../../domain/network.js';
import { type Asset, assetOf } from '../../domain/posting.js';
import { type Tx, sql } from '../../platform/database/database.js';
import type { TransferOrder } from '../../treasury/transactions/transaction-order.js';
import type { RefundWaitingReason } from './refund-standing.js';

/** A refund that has not ended, and its transfer of the whole deposit. */
export interface RefundOrder {
  readonly id: string;
  readonly depositId: string;
  readonly environment: Environment;
  readonly network: Network;
  readonly asset: Asset;
  readonly isSigned: boolean;
  readonly waitingReason: RefundWaitingReason | null;
  /** A reorg removed the deposit from the chain. */
  readonly isReorged: boolean;
  readonly transfer: TransferOrder;
}

interface OrderRow {
  id: string;
  deposit_id: string;
  destination_key: string;
  waiting_reason: RefundWaitingReason | null;
  is_signed: boolean;
  is_reorged: boolean;
  chain_ref: string;
  environment: Environment;
  network: Network;
  token_contract: string;
  amount: string;
}

/** Which rows to lock, and whether to skip those that another transaction has locked. */
type Lock = 'refund' | 'both' | 'both, unless locked';

const LOCKS: Readonly<Record<Lock, string>> = {
  refund: 'for no key update of deposit_return',
  both: 'for no key update of deposit_return, deposit',
  'both, unless locked': 'for no key update of deposit_return, deposit skip locked',
};

/** Locks the open refund with this id in the caller's transaction; returns null when there is none or it has ended. */
export async function lockRefund(tx: Tx, id: string, lock: Lock): Promise<RefundOrder | null> {
  const [order] = await lockRefunds(tx, [id], lock);
  return order ?? null;
}

/** Locks the open ones of these refunds in the caller's transaction, and returns them, the oldest first. */
export async function lockRefunds(tx: Tx, ids: readonly string[], lock: Lock): Promise<readonly RefundOrder[]> {
  const rows = await sql<OrderRow>(
    tx,
    `select deposit_return.id, deposit_return.deposit_id, deposit_return.destination_key, deposit_return.waiting_reason,
            deposit_return.signed_at is not null as is_signed, deposit.gone_at is not null as is_reorged,
            deposit.chain_ref, chain.environment, chain.network, deposit.token_contract, deposit.amount
       from deposit_return join deposit on deposit.id = deposit_return.deposit_id
       join chain on chain.id = deposit.chain_ref
      where deposit_return.id = any($1) and deposit_return.status = 'broadcasting'
      order by deposit_return.created_at, deposit_return.id ${LOCKS[lock]}`,
    [ids],
  );
  return rows.map(orderOf);
}

function orderOf(row: OrderRow): RefundOrder {
  const { chain_ref: chainRef, token_contract: token, environment, network } = row;
  return {
    id: row.id,
    depositId: row.deposit_id,
    environment,
    network,
    asset: assetOf(network, token),
    isSigned: row.is_signed,
    waitingReason: row.waiting_reason,
    isReorged: row.is_reorged,
    transfer: { kind: 'transfer', chainRef, token, amount: BigInt(row.amount), recipient: row.destination_key },
  };
}

/** Reopens a refund whose transactions are all superseded: the vault signs it again, or an adopted payment has paid it. */
export async function reopenRefund(tx: Tx, id: string): Promise<void> {
  await sql(tx, `update deposit_return set signed_at = null, tx_hash = null, waiting_reason = null where id = $1`, [
    id,
  ]);
}

/** Returns those of the refunds for which the books hold the deposit. A row without that booking is not an order. */
export async function heldRefunds(tx: Tx, orders: readonly RefundOrder[]): Promise<ReadonlySet<string>> {
  const rows = await sql<{ id: string }>(
    tx,
    `select ordered.id
       from unnest($1::text[], $2::text[], $3::text[], $4::numeric[], $5::text[], $6::text[])
              as ordered (id, deposit_id, reference, amount, environment, asset)
       join deposit on deposit.id = ordered.deposit_id and deposit.held_as = 'returning'
       join entry on entry.reference = ordered.reference and entry.kind = 'return'
       join posting on posting.entry_id = entry.id and posting.amount = ordered.amount
       join account on account.id = posting.account_id and account.kind = 'returning'
        and account.environment = ordered.environment and account.asset = ordered.asset`,
    [
      orders.map(({ id }) => id),
      orders.map(({ depositId }) => depositId),
      orders.map(({ id, depositId }) => refundReference(depositId, id)),
      orders.map(({ transfer }) => transfer.amount.toString()),
      orders.map(({ environment }) => environment),
      orders.map(({ asset }) => asset),
    ],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Returns the reference of a refund's entries. It begins with the deposit, like those of all entries about deposits. */
export const refundReference = (depositId: string, refundId: string): string => `return:${depositId}:${refundId}`;

import type { Environment, Network } from '../../domain/network.js';
import { type Asset, assetOf } from '../../domain/posting.js';
import { type Tx, sql } from '../../platform/database/database.js';
import type { TransferOrder } from '../../treasury/transactions/transaction-order.js';
import type { ReturnWaitingReason } from './return-standing.js';

/** A return that has not ended, with what it pays: the whole deposit. */
export interface ReturnOrder {
  readonly id: string;
  readonly depositId: string;
  readonly environment: Environment;
  readonly network: Network;
  readonly asset: Asset;
  readonly isSigned: boolean;
  readonly waitingReason: ReturnWaitingReason | null;
  /** The chain was found without the deposit. */
  readonly isReorged: boolean;
  readonly transfer: TransferOrder;
}

interface OrderRow {
  id: string;
  deposit_id: string;
  destination_key: string;
  waiting_reason: ReturnWaitingReason | null;
  is_signed: boolean;
  is_reorged: boolean;
  chain_ref: string;
  environment: Environment;
  network: Network;
  token_contract: string;
  amount: string;
}

/** Which rows are locked, and whether one that another has locked is passed over. */
type Lock = 'return' | 'both' | 'both, unless locked';

const LOCKS: Readonly<Record<Lock, string>> = {
  return: 'for no key update of deposit_return',
  both: 'for no key update of deposit_return, deposit',
  'both, unless locked': 'for no key update of deposit_return, deposit skip locked',
};

/** The open return of this id, locked in the caller's transaction; null when there is none, or it has ended. */
export async function lockReturn(tx: Tx, id: string, lock: Lock): Promise<ReturnOrder | null> {
  const [order] = await lockReturns(tx, [id], lock);
  return order ?? null;
}

/** The open ones of these returns, locked in the caller's transaction, the oldest first. */
export async function lockReturns(tx: Tx, ids: readonly string[], lock: Lock): Promise<readonly ReturnOrder[]> {
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

function orderOf(row: OrderRow): ReturnOrder {
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

/** Once all that was signed for it is superseded, it waits to be signed again, or is taken to be what another paid. */
export async function reopenReturn(tx: Tx, id: string): Promise<void> {
  await sql(tx, `update deposit_return set signed_at = null, tx_hash = null, waiting_reason = null where id = $1`, [
    id,
  ]);
}

/** Those of these returns for which the books hold the deposit: a row alone, however it came about, is no order. */
export async function heldReturns(tx: Tx, orders: readonly ReturnOrder[]): Promise<ReadonlySet<string>> {
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
      orders.map(({ id, depositId }) => returnReference(depositId, id)),
      orders.map(({ transfer }) => transfer.amount.toString()),
      orders.map(({ environment }) => environment),
      orders.map(({ asset }) => asset),
    ],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Of the entries of a return, which name the deposit first like all entries about deposits. */
export const returnReference = (depositId: string, returnId: string): string => `return:${depositId}:${returnId}`;

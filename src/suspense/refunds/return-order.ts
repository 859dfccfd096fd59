import type { Environment, Network } from '../../domain/network.js';
import { type Asset, assetOf } from '../../domain/posting.js';
import { type Tx, sql } from '../../platform/database/database.js';
import type { TransferOrder } from '../../treasury/transactions/standing-order.js';
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
  const [row] = await sql<OrderRow>(
    tx,
    `select deposit_return.id, deposit_return.deposit_id, deposit_return.destination_key, deposit_return.waiting_reason,
            deposit_return.signed_at is not null as is_signed, deposit.gone_at is not null as is_reorged,
            deposit.chain_ref, chain.environment, chain.network, deposit.token_contract, deposit.amount
       from deposit_return join deposit on deposit.id = deposit_return.deposit_id
       join chain on chain.id = deposit.chain_ref
      where deposit_return.id = $1 and deposit_return.status = 'broadcasting' ${LOCKS[lock]}`,
    [id],
  );
  if (row === undefined) return null;
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

/** An order pays only what the books hold for it: a row alone, however it came about, is no order. */
export async function isReturnHeld(
  tx: Tx,
  { id, depositId, environment, asset, transfer }: ReturnOrder,
): Promise<boolean> {
  const held = await sql(
    tx,
    `select from deposit join entry on entry.reference = $1 and entry.kind = 'return'
       join posting on posting.entry_id = entry.id and posting.amount = $2
       join account on account.id = posting.account_id and account.kind = 'returning' and account.environment = $3
        and account.asset = $4
      where deposit.id = $5 and deposit.held_as = 'returning'`,
    [returnReference(depositId, id), transfer.amount.toString(), environment, asset, depositId],
  );
  return held.length > 0;
}

/** Of the entries of a return, which name the deposit first like all entries about deposits. */
export const returnReference = (depositId: string, returnId: string): string => `return:${depositId}:${returnId}`;

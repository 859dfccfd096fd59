import { decodeTransfer } from '../../chains/evm/transfer-log.js';
import type { TransactionReceipt } from '../../chains/outgoing.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { readTransferCall, type Transfer, type TransferCall } from '../../domain/transfer-call.js';
import type { TransactionPurpose } from './transaction-order.js';

/** What was signed, as far as it says who pays whom. */
export interface SignedCall extends TransferCall {
  readonly purpose: TransactionPurpose;
  /** Lower case. */
  readonly sender: string;
}

/** What pays somebody by a `transfer`. A sweep is measured by its logs, and a loss is whatever the chain took. */
const PAYMENTS: ReadonlySet<TransactionPurpose> = new Set(['withdrawal', 'deposit_return']);

/** The payment in tokens that was signed; null for coins, which need no log, and for what pays nobody. */
export function transferOf(call: SignedCall): Transfer | null {
  const transfer = PAYMENTS.has(call.purpose) ? readTransferCall(call) : null;
  return transfer === null || transfer.token === NATIVE_COIN ? null : transfer;
}

/**
 * Whether the logs of a transaction that succeeded bear out the payment that was signed. A token may answer a `transfer`
 * with "false" instead of reverting: nobody was paid then. What arrives may be less than was sent, for a token that keeps
 * a part of it.
 */
export function isShown(call: SignedCall, { logs }: Pick<TransactionReceipt, 'logs'>): boolean {
  const transfer = transferOf(call);
  if (transfer === null) return true;
  const listed = new Set([transfer.token]);
  return logs.some((log) => {
    const moved = decodeTransfer(log, listed);
    return moved !== null && moved.from === call.sender && moved.to === transfer.recipient;
  });
}

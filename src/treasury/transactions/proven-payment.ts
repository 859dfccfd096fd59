import { decodeTransfer } from '../../chains/evm/transfer-log.js';
import type { TransactionReceipt } from '../../chains/outgoing.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { readTransferCall, type Transfer, type TransferCall } from '../../chains/evm/transfer-call.js';
import { PAYMENT_PURPOSES, type TransactionPurpose } from './transaction-order.js';

/** The payer and the payee of a signed transaction. */
export interface SignedCall extends TransferCall {
  readonly purpose: TransactionPurpose;
  /** Lower case. */
  readonly sender: string;
}

/** Purposes that pay by a `transfer`. A sweep is measured by its logs, and a loss is whatever the chain mined. */
const PAYMENTS: ReadonlySet<TransactionPurpose> = new Set(PAYMENT_PURPOSES);

/** Returns the signed token payment; null for coins, which need no log, and for purposes that are no payments. */
export function transferOf(call: SignedCall): Transfer | null {
  const transfer = PAYMENTS.has(call.purpose) ? readTransferCall(call) : null;
  return transfer === null || transfer.token === NATIVE_COIN ? null : transfer;
}

/**
 * Returns whether the logs of a successful transaction prove the signed payment. A token may return "false" from
 * `transfer` instead of reverting: then no recipient was paid. The received amount may be lower for a token that keeps
 * a fee.
 */
export function isProvenByLogs(call: SignedCall, { logs }: Pick<TransactionReceipt, 'logs'>): boolean {
  const transfer = transferOf(call);
  if (transfer === null) return true;
  const listed = new Set([transfer.token]);
  return logs.some((log) => {
    const moved = decodeTransfer(log, listed);
    return moved !== null && moved.from === call.sender && moved.to === transfer.recipient;
  });
}

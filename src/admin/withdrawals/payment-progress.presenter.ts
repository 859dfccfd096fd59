import type { z } from 'zod';
import { actionText } from '../../domain/audited-action.js';
import { isPaymentRefusal, PAYMENT_REFUSALS } from '../../domain/outgoing-payment.js';
import type { RecordedVerdict, TransactionRecord } from '../../treasury/transactions/transaction-record.js';
import type { PAYMENT_PROGRESS } from './withdrawals.schema.js';

type Progress = { [Name in keyof typeof PAYMENT_PROGRESS]: z.infer<(typeof PAYMENT_PROGRESS)[Name]> };

const time = (text: string): string => new Date(text).toISOString();
const timeOrNull = (text: string | null): string | null => (text === null ? null : time(text));

/** What happened to an order on its way to the chain. */
export function presentProgress(
  record: TransactionRecord & { readonly verdicts: readonly RecordedVerdict[] },
): Progress {
  const { simulation, transaction, attempts, verdicts } = record;
  return {
    simulation: simulation && {
      outcome: simulation.outcome,
      nodes: simulation.nodes,
      block_height: simulation.blockHeight,
      at: time(simulation.at),
    },
    transaction: transaction && {
      id: transaction.id,
      status: transaction.status,
      sender: transaction.sender,
      nonce: transaction.nonce,
      signed_at: time(transaction.signedAt),
      broadcast_at: timeOrNull(transaction.broadcastAt),
      replace_wanted_at: timeOrNull(transaction.replaceWantedAt),
      mined_hash: transaction.minedHash,
      mined_height: transaction.minedHeight,
    },
    attempts: attempts.map(({ number, txHash, signedAt }) => ({
      number,
      tx_hash: txHash,
      signed_at: time(signedAt),
    })),
    decisions: verdicts.map(presentVerdict),
  };
}

/** A decision about a payment or a deposit, in words. */
export function presentVerdict({ at, who, what, reason }: RecordedVerdict): Progress['decisions'][number] {
  const isOfVault = who === 'vault';
  return {
    at: time(at),
    who,
    what: isOfVault ? capitalized(what) : actionText(what),
    reason: isOfVault && what === 'refused' && reason !== null ? refusalText(reason) : reason,
  };
}

const refusalText = (code: string): string =>
  isPaymentRefusal(code) ? PAYMENT_REFUSALS[code] : `${capitalized(code.replaceAll('_', ' '))}.`;

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

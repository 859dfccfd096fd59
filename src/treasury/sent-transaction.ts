import { verifyAuthorization } from 'ethers/hash';
import { Transaction } from 'ethers/transaction';
import type { SignedEvmTransaction, UnsignedEvmTransaction } from '../vault/evm-transaction.js';

/** An address that says in a transaction whose code it runs from then on. */
export interface CarriedDelegation {
  /** Who signed it, lower case; null when nobody can have. */
  readonly authority: string | null;
  /** Lower case. */
  readonly delegate: string;
  readonly chainId: bigint;
  readonly nonce: number;
}

/** A transaction as its signed bytes say it: nothing else is believed of one that no row of ours ordered. */
export interface SentTransaction {
  /** Lower case. */
  readonly sender: string;
  /** With `to` in lower case. */
  readonly fields: UnsignedEvmTransaction;
  readonly signed: SignedEvmTransaction;
  readonly delegations: readonly CarriedDelegation[];
}

/** Reads signed bytes; null for what the vault never signs: a new contract, or an access list. */
export function readSent(raw: string): SentTransaction | null {
  const transaction = Transaction.from(raw);
  const { from, to, hash, chainId, nonce, value, data, gasLimit, maxFeePerGas, maxPriorityFeePerGas } = transaction;
  if (from === null || to === null || hash === null || maxFeePerGas === null || maxPriorityFeePerGas === null)
    return null;
  if ((transaction.accessList ?? []).length > 0) return null;
  const authorizations = transaction.authorizationList ?? [];
  return {
    sender: from.toLowerCase(),
    signed: { raw: transaction.serialized, hash },
    fields: {
      chainId,
      nonce,
      to: to.toLowerCase(),
      value,
      data,
      gasLimit,
      maxFeePerGas,
      maxPriorityFeePerGas,
      ...(authorizations.length > 0 && {
        authorizations: authorizations.map((each) => ({
          delegate: each.address,
          nonce: Number(each.nonce),
          yParity: each.signature.yParity,
          r: each.signature.r,
          s: each.signature.s,
        })),
      }),
    },
    delegations: authorizations.map((each) => ({
      authority: authorityOf(each),
      delegate: each.address.toLowerCase(),
      chainId: each.chainId,
      nonce: Number(each.nonce),
    })),
  };
}

/** Takes milliseconds for each. */
function authorityOf(authorization: NonNullable<Transaction['authorizationList']>[number]): string | null {
  try {
    return verifyAuthorization(authorization, authorization.signature).toLowerCase();
  } catch {
    return null;
  }
}

/** Whether two transactions are versions of one: they differ in what they offer for gas alone. */
export function isVersionOf(sent: SentTransaction, other: SentTransaction): boolean {
  return sent.sender === other.sender && termsOf(sent) === termsOf(other);
}

function termsOf({ fields }: SentTransaction): string {
  const { maxFeePerGas: _fee, maxPriorityFeePerGas: _tip, ...terms } = fields;
  return JSON.stringify(terms, (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}

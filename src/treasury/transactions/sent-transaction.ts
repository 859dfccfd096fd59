import { verifyAuthorization } from 'ethers/hash';
import { getCreateAddress } from 'ethers/address';
import { Transaction } from 'ethers/transaction';
import type { SignedEvmTransaction, UnsignedEvmTransaction } from '../../vault/evm/evm-transaction.js';

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
  /** With `to` in lower case: for a new contract, its address. A gas price stands for both fees. */
  readonly fields: UnsignedEvmTransaction;
  /** The vault signs no such thing. */
  readonly isNewContract: boolean;
  readonly signed: SignedEvmTransaction;
  readonly delegations: readonly CarriedDelegation[];
}

/** Reads signed bytes of whatever type, since others may have the key; null when nobody can have signed them. */
export function readSent(raw: string): SentTransaction | null {
  const transaction = Transaction.from(raw);
  const { from, hash, chainId, nonce, value, data, gasLimit, gasPrice } = transaction;
  const maxFeePerGas = transaction.maxFeePerGas ?? gasPrice;
  const maxPriorityFeePerGas = transaction.maxPriorityFeePerGas ?? gasPrice;
  if (from === null || hash === null || maxFeePerGas === null || maxPriorityFeePerGas === null) return null;
  const to = transaction.to ?? getCreateAddress({ from, nonce });
  const authorizations = transaction.authorizationList ?? [];
  return {
    sender: from.toLowerCase(),
    isNewContract: transaction.to === null,
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
  return sent.sender === other.sender && sent.isNewContract === other.isNewContract && termsOf(sent) === termsOf(other);
}

function termsOf({ fields }: SentTransaction): string {
  const { maxFeePerGas: _fee, maxPriorityFeePerGas: _tip, ...terms } = fields;
  return JSON.stringify(terms, (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}

import { verifyAuthorization } from 'ethers/hash';
import { getCreateAddress } from 'ethers/address';
import { Transaction } from 'ethers/transaction';
import type { SignedEvmTransaction, UnsignedEvmTransaction } from './evm-transaction.js';

/** An address that delegates to a contract by an authorization in a transaction. */
export interface CarriedDelegation {
  /** The signer, lower case; null when the signature has no signer. */
  readonly authority: string | null;
  /** Lower case. */
  readonly delegate: string;
  readonly chainId: bigint;
  readonly nonce: number;
}

/** A transaction as its signed bytes state it. Nothing else is trusted of a transaction that no order here explains. */
export interface DecodedTransaction {
  /** Lower case. */
  readonly sender: string;
  /** With `to` in lower case: for a new contract, its address. A legacy gas price is used for both fees. */
  readonly fields: UnsignedEvmTransaction;
  /** The vault never signs such a transaction. */
  readonly isNewContract: boolean;
  readonly signed: SignedEvmTransaction;
  readonly delegations: readonly CarriedDelegation[];
}

/** Decodes signed bytes of any type, since somebody else may have the key; null when the signature is invalid. */
export function readSent(raw: string): DecodedTransaction | null {
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

/** Takes milliseconds. */
function authorityOf(authorization: NonNullable<Transaction['authorizationList']>[number]): string | null {
  try {
    return verifyAuthorization(authorization, authorization.signature).toLowerCase();
  } catch {
    return null;
  }
}

/** Returns whether two transactions are versions of one: they differ in their gas price alone. */
export function isVersionOf(sent: DecodedTransaction, other: DecodedTransaction): boolean {
  return sent.sender === other.sender && sent.isNewContract === other.isNewContract && termsOf(sent) === termsOf(other);
}

function termsOf({ fields }: DecodedTransaction): string {
  const { maxFeePerGas: _fee, maxPriorityFeePerGas: _tip, ...terms } = fields;
  return JSON.stringify(terms, (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}

import { Transaction } from 'ethers/transaction';
import { NATIVE_COIN } from '../../domain/network.js';
import { readSweepCall } from './read-sweep-call.js';
import { deploymentCall, sweepContracts } from './sweep-contracts.js';
import { readTransferCall } from './transfer-call.js';

/** The order behind a transaction: its withdrawal, refund, sweep, contract or loss; the others are null. */
export interface SignedOrders {
  /** Of a withdrawal or a refund. */
  readonly payment: { readonly token: string; readonly amount: string; readonly recipient: string } | null;
  readonly sweep: {
    /** Null on chains without contracts of ours, as the delegate. */
    readonly batch: string | null;
    readonly delegate: string | null;
    /** In their order; `nonce` when the address has to delegate first. */
    readonly items: readonly { readonly deposit: string; readonly token: string; readonly nonce: number | null }[];
  } | null;
  readonly contract: { readonly address: string } | null;
  /** Of a transaction without an order that an operator adopted. */
  readonly loss: { readonly token: string; readonly amount: string } | null;
}

/** A signed transaction as its record describes it. */
export interface SignedRecord {
  /** The signed bytes, `0x` hex. */
  readonly raw: string;
  readonly hash: string;
  /** Decimal. */
  readonly chainId: string;
  /** Lower case. */
  readonly sender: string;
  readonly nonce: number;
}

/** Returns how signed bytes contradict their record or its order, as the end of a sentence; null when they do not. */
export function contradictionIn(record: SignedRecord, orders: SignedOrders): string | null {
  const read = parsed(record.raw);
  if (read === null) return 'holds bytes that are no transaction';
  const { signed, hash, from } = read;
  const { chainId, nonce } = signed;
  // An adopted legacy transaction may be valid on any chain.
  const isHere = String(chainId) === record.chainId || (chainId === 0n && signed.type === 0);
  const isItself = hash === record.hash && isHere && nonce === record.nonce;
  if (!isItself || from?.toLowerCase() !== record.sender) return 'holds the bytes of another transaction';
  return isOrdered(signed, orders) ? null : 'does what nothing ordered';
}

/** Returns the transaction with its hash and sender, or null for bytes that cannot be read, which must not end an audit. */
function parsed(
  raw: string,
): { readonly signed: Transaction; readonly hash: string | null; readonly from: string | null } | null {
  try {
    const signed = Transaction.from(raw);
    const { hash, from } = signed;
    return { signed, hash, from };
  } catch {
    return null;
  }
}

/** Returns whether the signed transaction does exactly what one row ordered. */
function isOrdered(signed: Transaction, { payment, sweep, contract, loss }: SignedOrders): boolean {
  if (payment !== null) return isPayment(signed, payment);
  if (sweep !== null) return isSweep(signed, sweep);
  if (contract !== null) return isDeployment(signed, contract);
  return loss !== null && takesAway(signed, loss);
}

/** Returns whether it moves the coins of the loss, or a token transfer when the loss was not read from its logs yet. */
function takesAway({ to, value, data }: Transaction, { token, amount }: NonNullable<SignedOrders['loss']>): boolean {
  if (token === NATIVE_COIN) return String(value) === amount;
  const paid = to === null ? null : readTransferCall({ to, value, data });
  return paid?.token === token && String(paid.amount) === amount;
}

function isPayment(
  { to, value, data, type }: Transaction,
  { token, amount, recipient }: NonNullable<SignedOrders['payment']>,
): boolean {
  const paid = to === null ? null : readTransferCall({ to, value, data });
  const isAsked = paid?.token === token && paid.recipient === recipient && String(paid.amount) === amount;
  return isAsked && type !== DELEGATING;
}

/** Derives the contracts from the hot wallet, so that no row can name others. */
function isSweep(signed: Transaction, { batch, delegate, items }: NonNullable<SignedOrders['sweep']>): boolean {
  const { from, to, value, data, chainId } = signed;
  if (from === null) return false;
  const contracts = sweepContracts(from);
  if (batch !== contracts.batch.address || delegate !== contracts.delegate.address) return false;
  if (to?.toLowerCase() !== batch || value !== 0n) return false;
  const called = (readSweepCall(data) ?? []).map(({ deposit, tokenContract }) => [deposit, tokenContract].join(' '));
  const ordered = items.map(({ deposit, token }) => [deposit, token].join(' '));
  if (called.join() !== ordered.join()) return false;
  // The signer of an authorization is not checked: that is slow, and a foreign one for our delegate does no harm.
  const asked = new Map(items.flatMap(({ deposit, nonce }) => (nonce === null ? [] : [[deposit, nonce] as const])));
  const granted = signed.authorizationList ?? [];
  const isGranted = granted.every((each) => each.address.toLowerCase() === delegate && each.chainId === chainId);
  return isGranted && sorted(granted.map(({ nonce }) => nonce)) === sorted([...asked.values()].map(BigInt));
}

function isDeployment(signed: Transaction, { address }: NonNullable<SignedOrders['contract']>): boolean {
  const { from, to, value, data, type } = signed;
  if (from === null || type === DELEGATING) return false;
  const contract = Object.values(sweepContracts(from)).find((each) => each.address === address);
  if (contract === undefined) return false;
  const call = deploymentCall(contract);
  return to?.toLowerCase() === call.to && data === call.data && value === 0n;
}

/** EIP-7702: the type of transactions with delegations. */
const DELEGATING = 4;

const sorted = (numbers: readonly bigint[]): string => [...numbers].map(String).toSorted().join();

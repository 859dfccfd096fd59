import { type Authorization, type AuthorizationRequest, type TransactionLike, ZeroAddress } from 'ethers';
import { NATIVE_COIN } from '../domain/network.js';
import { SWEEP_BATCH } from './sweep-contracts.js';

/** What every transaction costs before it does anything. */
const TRANSACTION_GAS = 21_000n;
/** EIP-7702 asks this per authorization, and gives half back for an address with coins or a nonce; anvil always does. */
const AUTHORIZATION_GAS = 25_000n;
/** One item: 4,000 for its calldata, the cold address and the loop, the rest for its transfer. Test tokens use 15,000 in all. */
const ITEM_GAS = 40_000n;
/** The first item of a token also loads its contract and may begin the treasury's balance, which costs 17,100 more. */
const FIRST_OF_TOKEN_GAS = 30_000n;
/** EIP-7825 on ethereum and bnb; polygon allows twice as much. A transaction beyond it never enters a block. */
const TRANSACTION_GAS_MAX = 2n ** 24n;

/** What one item may use inside of the batch, so that one that burns all its gas burns no more than this. */
export const SWEEP_ITEM_GAS_MAX = ITEM_GAS + FIRST_OF_TOKEN_GAS;

/** One balance to sweep, all of it. */
export interface SweepItem {
  readonly deposit: string;
  /** Contract of the token, or `NATIVE_COIN`. */
  readonly tokenContract: string;
}

/** What decides how much gas a sweep may use. */
export interface SweepSize {
  readonly items: number;
  /** Different tokens among the items, the coin included. */
  readonly tokens: number;
  readonly authorizations: number;
}

/** A sweep to be signed by the hot wallet. */
export interface SweepOrder {
  readonly chainId: bigint;
  /** Of the hot wallet. */
  readonly nonce: number;
  readonly batch: string;
  readonly items: readonly SweepItem[];
  /** Signed by the deposit addresses that do not delegate to our delegate yet. */
  readonly authorizations: readonly Authorization[];
  /** In wei. */
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/**
 * The gas limit of a sweep. Never ask `eth_estimateGas`: it looks for the least with which the transaction succeeds, and
 * a batch succeeds when its items have run out of gas. The limit is more than twice what test tokens use, for those behind
 * proxies; the wallet must hold it times the maximum fee, and pays what was used.
 * @throws RangeError when it is beyond what one transaction may use: sweep in several.
 */
export function sweepGasLimit({ items, tokens, authorizations }: SweepSize): bigint {
  const limit =
    TRANSACTION_GAS +
    AUTHORIZATION_GAS * BigInt(authorizations) +
    ITEM_GAS * BigInt(items) +
    FIRST_OF_TOKEN_GAS * BigInt(tokens);
  if (limit > TRANSACTION_GAS_MAX) throw new RangeError(`A sweep of ${items} balances is too large for a transaction.`);
  return limit;
}

/**
 * What a deposit address signs to delegate to `delegate` on one chain.
 * @param nonce The address's own next nonce. The chain passes over an authorization with another one and says nothing.
 * @throws RangeError for chain id 0, which would be good on every chain.
 */
export function sweepAuthorization(chainId: bigint, delegate: string, nonce: number): Required<AuthorizationRequest> {
  if (chainId <= 0n) throw new RangeError('An authorization names its chain.');
  return { chainId, address: delegate, nonce };
}

/** The calldata of the batch. */
export function sweepCalldata(items: readonly SweepItem[]): string {
  const rows = items.map(({ deposit, tokenContract }) => [deposit, tokenArgument(tokenContract)]);
  return SWEEP_BATCH.encodeFunctionData('sweep', [rows, SWEEP_ITEM_GAS_MAX]);
}

/**
 * The whole transaction, unsigned. Without authorizations it is an ordinary one: a chain refuses type 4 with an empty
 * list.
 * @throws RangeError for no items, and as `sweepGasLimit` does.
 */
export function sweepTransaction(order: SweepOrder): TransactionLike {
  const { items, authorizations, batch, chainId, nonce, maxFeePerGas, maxPriorityFeePerGas } = order;
  if (items.length === 0) throw new RangeError('A sweep has items.');
  const tokens = new Set(items.map(({ tokenContract }) => tokenContract)).size;
  const size = { items: items.length, tokens, authorizations: authorizations.length };
  const fields = { to: batch, chainId, nonce, maxFeePerGas, maxPriorityFeePerGas, value: 0n };
  const call = { ...fields, data: sweepCalldata(items), gasLimit: sweepGasLimit(size) };
  return authorizations.length > 0
    ? { ...call, type: 4, authorizationList: [...authorizations] }
    : { ...call, type: 2 };
}

function tokenArgument(tokenContract: string): string {
  return tokenContract === NATIVE_COIN ? ZeroAddress : tokenContract;
}

import { type Authorization, type AuthorizationRequest, type TransactionLike, ZeroAddress } from 'ethers';
import { NATIVE_COIN } from '../../domain/network.js';
import { SWEEP_ITEM_GAS_MAX, sweepGasLimit } from '../../domain/sweep-gas.js';
import { SWEEP_BATCH } from './sweep-contracts.js';

/** One balance to sweep, all of it. */
export interface SweepItem {
  readonly deposit: string;
  /** Contract of the token, or `NATIVE_COIN`. */
  readonly tokenContract: string;
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

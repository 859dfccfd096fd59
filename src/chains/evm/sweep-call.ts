import { ZeroAddress } from 'ethers';
import { NATIVE_COIN } from '../../domain/network.js';
import { SWEEP_ITEM_GAS_MAX } from '../../domain/sweep-gas.js';
import { SWEEP_BATCH } from './sweep-contracts.js';

/** One balance to sweep in whole. */
export interface SweepItem {
  readonly deposit: string;
  /** Contract of the token, or `NATIVE_COIN`. */
  readonly tokenContract: string;
}

/** Returns the calldata of the batch. */
export function sweepCalldata(items: readonly SweepItem[]): string {
  const rows = items.map(({ deposit, tokenContract }) => [deposit, tokenArgument(tokenContract)]);
  return SWEEP_BATCH.encodeFunctionData('sweep', [rows, SWEEP_ITEM_GAS_MAX]);
}

function tokenArgument(tokenContract: string): string {
  return tokenContract === NATIVE_COIN ? ZeroAddress : tokenContract;
}

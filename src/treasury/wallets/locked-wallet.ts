import { type EvmNetwork, isEvmNetwork } from '../../domain/network.js';
import { rows, type Tx } from '../../platform/database/database.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { lockHotWallet } from './hot-wallets.sql.js';

/** A hot wallet and its chain, locked while a nonce is taken. */
export interface LockedWallet extends Omit<RowOf<typeof lockHotWallet>, 'nextNonce' | 'chainNonce'> {
  readonly chainRef: string;
  readonly nextNonce: number;
  /** The transaction count of the chain; null until it was asked. */
  readonly chainNonce: number | null;
}

/** A locked wallet on an EVM network. */
export type EvmWallet = LockedWallet & { readonly network: EvmNetwork };

/** Whether a locked wallet is on an EVM network. */
export const isEvmWallet = (wallet: LockedWallet): wallet is EvmWallet => isEvmNetwork(wallet.network);

/** Locks the wallet of a chain in the caller's transaction, so that one caller at a time takes a nonce. */
export async function lockWallet(tx: Tx, chainRef: string): Promise<LockedWallet | null> {
  const [row] = await rows(tx, lockHotWallet(chainRef));
  if (row === undefined) return null;
  const { nextNonce, chainNonce, ...wallet } = row;
  return {
    ...wallet,
    chainRef,
    nextNonce: Number(nextNonce),
    chainNonce: chainNonce === null ? null : Number(chainNonce),
  };
}

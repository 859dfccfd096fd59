import type { Environment, EvmNetwork } from '../../domain/network.js';
import { rows, type Tx } from '../../platform/database/database.js';
import type { SignedPlace } from '../database-identity.js';
import { lockHotWallet } from './hot-wallets.sql.js';

/** A hot wallet and its chain, locked while a nonce is taken. */
export interface LockedWallet extends SignedPlace {
  readonly chainRef: string;
  readonly environment: Environment;
  readonly network: EvmNetwork;
  readonly chainId: string;
  readonly addressKey: string;
  readonly nextNonce: number;
  /** The transaction count of the chain; null until it was asked. */
  readonly chainNonce: number | null;
  /** True while the chain is halted or its finality is in doubt. */
  readonly isInDoubt: boolean;
  readonly frozenReason: string | null;
}

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

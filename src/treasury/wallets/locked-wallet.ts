import type { Environment, EvmNetwork } from '../../domain/network.js';
import { type Tx, sql } from '../../platform/database/database.js';
import { DATABASE_IDENTITY, type SignedPlace } from '../database-identity.js';

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
  const [row] = await sql<{
    address_key: string;
    next_nonce: string;
    chain_nonce: string | null;
    frozen_reason: string | null;
    is_in_doubt: boolean;
    signed_on: string | null;
    lies_on: string;
    environment: Environment;
    network: EvmNetwork;
    chain_id: string;
  }>(
    tx,
    `select wallet.address_key, wallet.next_nonce, wallet.chain_nonce, wallet.frozen_reason, chain.environment,
            wallet.database_identity as signed_on, ${DATABASE_IDENTITY} as lies_on,
            chain.network, chain.chain_id,
            coalesce(cursor.halted_reason, cursor.finality_doubt) is not null as is_in_doubt
       from hot_wallet wallet join chain on chain.id = wallet.chain_ref
       join chain_cursor cursor on cursor.chain_ref = wallet.chain_ref
      where wallet.chain_ref = $1 and chain.active for no key update of wallet`,
    [chainRef],
  );
  if (row === undefined) return null;
  return {
    chainRef,
    environment: row.environment,
    network: row.network,
    chainId: row.chain_id,
    addressKey: row.address_key,
    nextNonce: Number(row.next_nonce),
    chainNonce: row.chain_nonce === null ? null : Number(row.chain_nonce),
    isInDoubt: row.is_in_doubt,
    frozenReason: row.frozen_reason,
    signedOn: row.signed_on,
    liesOn: row.lies_on,
  };
}

import { randomBytes } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { newId } from '../../src/domain/ids.js';
import type { UnattributedReason } from '../../src/payments/deposits/deposit.entity.js';
import type { Database } from '../../src/platform/database/database.js';
import type { SeededChain } from './factories.js';
import { query } from './sql.js';

export interface UnattributedTraits {
  /** The chain it arrived on; its contract is the token's, unless another is named. */
  readonly chain: SeededChain;
  readonly address: string;
  readonly reason: UnattributedReason;
  readonly contract?: string;
  readonly amount?: bigint;
  readonly status?: 'seen' | 'confirmed' | 'orphaned';
  readonly seenAt?: Date;
  readonly sender?: string;
}

/** A transfer to one of our addresses that belongs to no intent; returns the deposit's id. */
export async function anUnattributedDeposit(database: Database, traits: UnattributedTraits): Promise<string> {
  const { chain, address, reason, contract = chain.contract, amount = 25_000_000n, status = 'confirmed' } = traits;
  const sender = traits.sender ?? '0xaa';
  const id = newId('dep_');
  const hash = `0x${randomBytes(32).toString('hex')}`;
  await query(
    database,
    `insert into deposit (id, chain_ref, token_contract, tx_hash, position, from_address, to_address, amount,
       block_height, block_hash, block_time, seen_at, status, confirmed_at, address_id, unattributed_reason)
     select $1, $2, $3, $4, case when $3 = 'native' then -1 else 0 end, $10, $5, $6, 99, $4, now(), coalesce($7::timestamptz, now()), $8,
            case when $8 = 'confirmed' then now() end, id, $9
       from pool_address where address = $5`,
    [id, chain.chainRef, contract, hash, address, amount.toString(), traits.seenAt ?? null, status, reason, sender],
  );
  return id;
}

/**
 * Inserts 5,000 booked deposits `dep_1`, `dep_2` and so on, which statements must not read. All guards are disabled until
 * the transaction ends, because the balances to sweep are not the point.
 */
export async function manyBookedDeposits(
  tx: EntityManager,
  { chainRef, address, heldAs }: { chainRef: string; address: string; heldAs: 'suspense' | 'returning' },
): Promise<void> {
  await query(tx, `set local session_replication_role = replica`);
  await query(
    tx,
    `insert into deposit (id, chain_ref, token_contract, tx_hash, position, from_address, to_address, amount,
       block_height, block_hash, block_time, status, confirmed_at, address_id, unattributed_reason, credited_at, held_as)
     select 'dep_' || n, $1, 'token', 'tx' || n, 0, '0xaa', $2, 1, n, 'block', now(), 'confirmed', now(), address.id,
            'other_token', now(), $3
       from generate_series(1, 5000) n, pool_address address where address.address = $2`,
    [chainRef, address, heldAs],
  );
}

/** Puts one more token on offer on a chain; returns its contract. */
export async function aToken(
  database: Database,
  { chainRef }: SeededChain,
  symbol: string,
  decimals = 6,
): Promise<string> {
  const contract = `0x${randomBytes(20).toString('hex')}`;
  await query(
    database,
    `insert into chain_token (chain_ref, contract, symbol, decimals, minor_unit_exponent, enabled)
     values ($1, $2, $3, $4, 2, true)`,
    [chainRef, contract, symbol, decimals],
  );
  return contract;
}

import { newId } from '../../domain/ids.js';
import { type Tx, sql } from '../../platform/database/database.js';
import type { SweepContracts } from '../../chains/evm/sweep-contracts.js';
import type { SweepReason } from './sweep.entity.js';

/** One balance to be swept, as it is stored. */
export interface SweepItemRow {
  /** Contract, or `NATIVE_COIN`. */
  readonly token: string;
  readonly addressId: string;
  /** Smallest units, by the books. */
  readonly expected: bigint;
  /** The address's own next nonce where it has to delegate first. */
  readonly authorizationNonce: number | null;
}

/** A sweep with its items. */
export interface SweepRows {
  readonly chainRef: string;
  readonly reason: SweepReason;
  readonly contracts: SweepContracts;
  readonly items: readonly SweepItemRow[];
  /** Whether its transaction is already signed, as only for one adopted after a restore. */
  readonly isSigned?: boolean;
}

/** Records a sweep with its items, and assigns their balances, which the caller has locked; returns its id. */
export async function insertSweep(
  tx: Tx,
  { chainRef, reason, contracts, items, isSigned = false }: SweepRows,
): Promise<string> {
  const sweepId = newId('swp_');
  await sql(
    tx,
    `insert into sweep (id, chain_ref, reason, delegate, batch, signed_at)
     values ($1, $2, $3, $4, $5, case when $6::boolean then now() end)`,
    [sweepId, chainRef, reason, contracts.delegate.address, contracts.batch.address, isSigned],
  );
  const tokens = items.map(({ token }) => token);
  const addresses = items.map(({ addressId }) => addressId);
  await sql(
    tx,
    `insert into sweep_item (sweep_id, position, chain_ref, token_contract, address_id, expected, authorization_nonce)
     select $1, nth - 1, $2, item.token, item.address, item.expected, item.nonce
       from unnest($3::text[], $4::bigint[], $5::numeric[], $6::bigint[])
         with ordinality as item (token, address, expected, nonce, nth)`,
    [
      sweepId,
      chainRef,
      tokens,
      addresses,
      items.map(({ expected }) => expected.toString()),
      items.map(({ authorizationNonce }) => authorizationNonce),
    ],
  );
  await sql(
    tx,
    `update deposit_balance balance set sweep_id = $2
       from unnest($3::text[], $4::bigint[]) as item (token, address)
      where balance.chain_ref = $1 and balance.token_contract = item.token and balance.address_id = item.address`,
    [chainRef, sweepId, tokens, addresses],
  );
  return sweepId;
}

/** Ends sweeps and releases their balances; an item without an outcome brought nothing. */
export async function finishSweeps(tx: Tx, sweepIds: readonly string[]): Promise<void> {
  if (sweepIds.length === 0) return;
  await sql(tx, `update sweep_item set swept = 0 where sweep_id = any($1) and swept is null`, [sweepIds]);
  await sql(
    tx,
    `update deposit_balance balance
        set swept = balance.swept + item.swept, sweep_id = null
       from sweep_item item
      where item.sweep_id = any($1) and balance.chain_ref = item.chain_ref
        and balance.token_contract = item.token_contract and balance.address_id = item.address_id`,
    [sweepIds],
  );
  await sql(tx, `update sweep set finished_at = now(), waiting_reason = null where id = any($1)`, [sweepIds]);
}

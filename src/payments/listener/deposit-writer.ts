import type { BlockHeader } from '../../chains/chain.js';
import { NATIVE_POSITION } from '../../chains/chain.js';
import { newId } from '../../domain/ids.js';
import { NATIVE_COIN } from '../../domain/network.js';
import type { UnattributedReason } from '../deposits/deposit.entity.js';
import { type Tx, sql } from '../../platform/database/database.js';
import type { ReadBlock } from './chain-reader.js';

/** A deposit to be stored; one without transaction and sender is a remainder. */
export interface DepositRow {
  readonly id: string;
  readonly tokenContract: string;
  readonly txHash: string | null;
  readonly position: number;
  readonly from: string | null;
  readonly to: string;
  /** Smallest units. */
  readonly amount: string;
  readonly blockHeight: number;
  readonly blockHash: string;
  readonly blockTime: Date;
}

/** Returns the sightings of blocks as deposits. */
export function transferRows(blocks: readonly ReadBlock[]): readonly DepositRow[] {
  return blocks.flatMap(({ header, sightings }) =>
    sightings.map(({ token, txHash, position, from, to, amount }) => ({
      id: newId('dep_'),
      tokenContract: token,
      txHash,
      position,
      from,
      to,
      amount: amount.toString(),
      ...placeOf(header),
    })),
  );
}

/** Coins that only the balance at a block showed, as a deposit of that block: it is final when the block is. */
export function remainderRow(block: BlockHeader, to: string, units: bigint): DepositRow {
  return {
    id: newId('dep_'),
    tokenContract: NATIVE_COIN,
    txHash: null,
    position: NATIVE_POSITION,
    from: null,
    to,
    amount: units.toString(),
    ...placeOf(block),
  };
}

function placeOf({ height, hash, time }: BlockHeader): Pick<DepositRow, 'blockHeight' | 'blockHash' | 'blockTime'> {
  return { blockHeight: height, blockHash: hash, blockTime: time };
}

/**
 * The identity of a deposit. A transaction that a reorg moved to another block keeps its row: its key is (chain,
 * transaction, position in its receipt). A remainder belongs to its block, and more that is found there is added to it.
 */
const IDENTITY = {
  transfers: { key: '(chain_ref, tx_hash, position)', amount: 'excluded.amount' },
  remainders: {
    key: '(chain_ref, address_id, block_hash) where tx_hash is null',
    amount: `excluded.amount + case when deposit.status = 'seen' then deposit.amount else 0 end`,
  },
} as const;

/** $1 the chain, then one array for each column. A final row is left alone, so reading a block again is harmless. */
const storing = ({ key, amount }: { key: string; amount: string }): string => `
  insert into deposit (id, chain_ref, token_contract, tx_hash, position, from_address, to_address, amount,
    block_height, block_hash, block_time, status, address_id, intent_id, merchant_id, unattributed_reason)
  select seen.id, $1, seen.token, seen.tx_hash, seen.position, seen.sender, seen.recipient, seen.amount,
         seen.height, seen.hash, seen.time, 'seen', address.id,
         case when intent.chain_ref = $1 and intent.token_contract = seen.token then intent.id end,
         case when intent.chain_ref = $1 and intent.token_contract = seen.token then intent.merchant_id end,
         case when intent.id is null then 'address_not_assigned'
              when intent.chain_ref <> $1 then 'other_network'
              when intent.token_contract <> seen.token then 'other_token' end
    from unnest($2::text[], $3::text[], $4::text[], $5::int[], $6::text[], $7::text[], $8::numeric[],
                $9::bigint[], $10::text[], $11::timestamptz[])
      as seen (id, token, tx_hash, position, sender, recipient, amount, height, hash, time)
    join pool_address address on address.address_key = seen.recipient
    left join payment_intent intent on intent.id = address.intent_id
  on conflict ${key} do update
    set status = 'seen', token_contract = excluded.token_contract, from_address = excluded.from_address,
        to_address = excluded.to_address, amount = ${amount}, address_id = excluded.address_id,
        intent_id = excluded.intent_id, merchant_id = excluded.merchant_id,
        unattributed_reason = excluded.unattributed_reason,
        block_height = excluded.block_height, block_hash = excluded.block_hash, block_time = excluded.block_time
    where deposit.status <> 'confirmed'
  returning intent_id, address_id, unattributed_reason as reason`;

const STORE = { transfers: storing(IDENTITY.transfers), remainders: storing(IDENTITY.remainders) } as const;

/** Stores deposits of one kind, attributes them, and returns the intents they belong to. */
export async function storeDeposits(
  tx: Tx,
  chainRef: string,
  kind: keyof typeof STORE,
  rows: readonly DepositRow[],
): Promise<{ intent_id: string | null }[]> {
  if (rows.length === 0) return [];
  await holdAssignments(tx, rows);
  const stored = await sql<{ intent_id: string | null; address_id: string; reason: UnattributedReason | null }>(
    tx,
    STORE[kind],
    [
      chainRef,
      rows.map((row) => row.id),
      rows.map((row) => row.tokenContract),
      rows.map((row) => row.txHash),
      rows.map((row) => row.position),
      rows.map((row) => row.from),
      rows.map((row) => row.to),
      rows.map((row) => row.amount),
      rows.map((row) => row.blockHeight),
      rows.map((row) => row.blockHash),
      rows.map((row) => row.blockTime),
    ],
  );
  await retireTouched(
    tx,
    stored.filter((row) => row.reason === 'address_not_assigned').map((row) => row.address_id),
  );
  return stored;
}

/** Prevents free addresses on which this step found money from being assigned until the step commits. */
async function holdAssignments(tx: Tx, rows: readonly DepositRow[]): Promise<void> {
  await sql(
    tx,
    `select from pool_address where address_key = any($1) and intent_id is null order by id for no key update`,
    [rows.map((row) => row.to)],
  );
}

/**
 * Retires addresses that received money before they were assigned: the next intent's money could not be distinguished.
 */
async function retireTouched(tx: Tx, addressIds: readonly string[]): Promise<void> {
  if (addressIds.length === 0) return;
  await sql(tx, `update pool_address set retired_at = now() where id = any($1) and intent_id is null`, [addressIds]);
}

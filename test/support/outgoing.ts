import { keccak256 } from 'ethers';
import { newId } from '../../src/domain/ids.js';
import type { Database } from '../../src/platform/database/database.js';
import { query } from './sql.js';

/** The address of `aHotWallet`, in lower case. */
export const HOT_WALLET = `0x${'ab'.repeat(20)}`;
const TOKEN = `0x${'a1'.repeat(20)}`;

/** Inserts a hot wallet of the chain, without a key. */
export async function aHotWallet(database: Database, chainRef: string, address = HOT_WALLET): Promise<void> {
  await query(
    database,
    `insert into hot_wallet (chain_ref, address, address_key, derivation_path) values ($1, $2, $2, 'm/1')`,
    [chainRef, address],
  );
}

export interface OutgoingTraits {
  readonly nonce?: number;
  readonly sender?: string;
  readonly token?: string;
  /** Age of its signature and those of its attempts. */
  readonly secondsAgo?: number;
  /** Signed bytes of each attempt. */
  readonly raws?: readonly string[];
}

/** Inserts a signed transaction of the hot wallet that is due to be sent; returns its id. */
export async function anOutgoing(
  database: Database,
  chainRef: string,
  { nonce = 0, sender = HOT_WALLET, token = TOKEN, secondsAgo = 0, raws = ['0x02'] }: OutgoingTraits = {},
): Promise<string> {
  const id = newId('ctx_');
  await query(
    database,
    `insert into chain_transaction (id, chain_ref, purpose, purpose_id, sender, nonce, destination, value, data,
       gas_limit, token_contract, amount, status, created_at, due_at)
     values ($1, $2, 'withdrawal', $3, $4, $5, $6, 0, '0x', 120000, $6, 100, 'signed', now() - $7 * interval '1 second',
             now() - interval '1 second')`,
    [id, chainRef, id, sender, nonce, token, secondsAgo],
  );
  for (const [place, raw] of raws.entries()) await anAttempt(database, id, place + 1, raw, secondsAgo);
  return id;
}

/** Inserts one more attempt of a transaction; it offers 5 wei per gas, 1 of them as a tip. */
export async function anAttempt(
  database: Database,
  id: string,
  number: number,
  raw: string,
  secondsAgo = 0,
): Promise<void> {
  await query(
    database,
    `insert into transaction_attempt (transaction_id, number, tx_hash, raw_transaction, max_fee_per_gas,
       max_priority_fee_per_gas, signed_at) values ($1, $2, $3, $4, 5, 1, now() - $5 * interval '1 second')`,
    [id, number, keccak256(raw), raw, secondsAgo],
  );
}

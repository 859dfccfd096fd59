import { notFound } from '../domain/errors.js';
import { formatUnits } from '../domain/money.js';
import type { Environment, Network } from '../domain/network.js';
import { type Asset, assetOf } from '../domain/posting.js';
import type { DepositHolding, DepositStatus } from '../payments/deposits/deposit.entity.js';
import { markDirty } from '../payments/intents/dirty-intents.js';
import type { PocketToken } from '../ledger/pockets.service.js';
import { type Tx, sql } from '../platform/database/database.js';

/** A deposit that no other process decides about until the transaction ends. */
export interface LockedDeposit {
  readonly id: string;
  readonly chainRef: string;
  readonly environment: Environment;
  readonly network: Network;
  readonly asset: Asset;
  /** Smallest units. */
  readonly amount: bigint;
  readonly status: DepositStatus;
  readonly heldAs: DepositHolding | null;
  readonly isBooked: boolean;
  readonly isReorged: boolean;
  /** Booked out, and not booked in again. */
  readonly isReversed: boolean;
  readonly isRestored: boolean;
  /** The intent that it pays; null when it is unattributed. */
  readonly intentId: string | null;
  /** The merchant of its address; null when it was not assigned. */
  readonly ownerId: string | null;
  readonly token: PocketToken;
}

interface DepositRow {
  id: string;
  chain_ref: string;
  environment: Environment;
  network: Network;
  token_contract: string;
  symbol: string;
  decimals: number;
  minor_unit_exponent: number;
  amount: string;
  status: DepositStatus;
  held_as: DepositHolding | null;
  is_booked: boolean;
  is_reorged: boolean;
  is_reversed: boolean;
  is_restored: boolean;
  intent_id: string | null;
  owner_id: string | null;
}

/**
 * Locks the intent that the deposit pays, then the mark of that intent, then the deposit. Settlements and the listener lock
 * in the same order. Only a listed sender's deposit has the mark set: a decision about it changes what its intent counts.
 * The trigger of the table sets the same mark, but after the deposit is locked, which is too late for the order.
 * @throws DomainError not_found
 */
export async function lockDeposit(tx: Tx, id: string): Promise<LockedDeposit> {
  await sql(
    tx,
    `select from payment_intent where id = (select intent_id from deposit where id = $1) for no key update`,
    [id],
  );
  const intents = await sql<{ id: string }>(
    tx,
    `select intent_id as id from deposit where id = $1 and listed_sender_id is not null and intent_id is not null`,
    [id],
  );
  await markDirty(
    tx,
    intents.map((intent) => intent.id),
  );
  const [row] = await sql<DepositRow>(
    tx,
    `select deposit.id, deposit.chain_ref, chain.environment, chain.network, deposit.token_contract, token.symbol,
            token.decimals, token.minor_unit_exponent, deposit.amount, deposit.status, deposit.held_as,
            deposit.credited_at is not null as is_booked, deposit.gone_at is not null as is_reorged,
            deposit.reversed_at is not null and deposit.restored_at is null as is_reversed, deposit.restored_at is not null as is_restored,
            deposit.intent_id, owner.merchant_id as owner_id
       from deposit join chain on chain.id = deposit.chain_ref
       join chain_token token on token.chain_ref = deposit.chain_ref and token.contract = deposit.token_contract
       join pool_address address on address.id = deposit.address_id
       left join payment_intent owner on owner.id = address.intent_id
      where deposit.id = $1 for no key update of deposit`,
    [id],
  );
  if (row === undefined) throw notFound('deposit');
  const { environment, network, token_contract: contract } = row;
  return {
    id: row.id,
    chainRef: row.chain_ref,
    environment,
    network,
    asset: assetOf(network, contract),
    amount: BigInt(row.amount),
    status: row.status,
    heldAs: row.held_as,
    isBooked: row.is_booked,
    isReorged: row.is_reorged,
    isReversed: row.is_reversed,
    isRestored: row.is_restored,
    intentId: row.intent_id,
    ownerId: row.owner_id,
    token: {
      environment,
      network,
      contract,
      symbol: row.symbol,
      decimals: row.decimals,
      minorUnitExponent: row.minor_unit_exponent,
    },
  };
}

/** The money of a deposit in words: `25 USDC on polygon (sandbox)`. */
export function moneyText({ amount, token, network, environment }: LockedDeposit): string {
  return `${formatUnits(amount, token.decimals)} ${token.symbol} on ${network} (${environment})`;
}

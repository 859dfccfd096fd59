import { notFound } from '../domain/errors.js';
import { formatUnits } from '../domain/money.js';
import { type Asset, assetOf } from '../domain/posting.js';
import { markDirty } from '../payments/intents/dirty-intents.js';
import type { PocketToken } from '../ledger/pockets.service.js';
import { rows, type Tx } from '../platform/database/database.js';
import type { RowOf } from '../platform/sql/sql.js';
import { findIntentOnHold, lockIntentOf, lockOneDeposit } from './locked-deposit.sql.js';

/** A deposit that no other process decides about until the transaction ends. */
export interface LockedDeposit extends Omit<
  RowOf<typeof lockOneDeposit>,
  'tokenContract' | 'amount' | 'symbol' | 'decimals' | 'minorUnitExponent'
> {
  readonly asset: Asset;
  /** Smallest units. */
  readonly amount: bigint;
  readonly token: PocketToken;
}

/**
 * Locks the intent that the deposit pays, then the mark of that intent, then the deposit. Settlements and the listener lock
 * in the same order. Only a listed sender's deposit has the mark set: a decision about it changes what its intent counts.
 * The trigger of the table sets the same mark, but after the deposit is locked, which is too late for the order.
 * @throws DomainError not_found
 */
export async function lockDeposit(tx: Tx, id: string): Promise<LockedDeposit> {
  await rows(tx, lockIntentOf(id));
  const intents = await rows(tx, findIntentOnHold(id));
  await markDirty(
    tx,
    intents.map((intent) => intent.id),
  );
  const [row] = await rows(tx, lockOneDeposit(id));
  if (row === undefined) throw notFound('deposit');
  const { tokenContract: contract, amount, symbol, decimals, minorUnitExponent, ...deposit } = row;
  const { environment, network } = deposit;
  const token = { environment, network, contract, symbol, decimals, minorUnitExponent };
  return { ...deposit, asset: assetOf(network, contract), amount: BigInt(amount), token };
}

/** The money of a deposit in words: `25 USDC on polygon (sandbox)`. */
export function moneyText({ amount, token, network, environment }: LockedDeposit): string {
  return `${formatUnits(amount, token.decimals)} ${token.symbol} on ${network} (${environment})`;
}

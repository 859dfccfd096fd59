import { createHash } from 'node:crypto';
import type { Network } from './network.js';

/**
 * The identity of an asset: network and contract, never a symbol, so that two tokens that call themselves USDC are two
 * assets. The chain's own coin has the contract `native`.
 */
export type Asset = `${Network}:${string}`;

/** The asset of a token on a network, by the key of its contract: some networks distinguish the case of letters. */
export const assetOf = (network: Network, contract: string): Asset => `${network}:${contract}`;

/** One leg of an entry in smallest units: positive into the account, negative out of it. */
export interface Leg {
  readonly accountId: number;
  readonly asset: Asset;
  readonly amount: bigint;
}

/** Moves `amount` (smallest units, above zero) of an asset from one account to another. */
export interface Transfer {
  readonly from: number;
  readonly to: number;
  readonly asset: Asset;
  readonly amount: bigint;
}

/**
 * Returns the legs of an entry for these transfers: one per account, so that transfers of the same account add up. An
 * account holds one asset. Throws when an amount is not above zero or an account pays itself.
 */
export function transfer(...transfers: readonly Transfer[]): Leg[] {
  const legs = new Map<number, Leg>();
  const add = (accountId: number, asset: Asset, amount: bigint): void => {
    const leg = legs.get(accountId) ?? { accountId, asset, amount: 0n };
    if (leg.asset !== asset) throw new Error(`Account ${accountId} holds ${leg.asset}, not ${asset}.`);
    legs.set(accountId, { ...leg, amount: leg.amount + amount });
  };
  for (const { from, to, asset, amount } of transfers) {
    if (amount <= 0n) throw new Error(`A transfer moves an amount above zero, not ${amount} of ${asset}.`);
    if (from === to) throw new Error(`A transfer moves funds between two accounts, not from ${from} to itself.`);
    add(from, asset, -amount);
    add(to, asset, amount);
  }
  return [...legs.values()];
}

/** Throws unless the legs of each asset sum to zero, no leg is zero and no account appears twice. */
export function assertBalanced(legs: readonly Leg[]): void {
  const totals = new Map<Asset, bigint>();
  for (const leg of legs) {
    if (leg.amount === 0n) throw new Error('A leg of an entry moves something.');
    totals.set(leg.asset, (totals.get(leg.asset) ?? 0n) + leg.amount);
  }
  if (legs.length < 2) throw new Error('An entry has at least two legs.');
  if (new Set(legs.map((leg) => leg.accountId)).size !== legs.length) throw new Error('An account appears twice.');
  for (const [asset, total] of totals) {
    if (total !== 0n) throw new Error(`The entry leaves ${total} of ${asset} unexplained.`);
  }
}

/** SHA-256 over the content of an entry, independent of the order of its legs. */
export function contentHashOf(entry: { reference: string; kind: string; legs: readonly Leg[] }): string {
  const legs = entry.legs
    .toSorted((a, b) => a.accountId - b.accountId)
    .map((leg) => [leg.accountId, leg.asset, leg.amount.toString()]);
  return createHash('sha256')
    .update(JSON.stringify([entry.reference, entry.kind, legs]))
    .digest('hex');
}

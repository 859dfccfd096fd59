/** What every transaction costs before it does anything. */
const TRANSACTION_GAS = 21_000n;
/** EIP-7702 asks this per authorization, and gives half back for an address with coins or a nonce; anvil always does. */
export const AUTHORIZATION_GAS = 25_000n;
/** One item: 4,000 for its calldata, the cold address and the loop, the rest for its transfer. Test tokens use 15,000 in all. */
const ITEM_GAS = 40_000n;
/** The first item of a token also loads its contract and may begin the treasury's balance, which costs 17,100 more. */
const FIRST_OF_TOKEN_GAS = 30_000n;
/** The batch begins no item with less than the most that one may use: so much must be left for the last one. */
const LAST_ITEM_GAS = 50_000n;
/** EIP-7825 on ethereum and bnb; polygon allows twice as much. A transaction beyond it never enters a block. */
const TRANSACTION_GAS_MAX = 2n ** 24n;

/** What one item may use inside of the batch, so that one that burns all its gas burns no more than this. */
export const SWEEP_ITEM_GAS_MAX = ITEM_GAS + FIRST_OF_TOKEN_GAS;

/**
 * So many times the gas limit of a call a wallet must be able to pay for before it is signed. One that is stuck holds up
 * every payment behind it, so there has to be something left to offer more with; and withdrawals need gas meanwhile.
 */
export const CALL_GAS_HEADROOM = 4n;

/** What decides how much gas a sweep may use. */
export interface SweepSize {
  readonly items: number;
  /** Different tokens among the items, the coin included. */
  readonly tokens: number;
  readonly authorizations: number;
}

/**
 * The gas limit of a sweep. Never ask `eth_estimateGas`: it looks for the least with which the transaction succeeds, and
 * a batch succeeds when its items have run out of gas. The limit is more than twice what test tokens use, for those behind
 * proxies; the wallet must hold it times the maximum fee, and pays what was used.
 * @throws RangeError when it is beyond what one transaction may use: sweep in several.
 */
export function sweepGasLimit(size: SweepSize): bigint {
  const limit = gasFor(size);
  if (limit > TRANSACTION_GAS_MAX)
    throw new RangeError(`A sweep of ${size.items} balances is too large for a transaction.`);
  return limit;
}

/**
 * As many of the first items as stay within so much gas (`TRANSACTION_GAS_MAX` at most), each counted as if its address
 * had to delegate first: whether it has to is only known once the chain was asked.
 */
export function firstWithin<T extends { readonly token: string }>(items: readonly T[], gasMax: bigint): T[] {
  const tokens = new Set<string>();
  const limit = gasMax < TRANSACTION_GAS_MAX ? gasMax : TRANSACTION_GAS_MAX;
  const end = items.findIndex(({ token }, place) => {
    tokens.add(token);
    return gasFor({ items: place + 1, tokens: tokens.size, authorizations: place + 1 }) > limit;
  });
  return end === -1 ? [...items] : items.slice(0, end);
}

const gasFor = ({ items, tokens, authorizations }: SweepSize): bigint =>
  TRANSACTION_GAS +
  LAST_ITEM_GAS +
  AUTHORIZATION_GAS * BigInt(authorizations) +
  ITEM_GAS * BigInt(items) +
  FIRST_OF_TOKEN_GAS * BigInt(tokens);

/** The base cost of every transaction. */
const TRANSACTION_GAS = 21_000n;
/** The cost of an EIP-7702 authorization. Half is refunded for an address with coins or a nonce; by anvil always. */
export const AUTHORIZATION_GAS = 25_000n;
/** One item: 4,000 for its calldata, the cold address and the loop; the rest for its transfer. Test tokens use 15,000. */
const ITEM_GAS = 40_000n;
/** The first item of a token also loads its contract and may create the treasury's balance, which costs 17,100 more. */
const FIRST_OF_TOKEN_GAS = 30_000n;
/** The contract starts an item only with the most gas that one may use: this much must be left for the last item. */
const LAST_ITEM_GAS = 50_000n;
/** EIP-7825 on ethereum and bnb; polygon allows twice as much. A larger transaction never enters a block. */
const TRANSACTION_GAS_MAX = 2n ** 24n;

/** The most gas of one item, so that an item that burns all its gas burns no more than this. */
export const SWEEP_ITEM_GAS_MAX = ITEM_GAS + FIRST_OF_TOKEN_GAS;

/**
 * A wallet must be able to pay this many times the gas limit of a call before the call is signed. A stuck call blocks
 * every later payment, so coins must remain for a higher offer; and withdrawals need gas in the meantime.
 */
export const CALL_GAS_HEADROOM = 4n;

/** The measures of a sweep that determine its gas limit. */
export interface SweepSize {
  readonly items: number;
  /** Different tokens among the items, the coin included. */
  readonly tokens: number;
  readonly authorizations: number;
}

/**
 * Returns the gas limit of a sweep. `eth_estimateGas` would be wrong: it finds the least gas with which the transaction
 * succeeds, and a batch succeeds even when its items run out of gas. The limit is more than twice the use of test tokens,
 * for tokens behind proxies. The wallet must hold it times the maximum fee, and pays only for the gas used.
 * @throws RangeError when it exceeds the limit of one transaction: sweep in several.
 */
export function sweepGasLimit(size: SweepSize): bigint {
  const limit = gasFor(size);
  if (limit > TRANSACTION_GAS_MAX)
    throw new RangeError(`A sweep of ${size.items} balances is too large for a transaction.`);
  return limit;
}

/**
 * Returns the first items that fit into `gasMax` (`TRANSACTION_GAS_MAX` at most). Each is counted as if its address had
 * to delegate first: only the chain can say whether it has to.
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

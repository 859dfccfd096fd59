/** `balanceOf(address)`. */
const BALANCE_OF_SELECTOR = '0x70a08231';
/** `isBlacklisted(address)` of USDC, `isBlackListed(address)` of USDT, and `isBlocked(address)` of USDT's newer versions. */
const BLACK_LIST_SELECTORS = ['0xfe575a87', '0xe47d6060', '0xfbac3951'];
const WORD = /^0x[0-9a-f]{64}$/i;

/** Returns the data of a call for an address's token balance. */
export const balanceOfData = (address: string): string => callWith(BALANCE_OF_SELECTOR, address);

/** Returns the data of calls that ask a token whether its issuer has frozen an address. A token supports at most one. */
export const blackListData = (address: string): readonly string[] =>
  BLACK_LIST_SELECTORS.map((selector) => callWith(selector, address));

/** Parses a number that a contract returned; null for anything else, such as the empty data of an address without code. */
export const wordOf = (returned: unknown): bigint | null =>
  typeof returned === 'string' && WORD.test(returned) ? BigInt(returned) : null;

/** Returns the data of a call of a function that takes one address. */
function callWith(selector: string, address: string): string {
  return `${selector}${address.slice(2).padStart(64, '0')}`;
}

import type { OwnedAccount } from '../../chains/accounts.js';
import type { OtherAccountObstacle } from '../../domain/account-obstacle.js';
import { largestFirst } from '../../domain/money.js';
import type { CreditedBalance } from '../../treasury/sweeps/expiring/credited-balances.sql.js';

/** Credited accounts of an address: a payer needs one, and each is a request's share in every step of the listener. */
const CREDITED_MAX = 5;
/**
 * The same for an account that holds a whole token or more: dust, which costs its sender nothing but the rent, locks none of
 * these out.
 */
const CREDITED_WHOLE_MAX = 10;
/** Refused accounts that are stored of an address: anybody can open thousands. */
const REFUSED_MAX = 100;

/** An account that an address of ours owns beside its associated one. */
export interface FoundAccount extends OwnedAccount {
  readonly addressId: string;
}

/** An account of which something is not credited: so many `units`. */
export interface RefusedAccount extends Omit<FoundAccount, 'obstacle'> {
  readonly obstacle: OtherAccountObstacle;
}

/** An account that is credited, with what lies there by the books. */
type KnownAccount = Pick<CreditedBalance, 'account' | 'addressId' | 'token' | 'units'>;

/**
 * Decides which of the accounts that hold funds are credited from now on; the largest of an address come first. What an account
 * that is credited already holds above the books is refused while others may act on it.
 * @param wholeOf the smallest units of one whole token
 */
export function admitted(
  found: readonly FoundAccount[],
  known: readonly KnownAccount[],
  wholeOf: (token: string) => bigint,
): { readonly taken: readonly FoundAccount[]; readonly refused: readonly RefusedAccount[] } {
  const booked = new Map(known.map((account) => [keyOf(account), BigInt(account.units)]));
  const counts = new Map<string, number>();
  for (const { addressId } of known) counts.set(addressId, (counts.get(addressId) ?? 0) + 1);
  const taken: FoundAccount[] = [];
  const refused = new Map<string, RefusedAccount>();
  const refusals = new Map<string, number>();
  for (const account of found.toSorted((a, b) => largestFirst(a.units, b.units))) {
    const inBooks = booked.get(keyOf(account));
    const units = account.units - (inBooks ?? 0n);
    const count = counts.get(account.addressId) ?? 0;
    const countMax = account.units < wholeOf(account.token) ? CREDITED_MAX : CREDITED_WHOLE_MAX;
    const obstacle = account.obstacle ?? (inBooks === undefined && count >= countMax ? 'too_many' : null);
    if (units <= 0n) continue;
    if (obstacle !== null) {
      const nth = (refusals.get(account.addressId) ?? 0) + 1;
      refusals.set(account.addressId, nth);
      if (nth <= REFUSED_MAX) refused.set(account.account, { ...account, units, obstacle });
    } else if (inBooks === undefined) {
      counts.set(account.addressId, count + 1);
      taken.push(account);
    }
  }
  return { taken, refused: [...refused.values()] };
}

const keyOf = ({ account, addressId, token }: Pick<FoundAccount, 'account' | 'addressId' | 'token'>): string =>
  [account, addressId, token].join(' ');

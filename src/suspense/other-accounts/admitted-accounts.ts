import type { OwnedAccount } from '../../chains/accounts.js';
import type { OtherAccountObstacle } from '../../domain/account-obstacle.js';

/** Other accounts of an address that are read: a payer needs one, and each is a request's share in every step of the listener. */
const OTHERS_MAX = 5;

/** An account that an address of ours owns beside its associated one. */
export interface FoundAccount extends OwnedAccount {
  readonly addressId: string;
}

/** An account of which nothing is credited. */
export interface RefusedAccount extends Omit<FoundAccount, 'obstacle'> {
  readonly obstacle: OtherAccountObstacle;
}

/**
 * Decides which of the accounts that hold funds are read from now on, so that these are credited; those that are read already
 * are in neither list. The largest of an address come first.
 */
export function admitted(
  found: readonly FoundAccount[],
  read: readonly { readonly account: string; readonly addressId: string }[],
): { readonly taken: readonly FoundAccount[]; readonly refused: readonly RefusedAccount[] } {
  const isRead = new Set(read.map(({ account }) => account));
  const counts = new Map<string, number>();
  for (const { addressId } of read) counts.set(addressId, (counts.get(addressId) ?? 0) + 1);
  const taken: FoundAccount[] = [];
  const refused: RefusedAccount[] = [];
  for (const account of found.toSorted((a, b) => (a.units === b.units ? 0 : a.units > b.units ? -1 : 1))) {
    if (account.units === 0n || isRead.has(account.account)) continue;
    const count = counts.get(account.addressId) ?? 0;
    const obstacle = account.obstacle ?? (count < OTHERS_MAX ? null : 'too_many');
    if (obstacle !== null) {
      refused.push({ ...account, obstacle });
      continue;
    }
    counts.set(account.addressId, count + 1);
    taken.push(account);
  }
  return { taken, refused };
}

import type { SentSweep } from '../../chains/expiring-sent.js';
import { DomainError } from '../../domain/errors.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { rows, type Tx } from '../../platform/database/database.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { insertSweep } from '../../treasury/sweeps/sweep-rows.js';
import { findOwnSweeps, insertEmptyBalances, creditEmptied } from '../adopted-sweep.sql.js';
import { addressIds, endUnsignedSweeps, lockBalances, neverRead } from '../swept-balances.js';

/** What is known of a sweep beside its bytes. */
interface AdoptedMoves {
  /** What its only address paid for it, in smallest units of the coin; null where the hot wallet did. */
  readonly burned: bigint | null;
  /** As of `endUnsignedSweeps`. */
  readonly ifNever: string;
}

/**
 * Records an unrecorded sweep as the signer does, and returns its id. Unsigned sweeps of the same balances end, since the funds
 * are gone. Its amounts are those of its bytes, which moved exactly these. Deposits of them may be missing in the books: where
 * the listener compares balances with the books, it finds them once the sweep is booked. Joins the caller's transaction.
 * @throws DomainError invalid_state_transition, naming the item that does not fit
 */
export async function adoptMoves(
  tx: Tx,
  chainRef: string,
  { items }: SentSweep,
  { burned, ifNever }: AdoptedMoves,
): Promise<string> {
  const ids = await addressIds(
    tx,
    chainRef,
    items.map(({ owner }) => owner),
  );
  const places = items.map((item) => ({ ...item, tokenContract: item.token, addressId: ids.get(item.owner) ?? '' }));
  if (new Set(places.map(({ addressId, token }) => `${addressId} ${token}`)).size !== items.length)
    throw refusal('It sweeps one balance twice.');
  await endUnsignedSweeps(tx, chainRef, places, ifNever);
  // Its coins pay for one sweep at a time, whatever token that takes.
  if (burned !== null) await endUnsignedSweeps(tx, chainRef, await ownSweeps(tx, chainRef, places), ifNever);
  await rows(tx, insertEmptyBalances(chainRef, places));
  const swept = await lockBalances(tx, chainRef, places);
  for (const { owner, token, isKnown, isWatched } of swept) {
    if (!isKnown && !isWatched && token !== NATIVE_COIN) throw neverRead(owner, token);
  }
  // Its owner has signed for it, so it was ours. The search for other accounts does not find one that the sweep has closed.
  const others = swept.flatMap(({ account, ...place }) => (account === null ? [] : [{ ...place, account }]));
  await rows(tx, creditEmptied(chainRef, others));
  // Of bytes that burned nothing the least that a cost can be.
  const costMax = burned === null || burned > 0n ? burned : 1n;
  return insertSweep(tx, {
    chainRef,
    // The original reason was lost with the row.
    reason: 'threshold',
    contracts: null,
    items: swept.map(({ token, addressId, account, amount: expected, opensAccount, closesAccount }) => {
      return { token, addressId, account, expected, authorizationNonce: null, opensAccount, closesAccount, costMax };
    }),
    isSigned: true,
  });
}

/** The balances of open sweeps that these addresses pay for. */
async function ownSweeps(
  tx: Tx,
  chainRef: string,
  places: readonly { readonly addressId: string }[],
): Promise<readonly RowOf<typeof findOwnSweeps>[]> {
  return rows(tx, findOwnSweeps(chainRef, [...new Set(places.map(({ addressId }) => addressId))]));
}

const refusal = (message: string): DomainError => new DomainError('invalid_state_transition', message);

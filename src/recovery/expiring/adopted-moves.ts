import type { SentSweep } from '../../chains/expiring-sent.js';
import { DomainError } from '../../domain/errors.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { rows, type Tx } from '../../platform/database/database.js';
import { insertSweep } from '../../treasury/sweeps/sweep-rows.js';
import { insertEmptyBalances } from '../adopted-sweep.sql.js';
import { addressIds, endUnsignedSweeps, lockBalances, neverRead } from '../swept-balances.js';

/**
 * Records an unrecorded sweep as the signer does, and returns its id. Unsigned sweeps of the same balances end, since the funds
 * are gone. Its amounts are those of its bytes, which moved exactly these. Deposits of them may be missing in the books: where
 * the listener compares balances with the books, it finds them once the sweep is booked. Joins the caller's transaction.
 * @throws DomainError invalid_state_transition, naming the item that does not fit
 */
export async function adoptMoves(tx: Tx, chainRef: string, { items }: SentSweep, ifNever: string): Promise<string> {
  const ids = await addressIds(
    tx,
    chainRef,
    items.map(({ owner }) => owner),
  );
  const places = items.map((item) => ({ ...item, tokenContract: item.token, addressId: ids.get(item.owner) ?? '' }));
  if (new Set(places.map(({ addressId, token }) => `${addressId} ${token}`)).size !== items.length)
    throw refusal('It sweeps one balance twice.');
  await endUnsignedSweeps(tx, chainRef, places, ifNever);
  await rows(tx, insertEmptyBalances(chainRef, places));
  const swept = await lockBalances(tx, chainRef, places);
  for (const { owner, token, isKnown, isWatched } of swept) {
    if (!isKnown && !isWatched && token !== NATIVE_COIN) throw neverRead(owner, token);
  }
  return insertSweep(tx, {
    chainRef,
    // The original reason was lost with the row.
    reason: 'threshold',
    contracts: null,
    items: swept.map(({ token, addressId, amount: expected, opensAccount, closesAccount }) => {
      return { token, addressId, expected, authorizationNonce: null, opensAccount, closesAccount, costMax: null };
    }),
    isSigned: true,
  });
}

const refusal = (message: string): DomainError => new DomainError('invalid_state_transition', message);

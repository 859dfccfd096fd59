import { DomainError } from '../domain/errors.js';
import { rows, type Tx } from '../platform/database/database.js';
import { finishSweeps } from '../treasury/sweeps/sweep-rows.js';
import { findAddresses } from '../treasury/wallets/deposit-addresses.sql.js';
import { type BalancePlace, lockOpenSweeps, lockPlaces } from './adopted-sweep.sql.js';

/** The books' record of a balance that a sweep took. */
interface Balance {
  /** Final deposits minus earlier sweeps, in smallest units. */
  readonly units: bigint;
  /** Whether any deposit to it is recorded, final or not. */
  readonly isKnown: boolean;
  /** Whether the listener compares what lies there with the books, so that it finds a missing deposit. */
  readonly isWatched: boolean;
}

/** Returns the ids of addresses, by their keys. @throws DomainError for one that is not ours */
export async function addressIds(
  tx: Tx,
  chainRef: string,
  keys: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const addresses = [...new Set(keys)];
  const known = await rows(tx, findAddresses(chainRef, addresses));
  const ids = new Map(known.map(({ addressKey, id }) => [addressKey, id]));
  const stranger = addresses.find((address) => !ids.has(address));
  if (stranger !== undefined)
    throw refusal(
      `It takes funds from ${stranger}, which is no address of this database: it is foreign, or was derived later.`,
    );
  return ids;
}

/**
 * Ends the unsigned sweeps of these balances. A signed one must end first.
 * @param ifNever What to do where the signed one is never mined, as a sentence.
 */
export async function endUnsignedSweeps(
  tx: Tx,
  chainRef: string,
  places: readonly BalancePlace[],
  ifNever: string,
): Promise<void> {
  const open = await rows(tx, lockOpenSweeps(chainRef, places));
  const signed = open.find(({ isSigned }) => isSigned);
  if (signed !== undefined)
    throw refusal(
      `Sweep ${signed.id} takes some of the same balances and is not final yet: try again once it is. ${ifNever}`,
    );
  await finishSweeps(
    tx,
    open.map(({ id }) => id),
  );
}

/** Locks the balances, and returns them in the given order. */
export async function lockBalances<Place extends BalancePlace>(
  tx: Tx,
  chainRef: string,
  places: readonly Place[],
): Promise<readonly (Place & Balance)[]> {
  const locked = await rows(tx, lockPlaces(chainRef, places));
  const balances = new Map(locked.map((row) => [`${row.tokenContract} ${row.addressId}`, row]));
  return places.map((place) => {
    const row = balances.get(`${place.tokenContract} ${place.addressId}`);
    const { units = '0', isKnown = false, isWatched = false } = row ?? {};
    return { ...place, units: BigInt(units), isKnown, isWatched };
  });
}

/** The refusal of a sweep of tokens whose deposit the listener does not find by the balance of their address. */
export const neverRead = (address: string, token: string): DomainError =>
  refusal(
    `It takes ${token} from ${address}, and no deposit of that was ever read, though its block was: the address was ` +
      'derived later. Set the cursor back to a block before the deposit (docs/operations.md, "Withdrawals after a ' +
      'restore"), let the listener read on, and try again.',
  );

const refusal = (message: string): DomainError => new DomainError('invalid_state_transition', message);

import { newId } from '../domain/ids.js';
import type { Environment } from '../domain/network.js';
import { type Leg, assertBalanced, contentHashOf } from '../domain/posting.js';
import type { EntryLeg, HashedEntry } from './bookings.sql.js';
import type { EntryKind } from './entry.entity.js';

/** One entry to book. `reference` names the fact behind it: the same fact books once. */
export interface Booking {
  readonly reference: string;
  readonly kind: EntryKind;
  readonly environment: Environment;
  readonly legs: readonly Leg[];
}

/** An entry that is not booked yet, with the hash of its content. */
export interface NewEntry {
  readonly entry: HashedEntry;
  /** By ascending account, the one order in which all code locks balances. */
  readonly legs: readonly EntryLeg[];
}

/** Returns a new entry. @throws Error unless the legs of each asset sum to zero */
export function newEntry(booking: Booking): NewEntry {
  const { reference, kind, environment, legs } = booking;
  assertBalanced(legs);
  const entryId = newId('ent_');
  return {
    entry: { entryId, reference, kind, hash: contentHashOf(booking) },
    legs: inOrderOfLocks(legs.map((leg) => ({ ...leg, entryId, environment }))),
  };
}

/** Sorts legs by account, the one order in which all code locks balances. */
export function inOrderOfLocks(legs: readonly EntryLeg[]): readonly EntryLeg[] {
  return legs.toSorted((a, b) => a.accountId - b.accountId);
}

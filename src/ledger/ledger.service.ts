import { Injectable } from '@nestjs/common';
import { rows, type Tx } from '../platform/database/database.js';
import { findOtherContent, type HashedEntry, insertBookings } from './bookings.sql.js';
import { type Booking, inOrderOfLocks, newEntry } from './new-entry.js';

/** Appends to the books. Triggers check every rule again (migrations: ledger). */
@Injectable()
export class LedgerService {
  /**
   * Books one entry. Returns false when it is booked already.
   * @throws Error when its reference is booked with other content.
   */
  async book(tx: Tx, booking: Booking): Promise<boolean> {
    return (await this.bookAll(tx, [booking])) === 1;
  }

  /**
   * Books entries in the caller's transaction and returns how many, without those that are booked already.
   * Postings are written by ascending account, the one order in which all code locks pocket balances.
   * @throws Error when a reference is booked with other content: two facts would share one name.
   */
  async bookAll(tx: Tx, bookings: readonly Booking[]): Promise<number> {
    if (bookings.length === 0) return 0;
    const made = bookings.map(newEntry);
    const entries = made.map(({ entry }) => entry);
    const legs = inOrderOfLocks(made.flatMap((one) => one.legs));
    const added = await rows(tx, insertBookings(entries, legs));
    const written = new Set(added.map(({ id }) => id));
    await this.assertSame(
      tx,
      entries.filter(({ entryId }) => !written.has(entryId)),
    );
    return written.size;
  }

  /** Checks that entries that are booked already have the same content: a reused reference would lose money silently. */
  private async assertSame(tx: Tx, repeated: readonly HashedEntry[]): Promise<void> {
    if (repeated.length === 0) return;
    const [other] = await rows(tx, findOtherContent(repeated));
    if (other !== undefined) throw new Error(`${other.reference} is already booked with other legs.`);
  }
}

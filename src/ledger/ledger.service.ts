import { Injectable } from '@nestjs/common';
import { newId } from '../domain/ids.js';
import type { Environment } from '../domain/network.js';
import { type Leg, assertBalanced, contentHashOf } from '../domain/posting.js';
import { type Tx, sql } from '../platform/database/database.js';
import type { EntryKind } from './entry.entity.js';

/** One entry to book. `reference` names the fact behind it: the same fact books once. */
export interface Booking {
  readonly reference: string;
  readonly kind: EntryKind;
  readonly environment: Environment;
  readonly legs: readonly Leg[];
}

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
   * Postings are written by ascending account, the one order in which all code locks pocket balances, and in one statement,
   * so that a contended balance is locked for a short time.
   * @throws Error when a reference is booked with other content: two facts would share one name.
   */
  async bookAll(tx: Tx, bookings: readonly Booking[]): Promise<number> {
    for (const { legs } of bookings) assertBalanced(legs);
    const hashed = bookings.map((booking) => ({ ...booking, entryId: newId('ent_'), hash: contentHashOf(booking) }));
    const entries = await sql<{ id: string }>(
      tx,
      `insert into entry (id, reference, kind, content_hash)
       select * from unnest($1::text[], $2::text[], $3::text[], $4::text[])
       on conflict (reference) do nothing returning id`,
      [
        hashed.map((booking) => booking.entryId),
        hashed.map((booking) => booking.reference),
        hashed.map((booking) => booking.kind),
        hashed.map((booking) => booking.hash),
      ],
    );
    const written = new Set(entries.map((entry) => entry.id));
    await this.assertSame(
      tx,
      hashed.filter(({ entryId }) => !written.has(entryId)),
    );
    await this.post(
      tx,
      hashed
        .filter(({ entryId }) => written.has(entryId))
        .flatMap(({ entryId, environment, legs }) => legs.map((leg) => ({ ...leg, entryId, environment }))),
    );
    return written.size;
  }

  /** Checks that entries that are booked already have the same content: a reused reference would lose money silently. */
  private async assertSame(tx: Tx, repeated: readonly { reference: string; hash: string }[]): Promise<void> {
    if (repeated.length === 0) return;
    const [other] = await sql<{ reference: string }>(
      tx,
      `select entry.reference from entry join unnest($1::text[], $2::text[]) as repeated (reference, hash)
           on repeated.reference = entry.reference and repeated.hash <> entry.content_hash
        order by entry.reference limit 1`,
      [repeated.map(({ reference }) => reference), repeated.map(({ hash }) => hash)],
    );
    if (other !== undefined) throw new Error(`${other.reference} is already booked with other legs.`);
  }

  private async post(tx: Tx, legs: readonly (Leg & { entryId: string; environment: Environment })[]): Promise<void> {
    if (legs.length === 0) return;
    const ordered = legs.toSorted((a, b) => a.accountId - b.accountId);
    await sql(
      tx,
      `insert into posting (entry_id, account_id, asset, environment, amount)
       select leg.entry_id, leg.account_id, leg.asset, leg.environment, leg.amount
         from unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::numeric[])
           with ordinality as leg (entry_id, account_id, asset, environment, amount, nth)
        order by nth`,
      [
        ordered.map((leg) => leg.entryId),
        ordered.map((leg) => leg.accountId),
        ordered.map((leg) => leg.asset),
        ordered.map((leg) => leg.environment),
        ordered.map((leg) => leg.amount.toString()),
      ],
    );
  }
}

import { createHash, randomUUID } from 'node:crypto';
import type { PoolClient } from 'pg';
import { runForAll } from './bare-reads.ts';
import { place } from './compiled.ts';
import { named, template } from './templates.ts';

const { insertBookings }: typeof import('../src/ledger/bookings.sql.js') = await import(
  place('ledger/bookings.sql.js')
);

/** The legs of an entry, for the values of `entryOf`. */
export const TWO_LEGS = ['first', 'second'].map((leg) => ({
  entryId: named('entryId'),
  accountId: named(`${leg}Account`),
  asset: named('asset'),
  environment: 'sandbox' as const,
  amount: named(`${leg}Amount`),
}));

const BOOK = template(
  'book',
  insertBookings(
    [{ entryId: named('entryId'), reference: named('entryReference'), kind: named('kind'), hash: named('hash') }],
    TWO_LEGS,
  ),
);

/** A transfer between two accounts, in smallest units. */
export interface Transfer {
  readonly reference: string;
  readonly kind: string;
  readonly asset: string;
  readonly from: number;
  readonly to: number;
  readonly amount: bigint;
}

/** Books transfers with the content that the service hashes, because the service seals and audits these entries. */
export async function book(client: PoolClient, transfers: readonly Transfer[]): Promise<void> {
  const entries = transfers.map((transfer) => ({ ...entryOf(transfer), kind: transfer.kind }));
  await runForAll(client, BOOK, entries);
}

/** Returns the values of an entry with two legs. */
export function entryOf({ reference, kind, asset, from, to, amount }: Transfer) {
  const [first, second] = [
    { account: from, amount: -amount },
    { account: to, amount },
  ].toSorted((a, b) => a.account - b.account);
  const legs = [first, second].map((leg) => [leg?.account, asset, String(leg?.amount)]);
  return {
    entryId: `ent_${randomUUID()}`,
    entryReference: reference,
    hash: createHash('sha256')
      .update(JSON.stringify([reference, kind, legs]))
      .digest('hex'),
    asset,
    firstAccount: first?.account,
    firstAmount: first?.amount,
    secondAccount: second?.account,
    secondAmount: second?.amount,
  };
}

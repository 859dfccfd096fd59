import { contentHashOf } from '../../domain/posting.js';
import { sealHash } from '../../ledger/seal-chain.js';
import { rows } from '../../platform/database/database.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { BreachList, type Check, type Finding } from '../check.js';
import type { SealChain } from './chain-walk.js';
import { findSeal, nextSeals, nextUnsealed } from './seal-check.sql.js';

const BATCH = 1_000;

type SealRow = RowOf<typeof nextSeals>;
type UnsealedRow = RowOf<typeof nextUnsealed>;
/** The content of an entry; the reference is null when the entry is gone. */
type BookedRow = Pick<SealRow, 'reference' | 'kind' | 'contentHash' | 'legs'>;

/** The chain over the entries of the ledger: each must have the sealed content, down to its postings. */
export const ENTRY_CHAIN: SealChain<SealRow> = {
  name: 'seals_hold',
  rule: 'The hash chain over the entries is unbroken, and no sealed entry has changed.',
  table: 'ledger_seal',
  sealed: 'entries',
  next: nextSeals,
  find: findSeal,
  rowOf: ({ entryId }) => `entry ${entryId}`,
  contentBreach: sealedBreach,
  hashAfter: (previous, { sequence, entryId, bookedAt, sealedContent: contentHash }) =>
    sealHash(previous, { sequence: Number(sequence), entryId, bookedAt, contentHash }),
};

function sealedBreach(seal: SealRow): Finding | null {
  const { entryId, sequence, reference, sealedContent } = seal;
  if (reference === null) return { row: `entry ${entryId}`, says: `was sealed as number ${sequence} and is gone` };
  const changed = contentBreach(entryId, seal);
  if (changed !== null) return changed;
  return seal.contentHash === sealedContent
    ? null
    : { row: `entry ${entryId}`, says: 'was changed after it was sealed' };
}

function contentBreach(entryId: string, booked: BookedRow): Finding | null {
  if (hashOf(booked) === booked.contentHash) return null;
  return { row: `entry ${entryId}`, says: `does not say any more what was booked as ${booked.reference}` };
}

/** Returns null when an amount is not a number: PostgreSQL also accepts NaN. */
function hashOf({ reference, kind, legs }: BookedRow): string | null {
  const posted = legs ?? [];
  if (posted.some(([, , amount]) => amount === 'NaN')) return null;
  const amounts = posted.map(([accountId, asset, amount]) => ({ accountId, asset, amount: BigInt(amount) }));
  return contentHashOf({ reference: reference ?? '', kind, legs: amounts });
}

/** Entries without a seal. */
export const UNSEALED_CHECK: Check = {
  name: 'unsealed_entries_hold',
  rule: 'An entry without a seal waits for it, and has the content that was booked.',
  find: async (tx) => {
    const breaches = new BreachList();
    let above = '';
    for (;;) {
      const entries = await rows(tx, nextUnsealed(above, BATCH));
      for (const entry of entries) {
        const finding = unsealedBreach(entry);
        if (finding !== null) breaches.add(finding);
        above = entry.id;
      }
      if (entries.length < BATCH) return breaches.found;
    }
  },
};

function unsealedBreach(entry: UnsealedRow): Finding | null {
  if (!entry.waits) return { row: `entry ${entry.id}`, says: 'has lost its seal' };
  if (entry.isPassedOver) return { row: `entry ${entry.id}`, says: 'was passed over when later ones were sealed' };
  return contentBreach(entry.id, entry);
}

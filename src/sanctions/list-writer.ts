import type { EntityManager } from '@mikro-orm/postgresql';
import { type Database, row, rows, type Tx } from '../platform/database/database.js';
import type { RowOf } from '../platform/sql/sql.js';
import { readFirstList } from './first-list.js';
import { delistOthers, listAddresses, lockLists, today as readToday } from './list-writer.sql.js';
import { ListRefused, type PublishedList } from './published-list.js';
import { SanctionsImport } from './sanctions-import.entity.js';

/** A list with less than this share of the current one's addresses is more likely broken than true. */
const SHARE_MIN = 0.5;

/** The changes of an import. */
export interface ListChange {
  /** Addresses that were not on the list before. */
  readonly added: number;
  /** Addresses that were on the list and are no longer. */
  readonly removed: readonly RowOf<typeof delistOthers>[];
}

export interface ReplaceOptions {
  /** True to import a list although it looks wrong beside the current one. */
  readonly force?: boolean;
}

/**
 * Loads the list that ships with the service where no list was ever imported, so that no installation screens against
 * nothing. Any number of processes may start at once: one loads it.
 */
export async function ensureFirstList(database: Database): Promise<void> {
  if ((await currentImport(database.em())) !== null) return;
  const list = await readFirstList();
  await database.transaction(async (tx) => {
    await rows(tx, lockLists);
    if ((await currentImport(tx)) === null) await replaceList(tx, list);
  });
}

/** Returns the newest import; null when there was none yet. */
async function currentImport(em: EntityManager): Promise<SanctionsImport | null> {
  const [newest] = await em.find(SanctionsImport, {}, { orderBy: { id: 'desc' }, limit: 1 });
  return newest ?? null;
}

/**
 * Makes this the current list, in the caller's transaction. Addresses that are not on it are marked as removed, and
 * kept. Returns null when it is byte for byte the current one.
 * @throws ListRefused for a list without addresses and, unless forced, for one that looks wrong beside the current one.
 */
export async function replaceList(
  tx: Tx,
  list: PublishedList,
  { force = false }: ReplaceOptions = {},
): Promise<ListChange | null> {
  await rows(tx, lockLists);
  const current = await currentImport(tx);
  if (current?.contentHash === list.contentHash) return null;
  if (list.addresses.length === 0) throw new ListRefused('The list has no digital currency address at all.');
  const { today } = await row(tx, readToday);
  const doubt = doubtOf(list, current, today);
  if (doubt !== null && !force) throw new ListRefused(doubt);
  return store(tx, list);
}

/** Returns why a list may be the wrong one; null when nothing suggests it. */
function doubtOf(list: PublishedList, current: SanctionsImport | null, today: string): string | null {
  if (list.publishedOn > today) return `The list was published on ${list.publishedOn}, which is yet to come.`;
  if (current === null) return null;
  if (list.publishedOn < current.publishedOn) {
    return `The list was published on ${list.publishedOn}, and the current one later, on ${current.publishedOn}.`;
  }
  if (list.addresses.length < current.addresses * SHARE_MIN) {
    return `The list has ${list.addresses.length} addresses, and the current one ${current.addresses}: it may be a part.`;
  }
  return null;
}

async function store(tx: Tx, { source, publishedOn, contentHash, addresses }: PublishedList): Promise<ListChange> {
  const stored = tx.create(SanctionsImport, { source, publishedOn, contentHash, addresses: addresses.length });
  await tx.flush();
  const kept = await rows(tx, listAddresses(stored.id, addresses));
  const removed = await rows(tx, delistOthers(stored.id, addresses));
  return { added: kept.filter(({ isNew }) => isNew).length, removed };
}

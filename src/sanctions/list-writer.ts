import type { ListedFamily } from '../domain/address-form.js';
import { type Database, sql, sqlOne, type Tx } from '../platform/database/database.js';
import { readFirstList } from './first-list.js';
import { ListRefused, type PublishedList } from './published-list.js';

/** A list with less than this share of the current one's addresses is more likely broken than true. */
const SHARE_MIN = 0.5;

/** A stored import. */
export interface StoredImport {
  readonly source: string;
  /** `YYYY-MM-DD`. */
  readonly publishedOn: string;
  readonly addresses: number;
  readonly contentHash: string;
}

/** The changes of an import. */
export interface ListChange {
  /** Addresses that were not on the list before. */
  readonly added: number;
  /** Addresses that were on the list and are no longer. */
  readonly removed: readonly { readonly family: ListedFamily; readonly key: string }[];
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
    await lockLists(tx);
    if ((await currentImport(tx)) === null) await replaceList(tx, list);
  });
}

/** Prevents other changes of the list until the transaction ends. */
async function lockLists(tx: Tx): Promise<void> {
  await sql(tx, `select pg_advisory_xact_lock(hashtextextended('coffer:sanctions', 0))`);
}

/** Returns the newest import; null when there was none yet. */
async function currentImport(em: Tx): Promise<StoredImport | null> {
  const [row] = await sql<StoredImport>(
    em,
    `select source, published_on::text as "publishedOn", addresses, content_hash as "contentHash"
       from sanctions_import order by id desc limit 1`,
  );
  return row ?? null;
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
  await lockLists(tx);
  const current = await currentImport(tx);
  if (current?.contentHash === list.contentHash) return null;
  if (list.addresses.length === 0) throw new ListRefused('The list has no digital currency address at all.');
  const { today } = await sqlOne<{ today: string }>(tx, `select (now() at time zone 'utc')::date::text as today`);
  const doubt = doubtOf(list, current, today);
  if (doubt !== null && !force) throw new ListRefused(doubt);
  return store(tx, list);
}

/** Returns why a list may be the wrong one; null when nothing suggests it. */
function doubtOf(list: PublishedList, current: StoredImport | null, today: string): string | null {
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
  const { id } = await sqlOne<{ id: string }>(
    tx,
    `insert into sanctions_import (source, published_on, content_hash, addresses) values ($1, $2, $3, $4) returning id`,
    [source, publishedOn, contentHash, addresses.length],
  );
  const families = addresses.map(({ family }) => family);
  const keys = addresses.map(({ key }) => key);
  // The first list came without names: a later one supplies them.
  const kept = await sql<{ isNew: boolean }>(
    tx,
    `insert into sanctioned_address as listed (added_in, family, address_key, name)
     select $1::bigint, * from unnest($2::text[], $3::text[], $4::text[])
         on conflict (family, address_key) where removed_in is null
         do update set name = coalesce(excluded.name, listed.name)
     returning added_in = $1::bigint as "isNew"`,
    [id, families, keys, addresses.map(({ name }) => name)],
  );
  const removed = await sql<{ family: ListedFamily; key: string }>(
    tx,
    `update sanctioned_address listed set removed_in = $1
      where removed_in is null and not exists (
        select from unnest($2::text[], $3::text[]) as published (family, address_key)
         where published.family = listed.family and published.address_key = listed.address_key)
      returning family, address_key as key`,
    [id, families, keys],
  );
  return { added: kept.filter(({ isNew }) => isNew).length, removed };
}

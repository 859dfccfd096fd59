import { Injectable } from '@nestjs/common';
import { addressFormOf, type ListedFamily } from '../domain/address-form.js';
import { DomainError } from '../domain/errors.js';
import type { AddressFamily } from '../domain/network.js';
import { Database, sql, type Tx } from '../platform/database/database.js';

/** OFAC publishes several times a month: a list of this age was not kept up to date. */
const STALE_AFTER_DAYS = 30;

/** An address that must not be paid, by the current list. */
export interface Listing {
  /** Source and publisher's date of the current list. */
  readonly source: string;
  readonly publishedOn: string;
  /** The owner's name, if the list has it. */
  readonly name: string | null;
}

/** Past and present listing of one address. */
export interface ListingPeriod {
  readonly name: string | null;
  /** Publication dates of the list that added it and of the one that no longer had it; null while it is listed. */
  readonly since: string;
  readonly until: string | null;
}

/** The current list as a whole. */
export interface ListStatus {
  readonly source: string;
  readonly publishedOn: string;
  readonly importedAt: Date;
  /** Days since it was published. */
  readonly ageDays: number;
  readonly isStale: boolean;
  readonly addresses: Readonly<Record<ListedFamily, number>>;
  /** Listings that ended because a later list no longer had the address. */
  readonly removed: number;
}

interface StatusRow extends Record<ListedFamily, number> {
  source: string;
  published_on: string;
  imported_at: string;
  age_days: number;
  removed: number;
}

/** Screens addresses, always by the list that is current at that moment: nothing is cached. */
@Injectable()
export class SanctionsList {
  constructor(private readonly database: Database) {}

  /**
   * Returns the listing of an address; null when it is not on the current list. Joins the caller's transaction.
   * @param addressKey in the family's one spelling; the letter case of an EVM address does not matter
   * @throws DomainError `service_unavailable` when there is no list: an address that cannot be screened is not paid.
   */
  async isListed(em: Tx, family: AddressFamily, addressKey: string): Promise<Listing | null> {
    const spelling = spellingOf(family, addressKey);
    const [row] = await sql<Listing & { isListed: boolean }>(em, IS_LISTED_STATEMENT, [family, spelling]);
    if (row === undefined) throw noList();
    const { isListed, ...listing } = row;
    return isListed ? listing : null;
  }

  /**
   * Screens addresses of one family together: gives which of them is on the current list. Joins the caller's transaction.
   * @param addressKeys as `isListed` takes them
   * @throws DomainError `service_unavailable` as `isListed`
   */
  async screen(
    em: Tx,
    family: AddressFamily,
    addressKeys: readonly string[],
  ): Promise<(addressKey: string) => boolean> {
    const [row] = await sql<{ listed: string[] }>(em, LISTED_AMONG, [
      family,
      addressKeys.map((key) => spellingOf(family, key)),
    ]);
    if (row === undefined) throw noList();
    const listed = new Set(row.listed);
    return (key) => listed.has(spellingOf(family, key));
  }

  /** When an address was listed, the newest first; of any family, also those whose networks we do not serve. */
  periodsOf(address: string): Promise<readonly ListingPeriod[]> {
    const { family, key } = addressFormOf(address);
    return this.database.query<ListingPeriod>(
      `select listed.name, added.published_on::text as since, removed.published_on::text as until
         from sanctioned_address listed
         join sanctions_import added on added.id = listed.added_in
         left join sanctions_import removed on removed.id = listed.removed_in
        where listed.family = $1 and listed.address_key = $2 order by listed.id desc`,
      [family, key],
    );
  }

  /** Returns the state of the current list, for people and monitors; null when there is none. */
  async status(): Promise<ListStatus | null> {
    const [row] = await this.database.query<StatusRow>(STATUS);
    if (row === undefined) return null;
    const { source, published_on, imported_at, age_days, removed, ...addresses } = row;
    return {
      source,
      publishedOn: published_on,
      importedAt: new Date(imported_at),
      ageDays: age_days,
      isStale: age_days > STALE_AFTER_DAYS,
      addresses,
      removed,
    };
  }
}

/** As the list spells an address. */
const spellingOf = (family: AddressFamily, addressKey: string): string =>
  family === 'evm' ? addressKey.toLowerCase() : addressKey;

/** No row without a list; else one, whether the address is on it or not. */
export const IS_LISTED_STATEMENT = `
  select current.source, current.published_on::text as "publishedOn", listed.name, listed.id is not null as "isListed"
    from (select source, published_on from sanctions_import order by id desc limit 1) current
    left join sanctioned_address listed
      on listed.family = $1 and listed.address_key = $2 and listed.removed_in is null`;

/** Likewise: those of the addresses $2 that are on it. */
const LISTED_AMONG = `
  select array(select address_key from sanctioned_address
                where family = $1 and address_key = any($2) and removed_in is null) as listed
   where exists (select from sanctions_import)`;

const noList = (): DomainError =>
  new DomainError('service_unavailable', 'Destinations cannot be screened: no sanctions list was loaded.');

const STATUS = `
  select current.*, counts.*
    from (select source, published_on::text, imported_at, (now() at time zone 'utc')::date - published_on as age_days
            from sanctions_import order by id desc limit 1) current,
         (select count(*) filter (where removed_in is null and family = 'evm')::int as evm,
                 count(*) filter (where removed_in is null and family = 'tron')::int as tron,
                 count(*) filter (where removed_in is null and family = 'solana')::int as solana,
                 count(*) filter (where removed_in is null and family = 'other')::int as other,
                 count(removed_in)::int as removed
            from sanctioned_address) counts`;

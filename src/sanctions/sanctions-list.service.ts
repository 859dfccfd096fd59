import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { addressFormOf, type ListedFamily, addressKeyIn } from '../domain/address-form.js';
import { DomainError } from '../domain/errors.js';
import type { AddressFamily } from '../domain/network.js';
import { Database, rows } from '../platform/database/database.js';
import type { RowOf } from '../platform/sql/sql.js';
import { SanctionsImport } from './sanctions-import.entity.js';
import { findListedAmong, findListing, listingPeriods, listStatus } from './screening.sql.js';

/** OFAC publishes several times a month: a list of this age was not kept up to date. */
const STALE_AFTER_DAYS = 30;

/** An address that must not be paid: source and publisher's date of the current list, and the owner's name if it has it. */
export type Listing = Omit<RowOf<typeof findListing>, 'isListed'>;

/**
 * Past or present listing of one address: the publication dates of the list that added it and of the one that no longer had
 * it, null while it is listed.
 */
export type ListingPeriod = RowOf<typeof listingPeriods>;

/** The current list as a whole. */
export interface ListStatus extends Omit<RowOf<typeof listStatus>, 'importedAt' | ListedFamily> {
  readonly importedAt: Date;
  readonly isStale: boolean;
  readonly addresses: Readonly<Record<ListedFamily, number>>;
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
  async isListed(em: EntityManager, family: AddressFamily, addressKey: string): Promise<Listing | null> {
    const [row] = await rows(em, findListing(family, addressKeyIn(family, addressKey)));
    if (row === undefined) throw noSanctionsList();
    const { isListed, ...listing } = row;
    return isListed ? listing : null;
  }

  /**
   * Screens addresses of one family together: gives which of them is on the current list. Joins the caller's transaction.
   * @param addressKeys as `isListed` takes them
   * @throws DomainError `service_unavailable` as `isListed`
   */
  async screen(
    em: EntityManager,
    family: AddressFamily,
    addressKeys: readonly string[],
  ): Promise<(addressKey: string) => boolean> {
    const keys = addressKeys.map((key) => addressKeyIn(family, key));
    const [row] = await rows(em, findListedAmong(family, keys));
    if (row === undefined) throw noSanctionsList();
    const listed = new Set(row.listed);
    return (key) => listed.has(addressKeyIn(family, key));
  }

  /** When an address was listed, the newest first; of any family, also those whose networks we do not serve. */
  periodsOf(address: string): Promise<readonly ListingPeriod[]> {
    const { family, key } = addressFormOf(address);
    return this.database.rows(listingPeriods(family, key));
  }

  /** Returns the newest imports; the first is the current list. */
  imports(limit: number): Promise<readonly SanctionsImport[]> {
    return this.database.em().find(SanctionsImport, {}, { orderBy: { id: 'desc' }, limit });
  }

  /** Returns the state of the current list, for people and monitors; null when there is none. */
  async status(): Promise<ListStatus | null> {
    const [row] = await this.database.rows(listStatus);
    if (row === undefined) return null;
    const { source, publishedOn, importedAt, ageDays, removed, ...addresses } = row;
    const isStale = ageDays > STALE_AFTER_DAYS;
    return { source, publishedOn, importedAt: new Date(importedAt), ageDays, isStale, addresses, removed };
  }
}

/** The error when there is no list: an address that cannot be screened is not paid. */
export const noSanctionsList = (): DomainError =>
  new DomainError('service_unavailable', 'Destinations cannot be screened: no sanctions list was loaded.');

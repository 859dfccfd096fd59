import { Injectable } from '@nestjs/common';
import { invalidParam } from '../domain/errors.js';
import { pageBatches } from '../http/page-batches.js';
import { Database } from '../platform/database/database.js';
import type { RowOf } from '../platform/sql/sql.js';
import { type AuditCursor, type AuditFilter, auditPage, type AuditPlace, findAuditPlace } from './audit-page.sql.js';

/** An id of an entry. */
const DIGITS = /^\d{1,18}$/;

/** An entry of the audit log. */
export type ListedAction = RowOf<typeof auditPage>;

/** Reads what staff and operators did. */
@Injectable()
export class AuditReader {
  constructor(private readonly database: Database) {}

  /** Returns up to `limit + 1` entries of these places, newest first. @throws DomainError `invalid_request` for an unknown cursor */
  async page(
    places: readonly AuditPlace[],
    filter: AuditFilter,
    { limit, after }: { readonly limit: number; readonly after?: string | undefined },
  ): Promise<ListedAction[]> {
    if (places.length === 0) return [];
    const cursor = after === undefined ? null : await this.cursor(places, after);
    return this.database.rows(auditPage(places, filter, { after: cursor, limit: limit + 1 }));
  }

  /** Reads the entries of a filter in batches, newest first, `max` at most. */
  batches(places: readonly AuditPlace[], filter: AuditFilter, max: number): AsyncGenerator<readonly ListedAction[]> {
    return pageBatches(max, (limit, after) => this.page(places, filter, { limit, after }));
  }

  private async cursor(places: readonly AuditPlace[], id: string): Promise<AuditCursor> {
    const [cursor] = DIGITS.test(id) ? await this.database.rows(findAuditPlace(id)) : [];
    if (cursor === undefined || !places.includes(cursor.environment)) {
      throw invalidParam('starting_after', 'starting_after is no entry of this list.');
    }
    return cursor;
  }
}

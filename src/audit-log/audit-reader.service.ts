import { Injectable } from '@nestjs/common';
import { invalidParam } from '../domain/errors.js';
import { Database } from '../platform/database/database.js';
import type { RowOf } from '../platform/sql/sql.js';
import { type AuditCursor, type AuditFilter, auditPage, type AuditPlace, findAuditPlace } from './audit-page.sql.js';

const EXPORT_BATCH = 500;
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
  async *batches(
    places: readonly AuditPlace[],
    filter: AuditFilter,
    max: number,
  ): AsyncGenerator<readonly ListedAction[]> {
    for (let left = max, after: string | undefined; left > 0;) {
      const limit = Math.min(EXPORT_BATCH, left);
      const found = await this.page(places, filter, { limit, after });
      const batch = found.slice(0, limit);
      if (batch.length > 0) yield batch;
      if (found.length <= limit) return;
      left -= batch.length;
      after = batch.at(-1)?.id;
    }
  }

  private async cursor(places: readonly AuditPlace[], id: string): Promise<AuditCursor> {
    const [cursor] = DIGITS.test(id) ? await this.database.rows(findAuditPlace(id)) : [];
    if (cursor === undefined || !places.includes(cursor.environment)) {
      throw invalidParam('starting_after', 'starting_after is no entry of this list.');
    }
    return cursor;
  }
}

import { Injectable } from '@nestjs/common';
import { invalidParam } from '../domain/errors.js';
import type { Environment } from '../domain/network.js';
import { Database } from '../platform/database/database.js';
import type { RowOf } from '../platform/sql/sql.js';
import type { ListRequestsQuery, RequestFilter } from './request-filter.schema.js';
import { errorGroups, requestPage } from './request-page.sql.js';

/** A logged request with the name of its merchant and the end of its key. */
export type ShownRequest = NonNullable<RowOf<typeof requestPage>>;
/** Errors with one code, method and route. */
export type ErrorGroup = RowOf<typeof errorGroups>;

/** Errors of one code are counted up to this number. */
const COUNTED_MAX = 10_000;
const GROUPS_MAX = 100;
const DAY_MS = 86_400_000;
const EXPORT_BATCH = 1_000;
const REQUEST_ID = /^req_[0-9a-hjkmnp-tv-z]{26}$/;

/** Reads the API requests of all merchants of an environment, for staff. */
@Injectable()
export class RequestOverview {
  constructor(private readonly database: Database) {}

  /** Returns up to `limit + 1` requests, newest first. @throws DomainError when `starting_after` is no id of a request */
  list(
    environment: Environment,
    { limit, starting_after: after, ...filter }: ListRequestsQuery,
  ): Promise<ShownRequest[]> {
    if (after !== undefined && !REQUEST_ID.test(after))
      throw invalidParam('starting_after', 'starting_after is no id of a request.');
    return this.page(environment, filter, { after: after ?? null, rows: limit + 1 });
  }

  /** Reads the requests of a filter in batches, newest first, `max` at most. */
  async *batches(environment: Environment, filter: RequestFilter, max: number): AsyncGenerator<ShownRequest[]> {
    let after: string | null = null;
    for (let left = max; left > 0;) {
      const rows = Math.min(EXPORT_BATCH, left);
      const batch: ShownRequest[] = await this.page(environment, filter, { after, rows });
      if (batch.length > 0) yield batch;
      if (batch.length < rows) return;
      left -= batch.length;
      after = batch.at(-1)?.id ?? null;
    }
  }

  /** Counts the errors of the last 24 hours by code and route, the largest group first, 100 groups at most. */
  errors(environment: Environment): Promise<ErrorGroup[]> {
    const since = new Date(Date.now() - DAY_MS);
    return this.database.rows(errorGroups(environment, { since, max: COUNTED_MAX, limit: GROUPS_MAX }));
  }

  private page(
    environment: Environment,
    filter: RequestFilter,
    page: { readonly after: string | null; readonly rows: number },
  ): Promise<ShownRequest[]> {
    const statement = requestPage(environment, filter, page);
    return statement === null ? Promise.resolve([]) : this.database.rows(statement);
  }
}

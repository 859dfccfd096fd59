import { Migration } from '@mikro-orm/migrations';

/**
 * The log of API requests. The id is that of the request: its time stands first, so that the order of ids is that of the
 * list, and one index serves it, its dates and a request by its id. "C" makes that order the same in every database.
 * Successful requests are nearly all POSTs, so their indexes are few: those of errors and of other methods are partial.
 */
export class ApiRequestsMigration extends Migration {
  override name = '20261129-10-api-requests';

  override up(): void {
    this.addSql(`
      create table api_request (
        environment text not null check (environment in ('sandbox', 'live')),
        id text collate "C" not null,
        position bigint generated always as identity,
        merchant_id text not null,
        api_key_id text not null,
        method text not null,
        route text not null,
        resource_id text,
        status integer,
        error_code text,
        idempotency_key text,
        replayed boolean not null,
        duration_ms integer not null,
        created_at timestamptz(3) not null,
        primary key (environment, id)
      )`);
    this.addSql(`create index api_request_by_key on api_request (api_key_id, id)`);
    this.addSql(`create index api_request_by_route on api_request (environment, route, id)`);
    this.addSql(
      `create index api_request_errors on api_request (environment, error_code, id) where error_code is not null`,
    );
    this.addSql(`create index api_request_by_method on api_request (environment, method, id) where method <> 'POST'`);
    this.addSql(
      `create index api_request_by_resource on api_request (resource_id, id) where replayed or route like '%/:id%'`,
    );
  }
}

import { encodeTime } from 'ulid';
import type { Environment } from '../../src/domain/network.js';
import type { Database } from '../../src/platform/database/database.js';
import { query } from './sql.js';

/** The id of a request of this moment. */
export const requestIdAt = (time: Date, n = 0): string =>
  `req_${encodeTime(time.getTime()).toLowerCase()}${String(n).padStart(16, '0')}`;

interface ManyRequests {
  readonly environment: Environment;
  /** Merchants and their keys, in turns. */
  readonly callers: readonly { readonly merchantId: string; readonly keyId: string }[];
  readonly count: number;
  /** The time of the newest; each one before it is a second older. */
  readonly until: Date;
}

const ROUTES = [
  '/v1/payment-intents',
  '/v1/payment-intents/:id/confirm',
  '/v1/withdrawals',
  '/v1/webhook-endpoints/:id',
];
const CODES = ['invalid_request', 'invalid_state_transition', 'price_unavailable', 'no_answer'];

/**
 * Inserts requests to four routes. Every fifth one failed, with one code after the other, and those to the last route are
 * PATCHes, which are there only because they failed.
 */
export async function addRequests(
  database: Database,
  { environment, callers, count, until }: ManyRequests,
): Promise<void> {
  const rows = Array.from({ length: count }, (_, n) => {
    const time = new Date(until.getTime() - (count - n) * 1_000);
    const caller = callers[n % callers.length];
    const isPatch = n % 20 === 0;
    const code = n % 5 === 0 ? (CODES[(n / 5) % CODES.length] ?? null) : null;
    return {
      environment,
      id: requestIdAt(time, n),
      merchant_id: caller?.merchantId,
      api_key_id: caller?.keyId,
      method: isPatch ? 'PATCH' : 'POST',
      route: isPatch ? ROUTES[3] : ROUTES[n % 3],
      resource_id: n % 3 === 1 ? 'pi_named' : null,
      status: code === null ? 201 : code === 'no_answer' ? null : code === 'price_unavailable' ? 503 : 400,
      error_code: code,
      replayed: n % 7 === 0,
      duration_ms: n % 50,
      created_at: time.toISOString(),
    };
  });
  await query(
    database,
    `insert into api_request (environment, id, merchant_id, api_key_id, method, route, resource_id, status, error_code,
       replayed, duration_ms, created_at)
     select environment, id, merchant_id, api_key_id, method, route, resource_id, status, error_code, replayed, duration_ms,
            created_at
       from jsonb_populate_recordset(null::api_request, $1::jsonb)`,
    [JSON.stringify(rows)],
  );
}

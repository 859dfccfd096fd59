import type { ErrorCode } from '../domain/errors.js';

/** The categories of errors, coarser than the codes; clients that do not know a code can branch on these. */
export const ERROR_TYPES = [
  'invalid_request_error',
  'authentication_error',
  'permission_error',
  'idempotency_error',
  'conflict_error',
  'rate_limit_error',
  'api_error',
] as const;
export type ErrorType = (typeof ERROR_TYPES)[number];

/** The answer to a code. `retryAfterSeconds` is the default of `Retry-After`; only retryable codes have one. */
export interface ErrorKind {
  readonly status: number;
  readonly type: ErrorType;
  readonly retryable: boolean;
  readonly retryAfterSeconds?: number;
}

function final(status: number, type: ErrorType): ErrorKind {
  return { status, type, retryable: false };
}

function retryable(status: number, type: ErrorType, retryAfterSeconds: number): ErrorKind {
  return { status, type, retryable: true, retryAfterSeconds };
}

/** Maps each code to its HTTP status; no other code does. */
export const ERROR_CATALOGUE: Readonly<Record<ErrorCode, ErrorKind>> = {
  invalid_request: final(400, 'invalid_request_error'),
  invalid_json: final(400, 'invalid_request_error'),
  missing_idempotency_key: final(400, 'idempotency_error'),
  invalid_idempotency_key: final(400, 'idempotency_error'),
  insufficient_balance: final(400, 'invalid_request_error'),
  address_network_mismatch: final(400, 'invalid_request_error'),
  address_blocked: final(400, 'invalid_request_error'),
  unauthorized: final(401, 'authentication_error'),
  forbidden: final(403, 'permission_error'),
  not_found: final(404, 'invalid_request_error'),
  method_not_allowed: final(405, 'invalid_request_error'),
  payload_too_large: final(413, 'invalid_request_error'),
  unsupported_media_type: final(415, 'invalid_request_error'),
  invalid_state_transition: final(409, 'conflict_error'),
  idempotency_key_in_use: retryable(409, 'idempotency_error', 1),
  pocket_locked: retryable(409, 'conflict_error', 5),
  idempotency_key_reused: final(422, 'idempotency_error'),
  rate_limited: retryable(429, 'rate_limit_error', 1),
  internal_error: final(500, 'api_error'),
  price_unavailable: retryable(503, 'api_error', 10),
  no_wallets_available: retryable(503, 'api_error', 5),
  network_unavailable: retryable(503, 'api_error', 30),
  service_unavailable: retryable(503, 'api_error', 2),
  code_required: final(401, 'authentication_error'),
  step_up_required: final(403, 'permission_error'),
};

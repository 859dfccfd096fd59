/** Every error code of the API; `http/error-catalogue.ts` maps each to a status, `docs/errors.md` explains it. */
export const ERROR_CODES = [
  'invalid_request',
  'invalid_json',
  'missing_idempotency_key',
  'invalid_idempotency_key',
  'insufficient_balance',
  'address_network_mismatch',
  'address_blocked',
  'unauthorized',
  'forbidden',
  'not_found',
  'method_not_allowed',
  'payload_too_large',
  'unsupported_media_type',
  'invalid_state_transition',
  'idempotency_key_in_use',
  'pocket_locked',
  'idempotency_key_reused',
  'rate_limited',
  'internal_error',
  'price_unavailable',
  'no_wallets_available',
  'network_unavailable',
  'service_unavailable',
  'code_required',
  'step_up_required',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/** One invalid field: `param` is its path as the client wrote it, such as `metadata.order`. */
export interface FieldError {
  param: string;
  message: string;
}

/** What the caller can confirm, so that an action is done all the same. Each kind of caller says how. */
export type Confirmation = 'look_alike_checked' | 'despite_unasked';

/** Optional details of an error beside its code and message. */
export interface ErrorDetails {
  /** The invalid field, when there is one. */
  param?: string;
  /** The invalid fields, when there are several. */
  errors?: readonly FieldError[];
  /** Seconds after which a retry can succeed. */
  retryAfterSeconds?: number;
  /** Response headers that belong to the error, such as `Allow`. */
  headers?: Readonly<Record<string, string>>;
  /** The confirmation without which it is refused. */
  confirmation?: Confirmation;
  cause?: unknown;
}

/** A failure that the caller receives. Everything else that is thrown is a defect and answered as `internal_error`. */
export class DomainError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly details: ErrorDetails = {},
  ) {
    super(message, { cause: details.cause });
    this.name = 'DomainError';
  }
}

/** The resource does not exist or belongs to someone else. Both get the same answer on purpose. */
export function notFound(what: string): DomainError {
  return new DomainError('not_found', `No such ${what}.`);
}

/** One field of the request is invalid. */
export function invalidParam(param: string, message: string): DomainError {
  return new DomainError('invalid_request', message, { param });
}

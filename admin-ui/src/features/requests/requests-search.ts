import type { components } from '../../api/schema.d.ts';
import { oneOf, searchOf, text, time } from '../../ui/search-params.ts';

export type ApiRequest = components['schemas']['ApiRequest'];
export type ErrorGroup = components['schemas']['ApiErrorGroup'];
type Code = ErrorGroup['error_code'];

export const ANSWERS = ['2xx', '4xx', '5xx', 'none'] as const;
export const METHODS = ['POST', 'GET', 'PATCH', 'DELETE'] as const;
/** The codes that a request of the log can have. */
export const CODES = [
  'invalid_request',
  'invalid_json',
  'missing_idempotency_key',
  'invalid_idempotency_key',
  'insufficient_balance',
  'address_network_mismatch',
  'address_blocked',
  'forbidden',
  'invalid_state_transition',
  'idempotency_key_in_use',
  'pocket_locked',
  'payload_too_large',
  'unsupported_media_type',
  'idempotency_key_reused',
  'internal_error',
  'price_unavailable',
  'no_wallets_available',
  'network_unavailable',
  'service_unavailable',
  'no_answer',
] as const satisfies readonly Code[];

/** The filters of the log, as the service takes them. */
export interface RequestFilters {
  readonly status: (typeof ANSWERS)[number];
  readonly error_code: (typeof CODES)[number];
  readonly method: (typeof METHODS)[number];
  readonly route: string;
  readonly merchant_id: string;
  readonly api_key_id: string;
  readonly request_id: string;
  readonly created_gte: string;
  readonly created_lt: string;
}

/** The search parameters of the page. */
export interface RequestsSearch extends RequestFilters {
  readonly after: string;
}

export const requestsSearch = searchOf<RequestsSearch>({
  status: oneOf(ANSWERS),
  error_code: oneOf(CODES),
  method: oneOf(METHODS),
  route: text,
  merchant_id: text,
  api_key_id: text,
  request_id: text,
  created_gte: time,
  created_lt: time,
  after: text,
});

/** A code as people read it: `no_answer` is no code of the API. */
export const codeText = (code: Code): string => (code === 'no_answer' ? 'client disconnected' : code);

import { DomainError, type ErrorCode } from '../domain/errors.js';
import { type ErrorBody, errorBody } from './error-body.js';

/** A typical sentence for each code, and the field it would name. */
const EXAMPLES: Readonly<Record<ErrorCode, readonly [message: string, param?: string]>> = {
  invalid_request: ['limit must be at most 100.', 'limit'],
  invalid_json: ['The body is not valid JSON (at character 17): Expected a comma or the end of the object.'],
  missing_idempotency_key: ['Every POST needs the header Idempotency-Key, such as a UUID.'],
  invalid_idempotency_key: ['The header Idempotency-Key is longer than 255 characters.'],
  insufficient_balance: ['The pocket holds less than the amount and the network fee.', 'amount_cents'],
  address_network_mismatch: ['The destination is not an address of the network polygon.', 'destination'],
  address_blocked: ['The destination is on a sanctions list.', 'destination'],
  unauthorized: ['The API key is missing or not valid.'],
  forbidden: ['This key lacks the scope payments:write.'],
  not_found: ['No such payment intent.'],
  method_not_allowed: ['/v1/payment-intents answers GET, HEAD, POST, not DELETE.'],
  payload_too_large: ['The body is larger than 65536 bytes.'],
  unsupported_media_type: ['Send the body as Content-Type: application/json, in UTF-8.'],
  invalid_state_transition: ['The payment intent is completed, so it cannot change any more.'],
  idempotency_key_in_use: ['A request with this idempotency key is still running.'],
  pocket_locked: ['Another withdrawal from this pocket is in flight.', 'pocket_id'],
  idempotency_key_reused: ['This idempotency key was used with another request body.'],
  rate_limited: ['Too many requests with this key.'],
  internal_error: ['Something failed on our side. Quote the request id to support.'],
  price_unavailable: ['There is no fresh price for this token.'],
  no_wallets_available: ['There is no free address on this network.'],
  network_unavailable: ['The network is switched off, or our view of it is too old.'],
  service_unavailable: ['The database does not answer for the moment.'],
};

const REQUEST_ID = 'req_01jqzk8v6m3n5p7r9t1w2x4y6z';

/** The error object as an example of the document; links are relative to the service, as the document's server is. */
export function errorExample(code: ErrorCode): ErrorBody {
  const [message, param] = EXAMPLES[code];
  return errorBody(new DomainError(code, message, param === undefined ? {} : { param }), REQUEST_ID, '');
}

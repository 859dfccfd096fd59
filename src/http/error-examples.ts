import { DomainError, type ErrorCode } from '../domain/errors.js';
import { type ErrorBody, errorBody } from './error-body.js';

/** The subject of an operation, for realistic examples of its errors. */
export interface ExampleSubject {
  /** The resource of the operation, such as `payment intent`. */
  readonly noun: string;
  /** An error that the schemas of the operation find. */
  readonly fault: { readonly param: string; readonly message: string };
}

type Sentence = string | ((subject: ExampleSubject) => string);

/** A typical message for each code, and the field that it would name. */
const EXAMPLES: Readonly<Record<Exclude<ErrorCode, 'invalid_request'>, readonly [Sentence, param?: string]>> = {
  invalid_json: ['The body is not valid JSON (at character 17): Unexpected character at position 17.'],
  missing_idempotency_key: ['Every POST needs the header Idempotency-Key, such as a UUID.'],
  invalid_idempotency_key: ['The header Idempotency-Key is longer than 255 characters.'],
  insufficient_balance: [
    'The pocket has 1 USDC available; the amount and the network fee need 125.01 USDC.',
    'amount_cents',
  ],
  address_network_mismatch: [
    'The destination is not an address of the network polygon that can be paid.',
    'destination',
  ],
  address_blocked: ['The destination is on a sanctions list.', 'destination'],
  unauthorized: ['The API key is missing or invalid.'],
  forbidden: ['This API key does not have the scope that the operation needs.'],
  not_found: [({ noun }) => `No such ${noun}.`],
  method_not_allowed: ['/v1/payment-intents answers GET, HEAD, POST, not DELETE.'],
  payload_too_large: ['The body is larger than 65536 bytes.'],
  unsupported_media_type: ['Send the body as Content-Type: application/json, in UTF-8.'],
  invalid_state_transition: [({ noun }) => `The ${noun} is in a state that does not allow this.`],
  idempotency_key_in_use: ['A request with this idempotency key is still running.'],
  pocket_locked: ['Another withdrawal from this pocket is in flight.', 'pocket_id'],
  idempotency_key_reused: ['This idempotency key was used with another request body.'],
  rate_limited: ['Too many requests with this API key.'],
  internal_error: ['Something failed on our side. Quote the request id to support.'],
  price_unavailable: ['No fresh price of USDC is available; try again shortly.'],
  no_wallets_available: ['No free evm address is left; new ones are being derived.'],
  network_unavailable: ['Payments on polygon cannot be watched right now.'],
  service_unavailable: ['The database is temporarily unavailable.'],
  code_required: ['Enter the code of your authenticator.'],
  step_up_required: ['Prove your identity first: the last proof is older than 5 minutes.'],
};

const REQUEST_ID = 'req_01jqzk8v6m3n5p7r9t1w2x4y6z';

/** Returns an example of the error object for the API document; its links are relative, like the document's server. */
export function errorExample(code: ErrorCode, subject: ExampleSubject): ErrorBody {
  return errorBody(exampleOf(code, subject), REQUEST_ID, '');
}

function exampleOf(code: ErrorCode, subject: ExampleSubject): DomainError {
  if (code === 'invalid_request') return new DomainError(code, subject.fault.message, { param: subject.fault.param });
  const [sentence, param] = EXAMPLES[code];
  const message = typeof sentence === 'string' ? sentence : sentence(subject);
  return new DomainError(code, message, param === undefined ? {} : { param });
}

import type { ErrorBody } from '../../src/http/error-body.js';
import type { ApiAnswer } from '../support/api-client.js';

/** A refusal: status, code, and the invalid field if there is one. The client has checked its shape. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly param?: string;
}

/** Parses an answer as a refusal, and checks the guarantees of every error answer. */
export function refusalOf({ status, headers, text }: Pick<ApiAnswer, 'status' | 'headers' | 'text'>): Refusal {
  if (status < 400) throw new Error(`The request was not refused: ${status} ${text}`);
  const { error }: ErrorBody = JSON.parse(text);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(headers.get('request-id')).toBe(error.request_id);
  expect(error.request_id).toMatch(/^req_[0-9a-hjkmnp-tv-z]{26}$/);
  expect(headers.get('retry-after') !== null).toBe(error.retryable);
  expect(error.doc_url).toMatch(new RegExp(`/docs/errors#${error.code}$`));
  expect(text).not.toMatch(/select |insert |\.ts\b|\.js\b|Error:/);
  return { status, code: error.code, ...(error.param !== undefined && { param: error.param }) };
}

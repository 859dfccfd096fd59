import type { OpenAPIObject } from '@nestjs/swagger';
import type { ErrorCode } from '../domain/errors.js';
import { ERROR_CATALOGUE } from './error-catalogue.js';
import { errorExample } from './error-examples.js';

type Responses = NonNullable<OpenAPIObject['paths'][string]['get']>['responses'];

/** What decides which errors an operation shares with others of its kind. */
export interface OperationTraits {
  readonly public: boolean;
  readonly hasKey: boolean;
  readonly hasBody: boolean;
  readonly hasPathParameter: boolean;
}

/** The codes that follow from the kind of operation, so that no decorator has to repeat them. */
export function commonErrors(traits: OperationTraits): ErrorCode[] {
  return [
    ...(traits.public ? [] : (['unauthorized', 'forbidden', 'rate_limited'] as const)),
    ...(traits.hasKey ? (['missing_idempotency_key', 'invalid_idempotency_key'] as const) : []),
    ...(traits.hasBody ? (['invalid_json', 'payload_too_large', 'unsupported_media_type'] as const) : []),
    'invalid_request',
    ...(traits.hasKey ? (['idempotency_key_in_use', 'idempotency_key_reused'] as const) : []),
    ...(traits.hasPathParameter ? (['not_found'] as const) : []),
    'internal_error',
    'service_unavailable',
  ];
}

/** One response per status, in which every code is an example of its own name. */
export function errorResponses(codes: readonly ErrorCode[]): Responses {
  const byStatus = Map.groupBy(new Set(codes), (code) => ERROR_CATALOGUE[code].status);
  const responses = [...byStatus].map(([status, group]) => [String(status), errorResponse(group)] as const);
  return Object.fromEntries(responses.toSorted(([a], [b]) => Number(a) - Number(b)));
}

function errorResponse(codes: readonly ErrorCode[]) {
  const examples = codes.map((code) => [code, { summary: code, value: errorExample(code) }] as const);
  const retryable = codes.some((code) => ERROR_CATALOGUE[code].retryable);
  return {
    description: codes.map((code) => `\`${code}\``).join(', '),
    ...(retryable && { headers: { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } } }),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(examples),
      },
    },
  };
}

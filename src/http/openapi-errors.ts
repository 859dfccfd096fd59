import type { OpenAPIObject } from '@nestjs/swagger';
import type { ErrorCode } from '../domain/errors.js';
import { ERROR_CATALOGUE } from './error-catalogue.js';
import { type ExampleSubject, errorExample } from './error-examples.js';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Schemas = NonNullable<OpenAPIObject['components']>['schemas'];

/** Traits of an operation that determine its common errors. */
export interface OperationTraits {
  readonly public: boolean;
  /** Whether it belongs to the console, whose callers have sessions and no rate limit of their own. */
  readonly ofConsole: boolean;
  readonly needsStepUp: boolean;
  readonly hasKey: boolean;
  /** Whether the operation reads a body, even if only to refuse it. */
  readonly readsBody: boolean;
  readonly hasPathParameter: boolean;
}

/** Returns the codes that follow from the traits, so that no decorator has to repeat them. */
export function commonErrors(traits: OperationTraits): ErrorCode[] {
  return [
    ...(traits.public ? [] : (['unauthorized', 'forbidden'] as const)),
    ...(traits.public || traits.ofConsole ? [] : (['rate_limited'] as const)),
    ...(traits.needsStepUp ? (['step_up_required'] as const) : []),
    ...(traits.hasKey ? (['missing_idempotency_key', 'invalid_idempotency_key'] as const) : []),
    ...(traits.readsBody ? (['invalid_json', 'payload_too_large', 'unsupported_media_type'] as const) : []),
    'invalid_request',
    ...(traits.hasKey ? (['idempotency_key_in_use', 'idempotency_key_reused'] as const) : []),
    ...(traits.hasPathParameter ? (['not_found'] as const) : []),
    'internal_error',
    'service_unavailable',
  ];
}

/** Returns one response per status, with an example for each code. */
export function errorResponses(codes: readonly ErrorCode[], subject: ExampleSubject): Operation['responses'] {
  const byStatus = Map.groupBy(new Set(codes), (code) => ERROR_CATALOGUE[code].status);
  const responses = [...byStatus].map(([status, group]) => [String(status), errorResponse(group, subject)] as const);
  return Object.fromEntries(responses.toSorted(([a], [b]) => Number(a) - Number(b)));
}

/** Returns the subject of the operation at a path; `schemas` are the document's components, which its body may reference. */
export function subjectOf(operation: Operation, path: string, schemas: Schemas): ExampleSubject {
  const collection = /([^/{}]+)\/\{/.exec(path)?.[1] ?? 'resource';
  return { noun: collection.replaceAll('-', ' ').replace(/s$/, ''), fault: faultOf(operation, schemas) };
}

function faultOf({ parameters = [], requestBody }: Operation, schemas: Schemas): ExampleSubject['fault'] {
  if (parameters.some((parameter) => 'name' in parameter && parameter.name === 'limit')) {
    return { param: 'limit', message: 'limit must be at most 100.' };
  }
  const body = requestBody !== undefined && 'content' in requestBody ? requestBody.content['application/json'] : null;
  const schema =
    body?.schema !== undefined && '$ref' in body.schema ? namedBy(body.schema.$ref, schemas) : body?.schema;
  const required = schema !== undefined && 'required' in schema ? schema.required?.[0] : undefined;
  if (required !== undefined) return { param: required, message: `${required} is required.` };
  return { param: 'note', message: `note is not a known ${requestBody === undefined ? 'parameter' : 'field'}.` };
}

function namedBy(reference: string, schemas: Schemas) {
  return schemas?.[reference.replace('#/components/schemas/', '')];
}

function errorResponse(codes: readonly ErrorCode[], subject: ExampleSubject) {
  const examples = codes.map((code) => [code, { summary: code, value: errorExample(code, subject) }] as const);
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

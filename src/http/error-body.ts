import { z } from 'zod';
import { ERROR_CODES, type DomainError } from '../domain/errors.js';
import { ERROR_CATALOGUE, ERROR_TYPES } from './error-catalogue.js';

const FieldErrorSchema = z.strictObject({
  param: z.string().meta({ description: 'The field or parameter, nested fields with dots.' }),
  message: z.string().meta({ description: 'The problem, in one sentence.' }),
});

/** The body of every answer that is not 2xx or 3xx. */
export const ErrorBodySchema = z
  .strictObject({
    error: z
      .strictObject({
        type: z
          .enum(ERROR_TYPES)
          .meta({ description: 'Category of the error, for clients that do not know the code.' }),
        code: z.enum(ERROR_CODES).meta({
          description: 'Stable code of the error; `doc_url` explains it. New values may be added.',
        }),
        message: z.string().meta({ description: 'One sentence for a person.' }),
        param: z.string().optional().meta({ description: 'The invalid field, when there is one.' }),
        errors: z
          .array(FieldErrorSchema)
          .optional()
          .meta({ description: 'The invalid fields, when there are several.' }),
        request_id: z.string().meta({ description: 'The same value as the header Request-Id.' }),
        retryable: z.boolean().meta({ description: 'True when the same request may succeed later.' }),
        doc_url: z.string().meta({ description: 'Page that explains the code.' }),
      })
      .meta({ description: 'What went wrong.' }),
  })
  .meta({ id: 'Error', description: 'The error object of every answer that is not a success.' });
export type ErrorBody = z.infer<typeof ErrorBodySchema>;

/** Builds the error object; `baseUrl` is the address of this service, without a path. */
export function errorBody(error: DomainError, requestId: string, baseUrl: string): ErrorBody {
  const kind = ERROR_CATALOGUE[error.code];
  const { param, errors } = error.details;
  return {
    error: {
      type: kind.type,
      code: error.code,
      message: error.message,
      ...(param !== undefined && { param }),
      ...(errors !== undefined && { errors: [...errors] }),
      request_id: requestId,
      retryable: kind.retryable,
      doc_url: `${baseUrl.replace(/\/$/, '')}/docs/errors#${error.code}`,
    },
  };
}

/** The response headers that belong to an error, `Retry-After` and `WWW-Authenticate` among them. */
export function errorHeaders(error: DomainError): Record<string, string> {
  const kind = ERROR_CATALOGUE[error.code];
  const retryAfter = kind.retryable ? (error.details.retryAfterSeconds ?? kind.retryAfterSeconds) : undefined;
  return {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    ...(retryAfter !== undefined && { 'Retry-After': String(Math.ceil(retryAfter)) }),
    ...(error.code === 'unauthorized' && { 'WWW-Authenticate': 'Bearer' }),
    ...error.details.headers,
  };
}

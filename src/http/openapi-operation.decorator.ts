import { applyDecorators } from '@nestjs/common';
import { ApiExtension, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { z } from 'zod';
import type { ErrorCode } from '../domain/errors.js';

/** The documentation of one operation. Its path, parameters and body schema come from the handler itself. */
export interface OperationDocs {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  /** The body of a typical request, if the operation has one. */
  readonly request?: { readonly example: unknown };
  readonly success: {
    /** Default 200. */
    readonly status?: number;
    readonly description: string;
    readonly schema?: z.ZodType;
    readonly example?: unknown;
  };
  /** Whether the operation needs no API key, or no session. */
  readonly public?: boolean;
}

/** Extensions that carry notes from the decorators to `openapi.ts`, which removes them. */
export const NOTES_EXTENSION = 'x-operation-notes';
export const ERRORS_EXTENSION = 'x-operation-errors';
/** The permission that an operation of the console needs. It stays in the console's document. */
export const PERMISSION_EXTENSION = 'x-permission';

export interface OperationNotes {
  readonly public: boolean;
  readonly requestExample?: unknown;
}

/** Documents an operation: id, summary, tag, success schema and example. */
export function ApiOperationDocs(docs: OperationDocs): MethodDecorator {
  const { status = 200, description, schema, example } = docs.success;
  const notes: OperationNotes = { public: docs.public === true, requestExample: docs.request?.example };
  return applyDecorators(
    ApiTags(docs.tag),
    ApiOperation({
      operationId: docs.operationId,
      summary: docs.summary,
      ...(docs.description !== undefined && { description: docs.description }),
    }),
    ApiResponse({
      status,
      description,
      ...(schema !== undefined && { standardSchema: schema }),
      ...(example !== undefined && { examples: { example: { summary: description, value: example } } }),
    }),
    ApiExtension(NOTES_EXTENSION, notes),
  );
}

/**
 * Adds error codes to those that every operation of its kind has (authentication, rate limit, idempotency key, body,
 * validation, `not_found` for a path with an id, `internal_error`, `service_unavailable`).
 */
export function ApiErrors(...codes: ErrorCode[]): MethodDecorator {
  return applyDecorators(ApiExtension(ERRORS_EXTENSION, codes));
}

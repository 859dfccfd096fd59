import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { z } from 'zod';
import { notFound } from '../domain/errors.js';
import { type ApiRequest, isConsoleApi, isMerchantApi, METHODS_WITH_BODY } from './api-request.js';
import { NoBody } from './no-body.decorator.js';
import { schemasOf } from './route-schemas.js';
import { predicateOf, type RequestPart, validationError } from './validation-error.js';

const NOTHING = z.strictObject({});
/** All ids and names in our paths are far shorter and have only these characters. */
const PATH_VALUE = /^[\x21-\x7e]{1,128}$/;

/**
 * Validates query and body against the schemas of `@Query({ schema })` and `@Body({ schema })` and replaces them with the
 * parsed values. A guard, because Nest runs interceptors before pipes: Nest's validation pipe would run inside the
 * idempotency transaction, and a reused key would be answered before an invalid body.
 */
@Injectable()
export class RequestSchemaGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const req = context.switchToHttp().getRequest<ApiRequest>();
    const schemas = schemasOf(context);
    const querySchema = schemas.query ?? (isMerchantApi(req) || isConsoleApi(req.path) ? NOTHING : undefined);
    if (querySchema !== undefined) {
      const query = parsed(querySchema, { ...req.query }, 'query');
      // Express computes `query` on every access; a plain value on the request hides its getter.
      Object.defineProperty(req, 'query', { value: query, configurable: true, enumerable: true });
    }
    if (METHODS_WITH_BODY.has(req.method)) {
      req.body = parsed(schemas.body ?? this.emptyBodyOf(context), req.body, 'body');
    }
    assertPathValues(req);
    return true;
  }

  /** Returns the schema of an empty body. Throws for a handler that does not declare its body, which is a defect. */
  private emptyBodyOf(context: ExecutionContext): z.ZodType {
    const { method } = context.switchToHttp().getRequest<ApiRequest>();
    if (method === 'DELETE' || this.reflector.get(NoBody, context.getHandler())) return NOTHING;
    throw new Error(`${context.getClass().name}.${context.getHandler().name} needs @Body({ schema }) or @NoBody().`);
  }
}

function parsed(schema: z.ZodType, value: unknown, part: RequestPart): unknown {
  const result = schema.safeParse(value, { error: predicateOf });
  if (result.success) return result.data;
  throw validationError(result.error.issues, part);
}

function assertPathValues(req: ApiRequest): void {
  for (const value of Object.values(req.params)) {
    if (typeof value === 'string' && !PATH_VALUE.test(value)) throw notFound('resource');
  }
}

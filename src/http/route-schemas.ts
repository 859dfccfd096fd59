import type { ExecutionContext } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { z } from 'zod';

/** The schemas that a handler declares with `@Body({ schema })` and `@Query({ schema })`. */
export interface RouteSchemas {
  readonly body?: z.ZodType;
  readonly query?: z.ZodType;
}

type Handler = ReturnType<ExecutionContext['getHandler']>;
const known = new WeakMap<Handler, RouteSchemas>();

/** Reads the schemas from the metadata of Nest's parameter decorators, once per handler. */
export function schemasOf(context: ExecutionContext): RouteSchemas {
  const handler = context.getHandler();
  const found = known.get(handler) ?? readSchemas(context);
  known.set(handler, found);
  return found;
}

function readSchemas(context: ExecutionContext): RouteSchemas {
  const metadata: unknown = Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), context.getHandler().name);
  const schemas: { body?: z.ZodType; query?: z.ZodType } = {};
  const routeArguments: [string, { schema?: unknown }][] = Object.entries(metadata ?? {});
  for (const [key, { schema }] of routeArguments) {
    if (!(schema instanceof z.ZodType)) continue;
    if (key.startsWith(`${RouteParamtypes.BODY}:`)) schemas.body = schema;
    if (key.startsWith(`${RouteParamtypes.QUERY}:`)) schemas.query = schema;
  }
  return schemas;
}

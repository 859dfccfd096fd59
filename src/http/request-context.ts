import { AsyncLocalStorage } from 'node:async_hooks';
import type { NextFunction, Request, Response } from 'express';
import { newId } from '../domain/ids.js';

/** The context that all work of one HTTP request shares. */
export interface RequestContext {
  /** `req_...`, the same as the header `Request-Id` of the answer. */
  readonly requestId: string;
  /** The caller's valid W3C `traceparent`, forwarded to webhook deliveries. */
  readonly traceparent?: string;
}

const storage = new AsyncLocalStorage<RequestContext>();

/** Returns the context of the current request; undefined outside a request. */
export function requestContext(): RequestContext | undefined {
  return storage.getStore();
}

/** Assigns the request id. It is the first middleware, so that every failure has an id. */
export function openRequestContext(req: Request, res: Response, next: NextFunction): void {
  const requestId = newId('req_');
  const traceparent = parseTraceparent(req.headers['traceparent']);
  res.setHeader('Request-Id', requestId);
  storage.run({ requestId, ...(traceparent !== undefined && { traceparent }) }, next);
}

/** Returns the id that `openRequestContext` assigned to this response. */
export function requestIdOf(res: Response): string {
  return String(res.getHeader('Request-Id') ?? '');
}

const TRACEPARENT = /^(?<version>[0-9a-f]{2})-(?<trace>[0-9a-f]{32})-(?<parent>[0-9a-f]{16})-[0-9a-f]{2}(?<more>-.*)?$/;

/** Returns the header if it is a valid `traceparent` (W3C Trace Context 3.2), else undefined. */
function parseTraceparent(header: string | string[] | undefined): string | undefined {
  if (typeof header !== 'string' || header.length > 256) return undefined;
  const groups = TRACEPARENT.exec(header)?.groups;
  if (groups === undefined || groups['version'] === 'ff') return undefined;
  if (groups['version'] === '00' && groups['more'] !== undefined) return undefined;
  if (/^0+$/.test(groups['trace'] ?? '') || /^0+$/.test(groups['parent'] ?? '')) return undefined;
  return header;
}

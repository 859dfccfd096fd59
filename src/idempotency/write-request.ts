import { createHash } from 'node:crypto';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Response } from 'express';
import type { Tenant } from '../domain/tenant.js';
import { requestIdOf } from '../http/request-context.js';
import { type AuthenticatedRequest, callerOf } from '../auth/caller.js';
import type { Tx } from '../platform/database/database.js';
import type { AnswerKey } from './answer-key.js';

/** A POST as `IdempotentWrites` needs it: its tenant, its identity and the hash of its body. */
export interface WriteRequest {
  readonly tenant: Tenant;
  readonly method: string;
  /** Decoded, without the query. */
  readonly path: string;
  readonly idempotencyKey: string;
  /** SHA-256 of the body's bytes, in hex: a different order of fields or different spaces make a different request. */
  readonly fingerprint: string;
  readonly requestId: string;
}

/** Returns the key that the answer of a write is kept under. */
export function keyOf({ tenant, method, path, idempotencyKey }: WriteRequest): AnswerKey {
  const { merchantId, environment } = tenant;
  return { merchantId, environment, method, path, idempotencyKey };
}

/** A request that has passed the idempotency key guard. */
export interface KeyedRequest extends AuthenticatedRequest {
  /** The parsed `Idempotency-Key` of a POST under /v1. */
  idempotencyKey?: string;
  /** The transaction in which `IdempotencyInterceptor` calls the controller. */
  transaction?: Tx;
}

/**
 * Injects the transaction of a write into its controller method. It is set before each call, so a method that runs again
 * after a deadlock gets the new one.
 */
export const Transaction = createParamDecorator((_data: undefined, context: ExecutionContext): Tx => {
  const { method, path, transaction } = context.switchToHttp().getRequest<KeyedRequest>();
  if (transaction === undefined)
    throw new Error(`${method} ${path} is not a POST under /v1, so it has no transaction.`);
  return transaction;
});

/** Returns the write of a request that has passed the guards. */
export function writeRequestOf(req: KeyedRequest, res: Response): WriteRequest {
  const { merchantId, environment } = callerOf(req);
  if (req.idempotencyKey === undefined || req.rawBody === undefined) {
    throw new Error(`${req.method} ${req.path} is not a POST under /v1, so it has no idempotency key.`);
  }
  return {
    tenant: { merchantId, environment },
    method: req.method,
    path: req.path.includes('%') ? decodeURIComponent(req.path) : req.path,
    idempotencyKey: req.idempotencyKey,
    fingerprint: createHash('sha256').update(req.rawBody).digest('hex'),
    requestId: requestIdOf(res),
  };
}

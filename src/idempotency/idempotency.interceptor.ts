import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { ModuleRef, Reflector } from '@nestjs/core';
import type { Response } from 'express';
import { from, lastValueFrom, type Observable } from 'rxjs';
import type { Tx } from '../platform/database/database.js';
import { isPlannedWrite, type PlannedWrite } from '../platform/sql/planned-write.js';
import { IdempotentWrites, WRITE_STATUSES } from './idempotent-writes.js';
import { AtOnce, BeforeTransaction, KeepsSecret } from './write-options.js';
import { type KeyedRequest, writeRequestOf } from './write-request.js';

/**
 * Runs every POST of the merchant API once per idempotency key: claims the key, calls the controller inside the transaction
 * of the claim, keeps its answer, and commits; a repeated request gets the kept answer. The controller takes the
 * transaction as `@Transaction()` and returns the answer. It may run again after a deadlock. A write of one statement
 * (`@AtOnce`) is planned by its controller, and runs together with the claim and the kept answer.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(
    private readonly writes: IdempotentWrites,
    private readonly reflector: Reflector,
    private readonly modules: ModuleRef,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler<object>): Observable<unknown> {
    const req = context.switchToHttp().getRequest<KeyedRequest>();
    if (req.idempotencyKey === undefined) return next.handle();
    const res = context.switchToHttp().getResponse<Response>();
    const write = writeRequestOf(req, res);
    const handler = context.getHandler();
    const check = this.reflector.get(BeforeTransaction, handler);
    const keepsSecret = this.reflector.get(KeepsSecret, handler) ?? false;
    if (this.reflector.get(AtOnce, handler)) {
      if (keepsSecret || check !== undefined)
        throw new Error(`${handler.name}: @AtOnce keeps no secret and checks nothing.`);
      return from(this.writes.runAtOnce(write, planOf(req, res, next)));
    }
    const answer = this.writes.run(write, {
      keepsSecret,
      prepare: check && (() => this.modules.get(check, { strict: false }).beforeTransaction(write.tenant, req.body)),
      effect: controllerCall(req, res, next),
    });
    return from(answer);
  }
}

/** Returns a call of the controller that plans its write. */
function planOf(req: KeyedRequest, res: Response, next: CallHandler<object>) {
  return async (): Promise<{ readonly status: number; readonly planned: PlannedWrite }> => {
    const planned = await lastValueFrom(next.handle());
    if (!isPlannedWrite(planned)) throw new Error('A write of one statement must return its plan.');
    return { status: keepableStatus(req, res), planned };
  };
}

/** Returns an effect that calls the controller again in each transaction. */
function controllerCall(req: KeyedRequest, res: Response, next: CallHandler<object>) {
  const status = res.statusCode;
  return async (tx: Tx): Promise<{ readonly status: number; readonly body: object }> => {
    req.transaction = tx;
    // A call that was rolled back may have set another status.
    res.status(status);
    const body = await lastValueFrom(next.handle());
    return { status: keepableStatus(req, res), body };
  };
}

function keepableStatus(req: KeyedRequest, { statusCode }: Response): number {
  if (!WRITE_STATUSES.includes(statusCode)) throw new Error(`${req.path} answers ${statusCode}, which is not kept.`);
  return statusCode;
}

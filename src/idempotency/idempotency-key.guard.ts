import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { isMerchantApi } from '../http/api-request.js';
import { parseIdempotencyKey } from './idempotency-key.js';
import type { KeyedRequest } from './write-request.js';

/** Requires a valid `Idempotency-Key` for every POST of the merchant API, and puts the parsed key on the request. */
@Injectable()
export class IdempotencyKeyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const req = context.switchToHttp().getRequest<KeyedRequest>();
    if (req.method === 'POST' && isMerchantApi(req)) {
      req.idempotencyKey = parseIdempotencyKey(req.headersDistinct['idempotency-key']);
    }
    return true;
  }
}

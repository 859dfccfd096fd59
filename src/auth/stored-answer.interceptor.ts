import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import { map, type Observable } from 'rxjs';
import { StoredAnswer } from './stored-answer.js';

/** Sends the text of a stored answer as it is, where Nest would write the object as JSON. */
export class StoredAnswerInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<string> {
    const res = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(map((answer) => headed(res, answer)));
  }
}

function headed(res: Response, answer: unknown): string {
  if (!(answer instanceof StoredAnswer))
    throw new Error('A handler with @Write() returns what IdempotentWrites.run gave.');
  for (const [name, value] of Object.entries(answer.headers)) res.setHeader(name, value);
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.statusCode = answer.status;
  // When it sends, Nest sets the status that the handler declares; the answer's own is the true one.
  res.status = () => res;
  return answer.json;
}

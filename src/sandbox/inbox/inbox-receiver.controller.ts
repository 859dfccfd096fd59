import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Body, Controller, Inject, Param, Post, Req, Res } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import type { RateLimit, RateLimiter } from '../../auth/rate-limiter.js';
import { Public } from '../../auth/scopes.js';
import { DomainError } from '../../domain/errors.js';
import type { ApiRequest } from '../../http/api-request.js';
import { Database } from '../../platform/database/database.js';
import { InboxReceiver } from './inbox-receiver.service.js';

/** Longer than the service waits for an answer. */
const NO_ANSWER_MS = 20_000;
const ANYTHING = z.unknown();

/** What one inbox takes: more than a shop under development causes. */
export const INBOX_LIMIT: RateLimit = { perSecond: 100, burst: 500 };
/** Injection token of the `RateLimiter` of inboxes. */
export const INBOX_LIMITER = Symbol('InboxLimiter');

/** They are for the service, and staff would see them. */
const NOT_KEPT = new Set(['authorization', 'cookie', 'proxy-authorization']);

/** Plays a receiver of webhooks, as its inbox is set. It needs no API key: its address is the secret. */
@Controller('sandbox/inbox')
@Public()
export class InboxReceiverController implements BeforeApplicationShutdown {
  private readonly stopping = new AbortController();

  constructor(
    private readonly database: Database,
    private readonly receiver: InboxReceiver,
    @Inject(INBOX_LIMITER) private readonly limiter: RateLimiter,
  ) {}

  /** Requests without an answer do not delay the stop. */
  beforeApplicationShutdown(): void {
    this.stopping.abort();
  }

  @Post(':key')
  async receive(
    @Param('key') key: string,
    @Req() req: ApiRequest,
    @Res() res: Response,
    @Body({ schema: ANYTHING }) _body: unknown,
  ): Promise<void> {
    await this.admit(key);
    const headers = Object.entries(req.headers)
      .filter(([name]) => !NOT_KEPT.has(name))
      .map(([name, value = '']) => [name, String(value)]);
    const received = { headers: Object.fromEntries(headers), body: req.rawBody ?? Buffer.alloc(0) };
    const answer = await this.database.transaction((tx) => this.receiver.receive(tx, key, received));
    if (answer === 'timeout') await untilGone(res, this.stopping.signal);
    if (!res.closed) res.status(answer === 'timeout' ? 504 : Number(answer)).json({ inbox_answers: answer });
  }

  /** @throws DomainError `not_found`; `rate_limited` for a request too many, of which nothing is kept */
  private async admit(key: string): Promise<void> {
    const { id } = await this.receiver.find(this.database.em(), key);
    const { admitted, resetSeconds } = await this.limiter.take(id);
    if (admitted) return;
    throw new DomainError('rate_limited', 'Too many requests to this inbox.', { retryAfterSeconds: resetSeconds });
  }
}

/** Waits until the sender has given up, or the service stops. */
async function untilGone(res: Response, stopping: AbortSignal): Promise<void> {
  if (res.closed) return;
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  const signal = AbortSignal.any([gone.signal, stopping]);
  await sleep(NO_ANSWER_MS, undefined, { signal }).catch(() => undefined);
}

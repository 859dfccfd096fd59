import { setTimeout as sleep } from 'node:timers/promises';
import { Body, Controller, Param, Post, Req, Res } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { Public } from '../../auth/scopes.js';
import type { ApiRequest } from '../../http/api-request.js';
import { InboxReceiver } from './inbox-receiver.service.js';

/** Longer than the service waits for an answer. */
const NO_ANSWER_MS = 20_000;
const ANYTHING = z.unknown().meta({ id: 'InboxBody' });

/** Plays a receiver of webhooks, as its inbox is set. Nobody needs a key: the address has it. */
@Controller('sandbox/inbox')
@Public()
export class InboxReceiverController {
  constructor(private readonly receiver: InboxReceiver) {}

  @Post(':key')
  async receive(
    @Param('key') key: string,
    @Req() req: ApiRequest,
    @Res() res: Response,
    @Body({ schema: ANYTHING }) _body: unknown,
  ): Promise<void> {
    const headers = Object.entries(req.headers).map(([name, value = '']) => [name, String(value)]);
    const received = { headers: Object.fromEntries(headers), body: req.rawBody ?? Buffer.alloc(0) };
    const answer = await this.receiver.receive(key, received);
    if (answer === 'timeout') await untilGone(res);
    if (!res.closed) res.status(answer === 'timeout' ? 504 : Number(answer)).json({ inbox_answers: answer });
  }
}

/** Waits until the sender has given up. */
async function untilGone(res: Response): Promise<void> {
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  await sleep(NO_ANSWER_MS, undefined, { signal: gone.signal }).catch(() => undefined);
}

import { Controller, Get, HttpException, Logger as NestLogger, type MessageEvent, Module, Sse } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Logger, LoggerModule } from 'nestjs-pino';
import { type Observable, of } from 'rxjs';
import { eventually } from '../../test/support/eventually.js';
import { LogLines } from '../../test/support/log-lines.js';
import { gate } from '../../test/support/queue-rig.js';
import { parseConfig } from './config.js';
import { httpLogParams } from './http-log.js';
import { createLogger } from './logging.js';
import type { AnsweredRequest } from './metrics.js';

const log = new LogLines();
const answered: AnsweredRequest[] = [];
const [entered, stuck] = [gate(), gate()];

@Controller('v1/things')
class ThingsController {
  private readonly logger = new NestLogger(ThingsController.name);

  @Get(':id')
  find(): string {
    this.logger.log('found');
    return 'thing';
  }

  @Get(':id/broken')
  fail(): never {
    throw new HttpException('broken', 503);
  }

  @Sse(':id/changes')
  follow(): Observable<MessageEvent> {
    return of({ data: 'changed' });
  }

  @Get(':id/slow')
  wait(): Promise<void> {
    entered.open();
    return stuck.passed;
  }
}

@Module({
  imports: [
    LoggerModule.forRoot(
      httpLogParams({
        logger: createLogger('info', { destination: log }),
        merchantIdOf: (req) => (req.headers.authorization === undefined ? undefined : 'mer_1'),
        onAnswered: (request) => void answered.push(request),
      }),
    ),
  ],
  controllers: [ThingsController],
})
class TestModule {}

let app: NestExpressApplication;
let url: string;
beforeAll(async () => {
  app = await NestFactory.create<NestExpressApplication>(TestModule, { bufferLogs: true, abortOnError: false });
  app.useLogger(app.get(Logger));
  await app.listen(0, '127.0.0.1');
  url = await app.getUrl();
});
afterAll(async () => {
  stuck.open();
  await app.close();
});
beforeEach(() => {
  log.texts.length = 0;
  answered.length = 0;
});

const requestLine = (): Promise<object> => eventually(() => log.named('request')[0]);

it('writes one line per request: route, outcome, duration and merchant [B-25]', async () => {
  const headers = { authorization: 'Bearer sk_sb_secret' };
  const response = await fetch(`${url}/v1/things/42?email=someone@example.com`, { headers });
  expect(response.status).toBe(200);
  expect(await requestLine()).toEqual({
    level: 'info',
    time: expect.any(String),
    pid: process.pid,
    request_id: expect.stringMatching(/^req_/),
    method: 'GET',
    route: '/v1/things/:id',
    path: '/v1/things/42',
    client_ip: '127.0.0.1',
    status: 200,
    duration_ms: expect.any(Number),
    merchant_id: 'mer_1',
    msg: 'request',
  });
  expect(log.named('request')).toHaveLength(1);
  expect(log.texts.join('')).not.toMatch(/secret|someone/);
});

it('reports no time of an answer for a stream, which lasts as long as its reader wants', async () => {
  const stream = await fetch(`${url}/v1/things/42/changes`);
  expect(await stream.text()).toContain('data: changed');
  expect(await requestLine()).toMatchObject({ route: '/v1/things/:id/changes', status: 200 });
  expect(answered).toEqual([]);
});

it("adds the request's id to every other line of a request", async () => {
  await fetch(`${url}/v1/things/42`);
  const { request_id: id } = (await eventually(() => log.named('request')[0])) ?? {};
  expect(log.named('found')).toEqual([expect.objectContaining({ request_id: id, context: 'ThingsController' })]);
});

it.each<[setting: string, forwarded: string, client: string]>([
  ['false', '203.0.113.9', '127.0.0.1'],
  ['true', '203.0.113.9', '203.0.113.9'],
  // The proxy adds its value to the right of the client's.
  ['true', '198.51.100.1, 203.0.113.9', '203.0.113.9'],
  ['1', '198.51.100.1, 203.0.113.9', '203.0.113.9'],
  ['2', '198.51.100.1, 203.0.113.9, 10.0.0.7', '203.0.113.9'],
  ['127.0.0.1,10.0.0.0/8', '198.51.100.1, 203.0.113.9, 10.0.0.7', '203.0.113.9'],
  ['10.0.0.0/8', '203.0.113.9', '127.0.0.1'],
])(
  'trusts only trusted proxies: TRUST_PROXY=%s and X-Forwarded-For: %s come from %s',
  async (setting, forwarded, client) => {
    app.set('trust proxy', parseConfig({ TRUST_PROXY: setting }).http.trustedProxies);
    await fetch(`${url}/v1/things/42`, { headers: { 'X-Forwarded-For': forwarded } });
    expect(await requestLine()).toMatchObject({ client_ip: client });
  },
);

it('logs an internal error at level error, and measures it by its route', async () => {
  await fetch(`${url}/v1/things/42/broken`);
  expect(await requestLine()).toMatchObject({ level: 'error', status: 503, route: '/v1/things/:id/broken' });
  expect(answered).toEqual([
    { method: 'GET', route: '/v1/things/:id/broken', status: 503, durationMs: expect.any(Number) },
  ]);
});

it('groups paths without a route under one name', async () => {
  await fetch(`${url}/wp-admin/${'x'.repeat(500)}`);
  expect(await requestLine()).toMatchObject({ level: 'info', status: 404, route: 'unmatched' });
});

it('reports that the caller disconnected before the answer', async () => {
  const caller = new AbortController();
  const response = fetch(`${url}/v1/things/42/slow`, { signal: caller.signal }).catch(() => 'aborted');
  await entered.passed;
  caller.abort();
  expect(await response).toBe('aborted');
  expect(await requestLine()).toMatchObject({ aborted: true, route: '/v1/things/:id/slow' });
});

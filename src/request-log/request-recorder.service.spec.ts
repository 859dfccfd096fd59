import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Request, Response } from 'express';
import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { query } from '../../test/support/sql.js';
import { newId } from '../domain/ids.js';
import { createLogger } from '../platform/logging.js';
import { Metrics } from '../platform/metrics.js';
import { RequestRecorder } from './request-recorder.service.js';

let db: TestDatabase;
let metrics: Metrics;
let recorder: RequestRecorder;
beforeAll(async () => {
  db = await freshDatabase();
  metrics = new Metrics();
  recorder = new RequestRecorder(db.database, metrics, createLogger('silent'));
});
afterAll(() => db.drop());
afterEach(async () => {
  await recorder.flush();
  await db.query('delete from api_request');
});

const caller = { merchantId: 'mer_1', environment: 'sandbox', apiKeyId: 'key_1', scopes: [] } as const;

/** A POST that is answered with 201. */
function answer(): void {
  const req = Object.assign(new IncomingMessage(new Socket()), {
    caller,
    method: 'POST',
    path: '/v1/payment-intents',
    route: { path: '/v1/payment-intents' },
  });
  const res = new ServerResponse(req).setHeader('Request-Id', newId('req_'));
  recorder.watch(req as unknown as Request, res as unknown as Response, () => res.writeHead(201).emit('close'));
}

const stored = async (): Promise<number> => (await db.query('select from api_request')).length;
const lost = async (): Promise<readonly [reason: unknown, count: number][]> => {
  const { values } = (await metrics.registry.getSingleMetric('coffer_request_log_lost_total')?.get()) ?? { values: [] };
  return values.map(({ labels, value }) => [labels['reason'], value]);
};

it('stores what was answered, by itself and within one statement', async () => {
  for (let n = 0; n < 40; n++) answer();
  while ((await stored()) === 0);
  expect(await stored()).toBe(40);
  expect(await lost()).toEqual([]);
});

it('drops and counts what does not fit into 5,000, and goes on after that', async () => {
  for (let n = 0; n < 5_003; n++) answer();
  await recorder.flush();
  expect(await stored()).toBe(5_000);
  expect(await lost()).toEqual([['full', 3]]);
  answer();
  await recorder.flush();
  expect(await stored()).toBe(5_001);
});

it('counts what cannot be stored, throws nothing, and goes on after that', async () => {
  await query(db.owner, 'alter table api_request rename to hidden');
  answer();
  answer();
  await recorder.flush();
  await query(db.owner, 'alter table hidden rename to api_request');
  expect(await lost()).toContainEqual(['failed', 2]);
  answer();
  await recorder.flush();
  expect(await stored()).toBe(1);
});

import { HttpAdapterHost } from '@nestjs/core';
import type { Express } from 'express';
import { parseConfig } from '../../src/platform/config.js';
import { Database } from '../../src/platform/database/database.js';
import { createLogger } from '../../src/platform/logging.js';
import { type RunningService, startService } from '../../src/app/start/service.js';
import { WebhookInboxes } from '../../src/sandbox/inbox/webhook-inboxes.service.js';
import { KIM } from '../support/console-actor.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { aMerchant } from '../support/factories.js';
import { query } from '../support/sql.js';

/**
 * All routes that answer without a key: those for monitors, the API documents, the ways into the console, and the receiver of
 * sandbox inboxes, whose address is its key.
 */
const OPEN = [
  'GET /admin',
  'GET /admin/api/openapi.json',
  'GET /health/live',
  'GET /health/ready',
  'GET /openapi.json',
  'GET /openapi.yaml',
  'POST /admin/api/invitations/accept',
  'POST /admin/api/invitations/read',
  'POST /admin/api/session',
  'POST /sandbox/inbox/x',
];
/** Public documentation. */
const DOCUMENTATION = /^GET \/docs(\/|$)/;
/** Routes that other services leave open by mistake. */
const NOWHERE = [
  '/metrics',
  '/debug',
  '/debug/vars',
  '/queues',
  '/admin/api/queues',
  '/bull',
  '/bull-board',
  '/graphql',
  '/status',
  '/env',
  '/.env',
  '/.git/config',
  '/config',
  '/swagger',
  '/api-docs',
  '/actuator',
  '/server-status',
  '/json/version',
];

let db: TestDatabase;
let service: RunningService;
beforeEach(async () => {
  db = await freshDatabase();
});
afterEach(async () => {
  await service.stop();
  await db.drop();
});

async function start(env: Readonly<Record<string, string>>): Promise<void> {
  const deployed = {
    NODE_ENV: 'production',
    DATABASE_URL: db.url,
    SECRETS_KEY: '5e'.repeat(32),
    PORT: '0',
    ROLES: 'api',
  };
  const config = parseConfig({ ...deployed, ...env });
  service = await startService(config, createLogger('silent'));
}

/** A route of Express; its own types have no methods, and a path may be a list. */
interface Route {
  readonly path: string | readonly string[];
  readonly methods: Readonly<Record<string, boolean>>;
}

/** Every route of Express, with a value in place of ids, without middleware. */
function routes(): { method: string; path: string }[] {
  const app = service.get(HttpAdapterHost).httpAdapter.getInstance<Express>();
  const known = app.router.stack.flatMap((layer) => (layer.route as Route | undefined) ?? []);
  return known.flatMap(({ path, methods }) =>
    [path].flat().flatMap((one) =>
      Object.keys(methods)
        .filter((method) => method !== '_all' && !one.includes('*'))
        .map((method) => ({ method: method.toUpperCase(), path: one.replaceAll(/:\w+/g, 'x') })),
    ),
  );
}

it.each<[what: string, env: Readonly<Record<string, string>>]>([
  ['sandbox', {}],
  ['live', { LIVE_POLYGON_RPC_URL: 'http://127.0.0.1:1', METRICS_PORT: '0' }],
])('a deployed %s process opens only the public routes without a key [N-180]', async (_what, env) => {
  await start(env);
  const all = routes();
  expect(all.length).toBeGreaterThan(25);
  const open: string[] = [];
  for (const { method, path } of all) {
    const { status } = await fetch(service.url + path, { method, redirect: 'manual' });
    if (status !== 401) open.push(`${method} ${path}`);
  }
  expect(open.filter((route) => !DOCUMENTATION.test(route)).toSorted()).toEqual(OPEN);
  for (const path of NOWHERE) expect([path, (await fetch(service.url + path)).status]).toEqual([path, 404]);
});

it('an inbox of the sandbox, which needs no key, refuses requests beyond its rate, and says when to try again', async () => {
  await start({});
  const database = service.get(Database);
  const { merchantId } = await aMerchant(database);
  const anInbox = () =>
    database.transaction(async (tx) => (await service.get(WebhookInboxes).create(tx, KIM, merchantId)).inbox);
  const [flooded, other] = [await anInbox(), await anInbox()];
  const send = ({ key }: { readonly key: string }) =>
    fetch(`${service.url}/sandbox/inbox/${key}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
  // Two tokens, and the bucket does not fill again.
  await query(database, `insert into inbox_bucket values ($1, 2, 'infinity')`, [flooded.id]);
  const answers = [];
  for (let n = 0; n < 4; n += 1) answers.push(await send(flooded));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429, 429]);
  const refused = answers.at(-1);
  expect(refused?.headers.get('retry-after')).toBe('1');
  expect(await refused?.json()).toMatchObject({ error: { code: 'rate_limited', retryable: true } });
  expect((await send(other)).status).toBe(200);
  const kept = await query<{ id: string; count: number }>(
    database,
    `select inbox_id as id, count(*)::int as count from inbox_request group by inbox_id order by count desc`,
  );
  expect(kept).toEqual([
    { id: flooded.id, count: 2 },
    { id: other.id, count: 1 },
  ]);
  await query(database, `update inbox_bucket set refilled_at = clock_timestamp() where inbox_id = $1`, [flooded.id]);
  await eventually(async () => (await send(flooded)).status === 200);
});

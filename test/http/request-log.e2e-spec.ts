import { request } from 'node:http';
import { ApiKeysService, type NewApiKey } from '../../src/auth/api-keys.service.js';
import type { Scope } from '../../src/auth/scopes.js';
import { newId } from '../../src/domain/ids.js';
import { RequestRecorder } from '../../src/request-log/request-recorder.service.js';
import { type ConsoleService, startConsole } from '../console/console-service.js';
import { ApiClient } from '../support/api-client.js';
import { ownersDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { aMerchant } from '../support/factories.js';
import { query } from '../support/sql.js';

const ENDPOINTS = '/v1/webhook-endpoints';
const HOOK = 'http://127.0.0.1:9009/hook?token=QUERY-SECRET';

interface Row {
  readonly id: string;
  readonly merchant_id: string;
  readonly api_key_id: string;
  readonly method: string;
  readonly route: string;
  readonly resource_id: string | null;
  readonly status: number | null;
  readonly error_code: string | null;
  readonly idempotency_key: string | null;
  readonly replayed: boolean;
  readonly duration_ms: number;
  readonly created_at: Date;
}

let site: ConsoleService;
let merchantId: string;
let key: NewApiKey;
let api: ApiClient;

const keyOf = (scopes?: Scope[]): Promise<NewApiKey> =>
  site.database.transaction((tx) =>
    new ApiKeysService().createKey(tx, { merchantId, environment: 'sandbox', ...(scopes !== undefined && { scopes }) }),
  );

beforeAll(async () => {
  site = await startConsole({ env: { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' } });
  ({ merchantId } = await aMerchant(site.database));
  key = await keyOf();
  api = new ApiClient(site.url, key.key);
});
afterAll(() => site.stop());

const flush = (): Promise<void> => site.service.get(RequestRecorder).flush();

/** The logged request of an answer; undefined when there is none. */
async function logged(answer: { readonly headers: Headers }): Promise<Row | undefined> {
  await flush();
  const id = answer.headers.get('request-id') ?? '';
  const [row] = await query<Row>(site.database, `select * from api_request where id = $1`, [id]);
  return row;
}

/** The request of an answer, once it is logged: the log line of a request is written moments after its answer. */
const loggedOf = (answer: { readonly headers: Headers }): Promise<Row> => eventually(() => logged(answer));

const addEndpoint = (idempotencyKey: string) =>
  api.post<{ id: string; secret: string }>(ENDPOINTS, { url: HOOK }, { idempotencyKey });

describe('the request log', () => {
  it('has a POST with its caller, its key of idempotency and what it made', async () => {
    const answer = await addEndpoint('order 7');
    expect(answer.status).toBe(201);
    const row = await loggedOf(answer);
    expect(row).toMatchObject({
      environment: 'sandbox',
      id: answer.headers.get('request-id'),
      merchant_id: merchantId,
      api_key_id: key.id,
      method: 'POST',
      route: ENDPOINTS,
      resource_id: answer.body.id,
      status: 201,
      error_code: null,
      idempotency_key: 'order 7',
      replayed: false,
    });
    expect(row.duration_ms).toBeGreaterThanOrEqual(0);
  });

  it('has a repeat of it as a request of its own, with the kept answer', async () => {
    const first = await addEndpoint('order 8');
    const again = await addEndpoint('order 8');
    const row = await loggedOf(again);
    expect(row).toMatchObject({ status: 201, replayed: true, resource_id: first.body.id, idempotency_key: 'order 8' });
    expect(row.id).not.toBe((await loggedOf(first)).id);
  });

  it('has refusals of every method with their codes, by the pattern of the path and the id in it', async () => {
    const { body } = await addEndpoint('order 9');
    const refused = await api.call('PATCH', `${ENDPOINTS}/${body.id}`, { body: { url: 'nonsense' } });
    expect(await loggedOf(refused)).toMatchObject({
      method: 'PATCH',
      route: `${ENDPOINTS}/:id`,
      resource_id: body.id,
      status: 400,
      error_code: 'invalid_request',
      idempotency_key: null,
    });
    const listed = await api.get(`${ENDPOINTS}?limit=none`);
    expect(await loggedOf(listed)).toMatchObject({ method: 'GET', status: 400, error_code: 'invalid_request' });
    const withoutKey = await api.post(ENDPOINTS, {}, { headers: { 'Idempotency-Key': '' } });
    expect(await loggedOf(withoutKey)).toMatchObject({ status: 400, idempotency_key: null });
  });

  it('names the caller of a request that its key does not allow', async () => {
    const reader = await keyOf(['read']);
    const refused = await new ApiClient(site.url, reader.key).post(ENDPOINTS, { url: HOOK });
    expect(await loggedOf(refused)).toMatchObject({ api_key_id: reader.id, status: 403, error_code: 'forbidden' });
  });

  it('has neither reads that succeed, nor what anybody can cause in any number', async () => {
    const nobody = new ApiClient(site.url, 'sk_sb_wrong');
    const left = [
      await api.get(ENDPOINTS),
      await nobody.post(ENDPOINTS, { url: HOOK }),
      await api.get(`${ENDPOINTS}/${newId('we_')}`),
      await api.post(`/v1/payment-intents/${newId('pi_')}/confirm`),
    ];
    expect(left.map(({ status }) => status)).toEqual([200, 401, 404, 404]);
    // What comes later is there, so what came before is not on its way.
    await loggedOf(await addEndpoint('order 10'));
    for (const answer of left) expect(await logged(answer)).toBeUndefined();
  });

  it('keeps neither bodies nor answers, queries, paths or keys', async () => {
    await loggedOf(
      await api.get(`${ENDPOINTS}/QUERY-SECRET?limit=0&token=QUERY-SECRET`).then(() => addEndpoint('order 11')),
    );
    const rows = await query<{ text: string }>(site.database, `select api_request::text as text from api_request`);
    const all = rows.map(({ text }) => text).join('\n');
    expect(all).toContain('order 11');
    for (const secret of ['QUERY-SECRET', 'whsec_', '127.0.0.1:9009', key.key]) expect(all).not.toContain(secret);
  });

  it('says that a client was gone before its answer', async () => {
    const { port } = new URL(site.url);
    const headers = {
      Authorization: `Bearer ${key.key}`,
      'Idempotency-Key': 'gone',
      'Content-Type': 'application/json',
      Expect: '100-continue',
    };
    const sent = request({ port, path: ENDPOINTS, method: 'POST', headers: { ...headers, 'Content-Length': '100' } });
    sent.on('error', () => undefined);
    let isContinued = false;
    // The service asks for the body once it knows the key.
    sent.on('continue', () => (isContinued = true));
    sent.flushHeaders();
    await eventually(() => isContinued);
    sent.destroy();
    const row = await eventually(async () => {
      await flush();
      const [gone] = await query<Row>(site.database, `select * from api_request where error_code = 'no_answer'`);
      return gone;
    });
    expect(row).toMatchObject({ status: null, route: ENDPOINTS, merchant_id: merchantId });
  });

  it('has what was answered in the last moment before the stop', async () => {
    const answer = await addEndpoint('the last');
    await site.service.stop();
    const afterwards = ownersDatabase(site.databaseUrl);
    const rows = await query(afterwards, `select from api_request where id = $1`, [answer.headers.get('request-id')]);
    await afterwards.close();
    expect(rows).toHaveLength(1);
  });
});

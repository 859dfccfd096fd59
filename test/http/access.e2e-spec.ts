import { ApiKeysService } from '../../src/auth/api-keys.service.js';
import { newApiKey } from '../../src/domain/api-key.js';
import { newId } from '../../src/domain/ids.js';
import { ApiClient } from '../support/api-client.js';
import { assertDocumented } from '../support/documented.js';
import { eventually } from '../support/eventually.js';
import { startWorld, type World } from '../support/world.js';
import { createIntent, generateAddress, getIntent, intentWithAddress, ORDER } from './intents.js';
import { refusalOf } from './refusal.js';
import { sendRaw } from './sample-app.js';
import { addKey, addMerchant, openLivePolygon } from './tenants.js';

interface Operation {
  readonly method: string;
  /** With `{id}` in place of an id. */
  readonly path: string;
}
interface Listed {
  readonly data: readonly { readonly id: string }[];
}

const UNAUTHORIZED = { status: 401, code: 'unauthorized' };
const FORBIDDEN = { status: 403, code: 'forbidden' };
const NOT_FOUND = { status: 404, code: 'not_found' };
const INTENTS = '/v1/payment-intents';

let world: World;
let operations: readonly Operation[];
beforeAll(async () => {
  world = await startWorld();
  await openLivePolygon(world);
  const text = await (await fetch(`${world.url}/openapi.json`)).text();
  const document: { readonly paths: Record<string, object> } = JSON.parse(text);
  operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => ({ method: method.toUpperCase(), path })),
  );
});
afterAll(() => world.stop());

/** Operations on a resource that need more than an empty body. */
const SMALLEST_BODIES: Readonly<Record<string, object>> = {
  '/v1/webhook-endpoints/{id}/recover': { since: '2026-01-01' },
};

/** Calls an operation with the smallest valid body. */
const call = (api: ApiClient, { method, path }: Operation, id: string = newId('pi_')) =>
  api.call(
    method,
    path.replace('{id}', id),
    method === 'GET' || method === 'DELETE' ? {} : { body: SMALLEST_BODIES[path] ?? {} },
  );

const NEEDED_SCOPES: Readonly<Record<string, string>> = {
  deliveries: 'webhooks:write',
  'webhook-endpoints': 'webhooks:write',
  withdrawals: 'withdrawals:write',
};

/** Sends exactly these headers; the client would add its own. */
async function withHeaders(headers: Readonly<Record<string, string>>, { method, path }: Operation) {
  const answer = await fetch(world.url + path, { method, headers });
  const text = await answer.text();
  await assertDocumented(world.url, method, path, answer.status, JSON.parse(text));
  return { status: answer.status, headers: answer.headers, text };
}

it('the document names every operation of the merchant API', () => {
  expect(operations.length).toBeGreaterThanOrEqual(20);
  expect(operations.every(({ path }) => path.startsWith('/v1/'))).toBe(true);
});

describe('a request without a valid key', () => {
  it('is 401 unauthorized on every operation, before any other check [spec 4 Authorization] [spec 5 rule 3] [spec 7 unauthorized] [B-27]', async () => {
    for (const operation of operations) {
      const answer = await withHeaders({ 'Content-Type': 'text/plain' }, operation);
      expect([operation, refusalOf(answer)]).toEqual([operation, UNAUTHORIZED]);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  it('is 401 with the same answer for every invalid key [spec 5 rule 1, rule 3] [B-19]', async () => {
    const { apiKey } = world;
    const wrong = [
      `Basic ${Buffer.from(`${apiKey}:`).toString('base64')}`,
      apiKey,
      'Bearer',
      `Bearer  ${apiKey}`,
      `Bearer ${apiKey} ${apiKey}`,
      `Bearer ${apiKey}x`,
      `Bearer ${apiKey.slice(0, -1)}`,
      `Bearer ${apiKey.replace('sk_sb_', 'pk_live_')}`,
      `Bearer ${apiKey.toLowerCase()}`,
      `Bearer ${newApiKey('sandbox')}`,
      `Bearer ${newApiKey('live')}`,
      'Bearer sk_sb_',
    ];
    const answers = await Promise.all(
      wrong.map((header) => withHeaders({ Authorization: header }, { method: 'GET', path: INTENTS })),
    );
    expect(answers.map(refusalOf)).toEqual(wrong.map(() => UNAUTHORIZED));
    expect(new Set(answers.map(({ text }) => text.replace(/req_[0-9a-z]{26}/, 'req'))).size).toBe(1);
    expect((await fetch(`${world.url}${INTENTS}?api_key=${apiKey}`)).status).toBe(401);
  });

  it('is 401 with two headers, and the scheme is read in any case [B-19]', async () => {
    const head = `GET ${INTENTS} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`;
    const line = `Authorization: Bearer ${world.apiKey}\r\n`;
    expect(await sendRaw(world.service.port, `${head}${line}${line}\r\n`)).toMatch(/^HTTP\/1.1 401 [^]*"unauthorized"/);
    expect(await sendRaw(world.service.port, `${head}${line.replace('Bearer', 'bearer')}\r\n`)).toMatch(
      /^HTTP\/1.1 200 /,
    );
  });

  it('is 401 within a second of the revocation [B-24]', async () => {
    const key = await addKey(world, world.merchantId, 'sandbox');
    expect((await key.get(INTENTS)).status).toBe(200);
    await world.database.transaction((tx) => world.service.get(ApiKeysService).revokeKey(tx, key.keyId));
    const revokedAt = performance.now();
    let lastWorkedAt = revokedAt;
    await eventually(
      async () => {
        const askedAt = performance.now();
        const { status } = await key.get(INTENTS);
        if (status === 200) lastWorkedAt = askedAt;
        return status;
      },
      (seen) => seen === 401,
    );
    // Calls are up to 100 ms apart: the next one was made within the second, and refused.
    expect(lastWorkedAt - revokedAt).toBeLessThan(900);
  });
});

describe('a key', () => {
  it('with only the scope read can only read: 403 on every other operation [B-27]', async () => {
    const reader = await addKey(world, world.merchantId, 'sandbox', ['read']);
    for (const operation of operations) {
      const answer = await call(reader, operation);
      if (operation.method === 'GET') expect([200, 404]).toContain(answer.status);
      else expect([operation, refusalOf(answer)]).toEqual([operation, FORBIDDEN]);
    }
  });

  it('needs payments:write for payments, withdrawals:write for withdrawals, webhooks:write for webhooks and deliveries, and read to read [B-27]', async () => {
    const only = async (scope: string) => addKey(world, world.merchantId, 'sandbox', [scope]);
    const keys = new Map<string, ApiClient>();
    for (const scope of ['payments:write', 'withdrawals:write', 'webhooks:write']) keys.set(scope, await only(scope));
    for (const operation of operations.filter(({ method }) => method !== 'GET')) {
      const [, collection = ''] = /^\/v1\/([^/]+)/.exec(operation.path) ?? [];
      const needed = NEEDED_SCOPES[collection] ?? 'payments:write';
      for (const [scope, key] of keys) {
        const { status } = await call(key, operation);
        expect([operation, scope, status !== 403]).toEqual([operation, scope, scope === needed]);
      }
    }
    for (const operation of operations.filter(({ method }) => method === 'GET')) {
      for (const key of keys.values()) expect((await call(key, operation)).status).toBe(403);
    }
  });

  it('is refused for its scope before its idempotency key, and for that before its body', async () => {
    const reader = await addKey(world, world.merchantId, 'sandbox', ['read']);
    const post = { method: 'POST', path: INTENTS };
    const json = { 'Content-Type': 'application/json' };
    const forbidden = await withHeaders({ ...json, Authorization: `Bearer ${reader.apiKey}` }, post);
    expect(refusalOf(forbidden)).toEqual(FORBIDDEN);
    const keyless = await withHeaders({ ...json, Authorization: `Bearer ${world.apiKey}` }, post);
    expect(refusalOf(keyless)).toEqual({ status: 400, code: 'missing_idempotency_key' });
  });

  it('needs an idempotency key on every POST [spec 4 Idempotency-Key] [C-31]', async () => {
    const posts = operations.filter(({ method }) => method === 'POST');
    expect(posts.length).toBeGreaterThanOrEqual(8);
    for (const post of posts) {
      const answer = await withHeaders({ Authorization: `Bearer ${world.apiKey}` }, post);
      expect([post, refusalOf(answer)]).toEqual([post, { status: 400, code: 'missing_idempotency_key' }]);
    }
  });

  it('of live begins with pk_live_ and is a secret key of its own environment [spec 5 rule 1, rule 2] [B-22]', async () => {
    const live = await addKey(world, world.merchantId, 'live');
    expect([world.apiKey.slice(0, 6), live.apiKey.slice(0, 8)]).toEqual(['sk_sb_', 'pk_live_']);
    const intent = await createIntent(live);
    expect(intent).toMatchObject({ environment: 'live', merchant_id: world.merchantId });
    const addressed = await eventually(async () => {
      const { status, body } = await generateAddress(live, intent.id);
      return status === 200 ? body : null;
    });
    expect(await getIntent(live, intent.id)).toEqual(addressed);
  });
});

describe("another merchant's", () => {
  const ids: Record<string, string> = {};
  let strangers: readonly ApiClient[];
  beforeAll(async () => {
    const endpoint = await world.api.post<{ id: string }>('/v1/webhook-endpoints', { url: 'https://example.com/hook' });
    const intent = await intentWithAddress(world.api);
    await world.api.post(`${INTENTS}/${intent.id}/confirm`);
    const firstOf = async (path: string): Promise<string> =>
      eventually(async () => (await world.api.get<Listed>(path)).body.data[0]?.id);
    Object.assign(ids, {
      endpoint: endpoint.body.id,
      intent: intent.id,
      pocket: await firstOf('/v1/pockets'),
      event: await firstOf('/v1/events'),
    });
    const other = await addMerchant(world, 'Other');
    strangers = [
      await addKey(world, other, 'sandbox'),
      await addKey(world, other, 'live'),
      await addKey(world, world.merchantId, 'live'),
    ];
  });

  /** Everything a key can read, without the ids of the requests. */
  const allThatIsSeen = async (api: ApiClient): Promise<string[]> => {
    const lists = operations.filter(({ method, path }) => method === 'GET' && !path.includes('{'));
    const items = [`${INTENTS}/${ids['intent']}`, `/v1/pockets/${ids['pocket']}/entries`];
    const paths = [...lists.map(({ path }) => path), ...items].filter((path) => path !== '/v1/networks');
    return Promise.all(paths.map(async (path) => (await api.get(path)).text));
  };

  it('ids are 404 on every operation, like unknown ones, and have no effect [spec 7 not_found] [B-20] [B-21]', async () => {
    const before = await allThatIsSeen(world.api);
    for (const operation of operations.filter(({ path }) => path.includes('{id}'))) {
      for (const stranger of strangers) {
        const unknown = await call(stranger, operation, newId('pi_'));
        for (const id of Object.values(ids)) {
          const answer = await call(stranger, operation, id);
          expect([operation, id, refusalOf(answer)]).toEqual([operation, id, NOT_FOUND]);
          const plain = (text: string): string => text.replace(/req_[0-9a-z]{26}/, 'req');
          expect(plain(answer.text)).toBe(plain(unknown.text));
        }
      }
    }
    expect(await allThatIsSeen(world.api)).toEqual(before);
  });

  it('data affects no answer and no list of a merchant [B-28]', async () => {
    const before = await allThatIsSeen(world.api);
    for (const stranger of strangers) {
      const intent = await createIntent(stranger, { reference: 'a stranger' });
      await stranger.post(`${INTENTS}/${intent.id}/confirm`);
      await stranger.post('/v1/webhook-endpoints', { url: 'https://example.com/stranger' });
      await eventually(
        async () => (await stranger.get<Listed>('/v1/events')).body.data.length,
        (seen) => seen === 1,
      );
      expect((await stranger.get(INTENTS)).text).not.toContain(ids['intent']);
    }
    expect(await allThatIsSeen(world.api)).toEqual(before);
  });

  it('idempotency key is a different one: scopes differ by merchant, environment and path [C-30]', async () => {
    const idempotencyKey = 'one-for-all';
    const answers = await Promise.all(
      [world.api, ...strangers].map((api) => api.post<{ id: string }>(INTENTS, ORDER, { idempotencyKey })),
    );
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(4);
    const id = answers[0]?.body.id ?? '';
    expect((await generateAddress(world.api, id, idempotencyKey)).status).toBe(200);
  });

  it('sandbox helpers do not exist for a live key, not even for its own intents', async () => {
    const live = await addKey(world, world.merchantId, 'live');
    const own = await createIntent(live);
    const helpers = operations.filter(({ path }) => path.startsWith('/v1/sandbox/'));
    expect(helpers).toHaveLength(2);
    for (const helper of helpers) expect(refusalOf(await call(live, helper, own.id))).toEqual(NOT_FOUND);
    expect((await getIntent(live, own.id)).expires_at).toBe(own.expires_at);
  });
});

it('an unusable key is refused like a missing one [spec 5 rule 3]', async () => {
  for (const key of ['', 'x', '🔑'.repeat(3)]) {
    const answer = await new ApiClient(world.url, encodeURIComponent(key)).get(INTENTS);
    expect(refusalOf(answer)).toEqual(UNAUTHORIZED);
  }
});

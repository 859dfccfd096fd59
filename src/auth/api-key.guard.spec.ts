import { randomUUID } from 'node:crypto';
import { AuthWorld } from '../../test/auth/sample-app.js';
import { type Answer, codeOf, type SampleServer } from '../../test/auth/sample-server.js';
import { newApiKey } from '../domain/api-key.js';
import { SCOPES } from './scopes.js';
import { ApiKeysService, type NewApiKey } from './api-keys.service.js';

const withoutRequestId = ({ text }: Answer): string => text.replace(/req_\w+/, 'req_');

describe('A route behind an API key', () => {
  let world: AuthWorld;
  let server: SampleServer;
  let sandbox: NewApiKey;

  beforeAll(async () => {
    world = await AuthWorld.create();
    server = await world.serve();
    sandbox = await world.key();
  });
  afterAll(() => world.close());

  const authorized = (...values: string[]): Promise<Answer> =>
    server.send(
      'GET',
      '/v1/samples',
      values.flatMap((value) => ['Authorization', value]),
    );

  it('[spec 5] admits a key, and reads merchant and environment from it', async () => {
    const live = await world.key({ environment: 'live' });
    for (const { key, id, merchantId, environment, scopes } of [sandbox, live]) {
      const answer = await server.get('/v1/samples', key);
      expect(answer.status).toBe(200);
      expect(JSON.parse(answer.text)).toEqual({ merchantId, environment, apiKeyId: id, scopes });
    }
    expect((await authorized(`bEARER ${sandbox.key}`)).status).toBe(200);
  });

  it('[B-19] [spec 5] answers 401 with the same body to every invalid key', async () => {
    const revoked = await world.key();
    await world.db.transaction((tx) => new ApiKeysService().revokeKey(tx, revoked.id));
    const bearer = `Bearer ${sandbox.key}`;
    const answers = [
      await authorized(),
      await authorized(''),
      await authorized('Bearer'),
      await authorized(sandbox.key),
      await authorized(`Basic ${sandbox.key}`),
      await authorized(`Bearer  ${sandbox.key}`),
      await authorized(`${bearer}x`),
      await authorized(bearer, bearer),
      await authorized(`${bearer}, ${bearer}`),
      await authorized(`Bearer ${newApiKey('sandbox')}`),
      await authorized(`Bearer ${revoked.key}`),
      await server.send('GET', `/v1/samples?api_key=${sandbox.key}&access_token=${sandbox.key}`),
    ];
    for (const answer of answers) {
      expect([answer.status, codeOf(answer), answer.headers['www-authenticate']]).toEqual([
        401,
        'unauthorized',
        'Bearer',
      ]);
    }
    expect(new Set(answers.map(withoutRequestId)).size).toBe(1);
  });

  it('[B-27] answers 403 to a key without its scope, for every scope', async () => {
    const routes = [
      ['GET', '/v1/samples', 'read'],
      ['POST', '/v1/samples/1/touch', 'payments:write'],
      ['POST', '/v1/withdrawals', 'withdrawals:write'],
      ['POST', '/v1/secrets', 'webhooks:write'],
    ] as const;
    for (const scope of SCOPES) {
      const { key } = await world.key({ environment: 'live', scopes: [scope] });
      for (const [method, path, needed] of routes) {
        const headers = ['Authorization', `Bearer ${key}`, 'Idempotency-Key', randomUUID()];
        const answer = await server.send(method, path, headers);
        if (needed === scope) expect(answer.status).toBeLessThan(300);
        else expect([answer.status, codeOf(answer)]).toEqual([403, 'forbidden']);
      }
    }
  });

  it('[B-22] refuses withdrawals with the default scopes of a live key', async () => {
    const { key } = await world.key({ environment: 'live' });
    expect((await server.post('/v1/withdrawals', key, 'w')).status).toBe(403);
    expect((await server.post('/v1/withdrawals', sandbox.key, 'w')).status).toBe(202);
  });

  it('checks in the documented order: key, scope, rate, idempotency key, body', async () => {
    const strict = await world.serve({}, { RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '2' });
    const reader = await world.key({ scopes: ['read'] });
    const { key } = await world.key();
    const post = (by: string, ...more: string[]): Promise<Answer> =>
      strict.send('POST', '/v1/samples', [...more, 'Authorization', `Bearer ${by}`], 'not json');
    const answers = [
      await post('junk'),
      await post(reader.key),
      await post(key),
      await post(key, 'Idempotency-Key', 'k'),
      await post(key, 'Idempotency-Key', 'k'),
    ];
    expect(answers.map((answer) => [answer.status, codeOf(answer)])).toEqual([
      [401, 'unauthorized'],
      [403, 'forbidden'],
      [400, 'missing_idempotency_key'],
      [415, 'unsupported_media_type'],
      [429, 'rate_limited'],
    ]);
  });

  it('opens public routes and unknown paths to everyone', async () => {
    expect((await server.send('GET', '/hello')).status).toBe(200);
    expect((await server.send('GET', '/v1/unknown')).status).toBe(404);
  });
});

import { type SampleApp, sendRaw, startSampleApp } from '../../test/http/sample-app.js';
import { ErrorBodySchema } from './error-body.js';

let sample: SampleApp;
beforeAll(async () => {
  sample = await startSampleApp();
});
afterAll(() => sample.close());

const AUTH = { authorization: 'Bearer test' };
const POST = { ...AUTH, 'idempotency-key': 'k1', 'content-type': 'application/json' };

/** Sends a request and checks that a refusal has the shape of the error object. */
async function call(path: string, init: RequestInit = {}) {
  const res = await fetch(sample.url + path, { headers: AUTH, ...init });
  const text = await res.text();
  const requestId = res.headers.get('request-id') ?? '';
  expect(requestId).toMatch(/^req_[0-9a-z]{26}$/);
  if (res.ok) return { status: res.status, headers: res.headers, body: JSON.parse(text), error: undefined };
  const { error } = ErrorBodySchema.parse(JSON.parse(text));
  expect(error).toMatchObject({
    request_id: requestId,
    doc_url: `https://pay.example/docs/errors#${error.code}`,
  });
  return { status: res.status, headers: res.headers, body: undefined, error };
}

const post = (path: string, body?: string, headers: Record<string, string> = POST) =>
  call(path, { method: 'POST', headers, ...(body !== undefined && { body }) });

describe('a request', () => {
  it('carries its id and a valid traceparent to the code that runs in it', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const { body, headers } = await call('/v1/things/thing_1', { headers: { ...AUTH, traceparent } });
    expect(body.context).toEqual({ requestId: headers.get('request-id'), traceparent });
  });

  it('is answered with security headers, and under /v1 is never cached', async () => {
    const { headers } = await call('/v1/things/thing_1');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-powered-by')).toBeNull();
  });

  it.each(['*', '"anything"', 'W/"anything"'])('with If-None-Match: %s is answered 200 with the body', async (tag) => {
    const { status, headers, body } = await call('/v1/things/thing_1', { headers: { ...AUTH, 'if-none-match': tag } });
    expect({ status, id: body.id, etag: headers.get('etag') }).toEqual({ status: 200, id: 'thing_1', etag: null });
  });

  it('may say null for an optional field, which means that the field is absent', async () => {
    const raw = '{"amount_cents":5,"kind":null,"reference":null,"metadata":null,"event_types":null}';
    expect((await post('/v1/things', raw)).body).toEqual({ body: { amount_cents: 5, kind: 'small' }, raw, key: 'k1' });
  });

  it.each([
    ['{"amount_cents":null}', 'amount_cents'],
    ['{"amount_cents":5,"unknown":null}', 'unknown'],
    ['{"amount_cents":5,"__proto__":null}', '__proto__'],
    ['{"amount_cents":5,"metadata":{"a":null}}', 'metadata.a'],
  ])('may not say null elsewhere: %s', async (raw, param) => {
    expect((await post('/v1/things', raw)).error).toMatchObject({ code: 'invalid_request', param });
  });

  it('reaches the handler with its parsed body, its exact bytes and its unwrapped key', async () => {
    const raw = '{ "amount_cents": 5, "reference": "né😀" }';
    const { status, body } = await post('/v1/things', raw, { ...POST, 'idempotency-key': '"k2"' });
    expect(status).toBe(201);
    expect(body).toEqual({ body: { amount_cents: 5, kind: 'small', reference: 'né😀' }, raw, key: 'k2' });
  });
});

describe('errors', () => {
  it.each([
    ['/v1/failures/anything', 500, 'internal_error', null],
    ['/v1/failures/database', 503, 'service_unavailable', '2'],
    ['/v1/failures/price', 503, 'price_unavailable', '10'],
    ['/v1/failures/locked', 409, 'pocket_locked', '7'],
    ['/v1/things/thing_2', 404, 'not_found', null],
    ['/v1/nothing', 404, 'not_found', null],
    ['/V1/things', 404, 'not_found', null],
    ['/v1/things/', 404, 'not_found', null],
    ['/v1/things/%E0%A4%A', 400, 'invalid_request', null],
  ])('[A-18] %s is answered %d %s in the one shape', async (path, status, code, retryAfter) => {
    const { error, ...answer } = await call(path);
    expect(answer.status).toBe(status);
    expect(error?.code).toBe(code);
    expect(answer.headers.get('retry-after')).toBe(retryAfter);
    expect(error?.retryable).toBe(retryAfter !== null);
  });

  it('[A-18] reveals nothing of a defect, and logs it with the request id', async () => {
    const { error } = await call('/v1/failures/anything');
    expect(JSON.stringify(error)).not.toMatch(/secret_table|TypeError|\.ts/);
    const line = { request_id: error?.request_id, err: expect.any(TypeError), path: '/v1/failures/anything' };
    expect(sample.logged).toContainEqual(expect.objectContaining(line));
  });

  it('asks for a bearer key', async () => {
    const { status, headers, error } = await call('/v1/things', { headers: {} });
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toBe('Bearer');
    expect(error).toMatchObject({ code: 'unauthorized', type: 'authentication_error' });
  });

  it('aborts an answer that has begun, so that it does not look complete', async () => {
    await expect(
      fetch(`${sample.url}/v1/failures/late`, { headers: AUTH }).then((res) => res.text()),
    ).rejects.toThrow();
  });

  it('a POST that does not declare its body is a defect', async () => {
    const { status } = await call('/v1/things/thing_1', { method: 'PATCH', headers: POST, body: '{}' });
    expect(status).toBe(500);
  });

  it.each(['/v1/things/..%2f', '/v1/things/%2e%2e%2fx', `/v1/things/${'a'.repeat(5000)}`, '/v1/things/a%00b'])(
    '[A-15] a path with a strange id (%#) is 404',
    async (path) => {
      const { status, error } = await call(path);
      expect({ status, code: error?.code }).toEqual({ status: 404, code: 'not_found' });
    },
  );
});

describe('methods', () => {
  it.each(['DELETE', 'PUT', 'OPTIONS'])('[A-16] %s on a list of things is 405 with Allow', async (method) => {
    const { status, headers, error } = await call('/v1/things', { method });
    expect({ status, code: error?.code }).toEqual({ status: 405, code: 'method_not_allowed' });
    expect(headers.get('allow')).toBe('GET, HEAD, POST');
  });

  it('[A-16] TRACE is 405, and an unknown method is not valid HTTP', async () => {
    expect(await sendRaw(sample.port, 'TRACE /v1/things HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1.1 405 [^]*method_not_allowed/,
    );
    expect(await sendRaw(sample.port, 'BREW /v1/things HTTP/1.1\r\nHost: x\r\n\r\n')).toMatch(
      /^HTTP\/1.1 400 [^]*invalid_request/,
    );
  });

  it('[A-16] HEAD answers where GET does, without a body', async () => {
    const res = await fetch(`${sample.url}/v1/things/thing_1`, { method: 'HEAD', headers: AUTH });
    expect({ status: res.status, body: await res.text() }).toEqual({ status: 200, body: '' });
  });

  it('[A-16] a method in a header or in the query changes nothing', async () => {
    const headers = { ...AUTH, 'x-http-method-override': 'DELETE' };
    expect((await call('/v1/things/thing_1', { headers })).status).toBe(200);
    expect((await call('/v1/things/thing_1?_method=DELETE')).error).toMatchObject({ param: '_method' });
  });

  it('an unknown path is 404 for every method', async () => {
    expect((await call('/v1/nothing', { method: 'DELETE' })).status).toBe(404);
  });
});

describe('idempotency keys', () => {
  it.each(['/v1/things', '/v1/things/thing_1/poke'])('[C-31] POST %s needs one', async (path) => {
    const { status, error } = await post(path, '{}', { ...AUTH, 'content-type': 'application/json' });
    expect({ status, code: error?.code }).toEqual({ status: 400, code: 'missing_idempotency_key' });
  });

  it.each(['', 'k'.repeat(256), 'a, b'])('[C-32] refuses an invalid one (%#) before it reads the body', async (key) => {
    const { status, error } = await post('/v1/things', 'no JSON', { ...POST, 'idempotency-key': key });
    expect({ status, code: error?.code }).toEqual({ status: 400, code: 'invalid_idempotency_key' });
  });

  it('[C-32] refuses two headers, and one beyond ASCII', async () => {
    const head = 'POST /v1/things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer test\r\nConnection: close\r\n';
    const twice = `${head}Idempotency-Key: a\r\nIdempotency-Key: a\r\nContent-Length: 0\r\n\r\n`;
    expect(await sendRaw(sample.port, twice)).toContain('"invalid_idempotency_key"');
    const beyond = Buffer.from(`${head}Idempotency-Key: schl\xfcssel\r\nContent-Length: 0\r\n\r\n`, 'latin1');
    expect(await sendRaw(sample.port, beyond)).toContain('"invalid_idempotency_key"');
  });
});

describe('queries', () => {
  it('[A-10] are coerced, defaulted and checked by the schema', async () => {
    expect((await call('/v1/things')).body).toEqual({ limit: 25 });
    expect((await call('/v1/things?limit=100&open=true')).body).toEqual({ limit: 100, open: true });
    const since = await call('/v1/things?created_gte=2026-01-31T02:00:00+02:00');
    expect(since.body).toMatchObject({ created_gte: '2026-01-31T00:00:00.000Z' });
  });

  it.each([
    ['limit=0', 'limit', 'limit must be at least 1.'],
    ['limit=101', 'limit', 'limit must be at most 100.'],
    ['limit=1.5', 'limit', 'limit must be an integer.'],
    ['limit=25abc', 'limit', 'limit must be an integer.'],
    ['limit=1&limit=2', 'limit', 'limit was given more than once.'],
    ['kind=Small', 'kind', 'kind must be one of small, large.'],
    ['created_gte=yesterday', 'created_gte', 'created_gte must be an ISO 8601 date-time with a zone, or a date.'],
    ['starting_after=%00', 'starting_after', 'starting_after must not contain a NUL or half of a surrogate pair.'],
    ['lmit=5', 'lmit', 'lmit is not a known parameter.'],
    ['__proto__=5', '__proto__', '__proto__ is not a known parameter.'],
  ])('[A-10] %s is refused with its param', async (query, param, message) => {
    const { status, error } = await call(`/v1/things?${query}`);
    expect(status).toBe(400);
    expect(error).toMatchObject({ code: 'invalid_request', param, message });
  });

  it('are refused where a route declares none', async () => {
    expect((await call('/v1/things/thing_1?expand=all')).error).toMatchObject({ param: 'expand' });
  });
});

it('after the stop has begun, refuses requests on open connections', async () => {
  const stopping = await startSampleApp();
  stopping.app.getHttpAdapter().beforeClose?.();
  const res = await fetch(`${stopping.url}/v1/things`, { headers: AUTH });
  expect(res.status).toBe(503);
  expect(res.headers.get('connection')).toBe('close');
  expect(ErrorBodySchema.parse(await res.json()).error.code).toBe('service_unavailable');
  await stopping.close();
});

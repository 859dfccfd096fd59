import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { type SampleApp, sendRaw, startSampleApp } from '../../test/http/sample-app.js';
import { ErrorBodySchema } from './error-body.js';
import { BODY_MAX_BYTES } from './read-body.js';

let sample: SampleApp;
beforeAll(async () => {
  sample = await startSampleApp();
});
afterAll(() => sample.close());

const POST = { authorization: 'Bearer test', 'idempotency-key': 'k1', 'content-type': 'application/json' };
const HEAD =
  'POST /v1/things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer test\r\nIdempotency-Key: k\r\nConnection: close\r\n';
const JSON_TYPE = 'Content-Type: application/json\r\n';

async function post(body: string | Buffer | undefined, headers: Record<string, string> = {}, path = '/v1/things') {
  const init = { method: 'POST', headers: { ...POST, ...headers }, ...(body !== undefined && { body }) };
  const res = await fetch(sample.url + path, init);
  const json: unknown = await res.json();
  const { code, param } = res.ok ? {} : ErrorBodySchema.parse(json).error;
  return { status: res.status, ...(code !== undefined && { code }), ...(param !== undefined && { param }) };
}

const padded = (size: number): string => `{"amount_cents":1}${' '.repeat(size - 18)}`;

const chunked = (...chunks: string[]): string =>
  `${chunks.map((chunk) => `${Buffer.byteLength(chunk).toString(16)}\r\n${chunk}\r\n`).join('')}0\r\n\r\n`;

describe('content types and encodings', () => {
  const body = '{"amount_cents":1}';

  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'])(
    '[A-8] takes %s',
    async (type) => {
      expect(await post(body, { 'content-type': type })).toEqual({ status: 201 });
    },
  );

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-16', 'application/jsonx'])(
    '[A-8] refuses %s',
    async (type) => {
      const refused = { status: 415, code: 'unsupported_media_type' };
      expect(await post(body, { 'content-type': type })).toEqual(refused);
    },
  );

  it('[A-8] refuses compressed bodies without reading them', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    const refused = { status: 415, code: 'unsupported_media_type' };
    expect(await post(bomb, { 'content-encoding': 'gzip' })).toEqual(refused);
    expect(await post(body, { 'content-encoding': 'identity' })).toEqual({ status: 201 });
  });

  it('[A-8] refuses a byte order mark, UTF-16 and broken UTF-8', async () => {
    const refused = { status: 400, code: 'invalid_json' };
    expect(await post(`\ufeff${body}`)).toEqual(refused);
    expect(await post(Buffer.from(body, 'utf16le'))).toEqual(refused);
    expect(await post(Buffer.from([0x22, 0xff, 0x22]))).toEqual(refused);
  });

  it('[A-8] reads a chunked body, and asks an empty one for no content type', async () => {
    const chunks = `${HEAD}${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n${chunked('{"amount_', 'cents":1}')}`;
    expect(await sendRaw(sample.port, chunks)).toMatch(/^HTTP\/1.1 201/);
    expect(await sendRaw(sample.port, `${HEAD}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`)).toContain(
      'amount_cents is required.',
    );
    expect(await sendRaw(sample.port, `${HEAD}Transfer-Encoding: chunked\r\n\r\n${chunked(body)}`)).toContain(
      '"unsupported_media_type"',
    );
  });
});

describe('bodies', () => {
  it('[A-9] up to 64 KiB are read, and not a byte more', async () => {
    expect(await post(padded(BODY_MAX_BYTES))).toEqual({ status: 201 });
    expect(await post(padded(BODY_MAX_BYTES + 1))).toEqual({ status: 413, code: 'payload_too_large' });
  });

  it('[A-9] that are larger than their Content-Length, or have none, are cut off at the limit', async () => {
    const endless = `${HEAD}${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n${chunked('[', ' '.repeat(BODY_MAX_BYTES))}`;
    expect(await sendRaw(sample.port, endless)).toMatch(/^HTTP\/1.1 413 [^]*payload_too_large/);
    const announced = `${HEAD}${JSON_TYPE}Content-Length: 99999999999\r\n\r\n[`;
    expect(await sendRaw(sample.port, announced)).toMatch(/^HTTP\/1.1 413 [^]*payload_too_large/);
  });

  it('[A-9] that continue after the refusal end with their connection', async () => {
    const flood = connect(sample.port, '127.0.0.1');
    flood.on('error', () => {});
    const closed = new Promise((resolve) => flood.on('close', resolve));
    flood.write(`${HEAD.replace('close', 'keep-alive')}${JSON_TYPE}Content-Length: 99999999999\r\n\r\n`);
    const pump = (): void => {
      while (!flood.destroyed && flood.write(Buffer.alloc(65_536)));
    };
    flood.on('drain', pump);
    pump();
    await closed;
  });

  it('[A-9] ten thousand levels deep are refused, and so are duplicate keys', async () => {
    expect(await post('['.repeat(10_000) + ']'.repeat(10_000))).toMatchObject({ status: 400 });
    const twice = await post('{"amount_cents":1,"amount_cents":9}');
    expect(twice).toEqual({ status: 400, code: 'invalid_request', param: 'amount_cents' });
  });

  it('[A-1] take integers written in digits only', async () => {
    for (const amount of ['0', '-1', '1.5', '1e3', '"100"', 'null', 'true', '[]', '9007199254740992', '1e400', '{}']) {
      const refused = { status: 400, code: 'invalid_request', param: 'amount_cents' };
      expect(await post(`{"amount_cents":${amount}}`)).toEqual(refused);
    }
    expect(await post('{"amount_cents":NaN}')).toEqual({ status: 400, code: 'invalid_json' });
  });

  it('[A-5] cannot reach a prototype', async () => {
    const polluting = await post('{"amount_cents":1,"__proto__":{"x":1}}');
    expect(polluting).toEqual({ status: 400, code: 'invalid_request', param: '__proto__' });
    expect(Object.prototype).not.toHaveProperty('x');
  });

  it('that stop half way cause no error', async () => {
    const before = sample.logged.length;
    await new Promise<void>((resolve) => {
      const socket = connect(sample.port, '127.0.0.1', () => {
        socket.write(`${HEAD}${JSON_TYPE}Content-Length: 100\r\n\r\n{"am`, () => socket.destroy());
        socket.on('close', () => resolve());
      });
    });
    expect(await post('{"amount_cents":1}')).toEqual({ status: 201 });
    expect(sample.logged).toHaveLength(before);
  });

  it('are not read before authentication', async () => {
    const expecting = `${JSON_TYPE}Expect: 100-continue\r\nContent-Length: 18\r\n\r\n`;
    const anonymous = await sendRaw(sample.port, HEAD.replace('Bearer test', 'Bearer x') + expecting);
    expect(anonymous).toMatch(/^HTTP\/1.1 401/);
    const known = await sendRaw(sample.port, `${HEAD}${expecting}{"amount_cents":1}`);
    expect(known).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 201/);
  });
});

describe('a POST without a body', () => {
  const poke = '/v1/things/thing_1/poke';

  it('takes an empty one of any content type, and {}', async () => {
    expect(await post(undefined, { 'content-type': 'text/csv' }, poke)).toEqual({ status: 200 });
    expect(await post('{}', {}, poke)).toEqual({ status: 200 });
  });

  it('may also be a DELETE', async () => {
    const init = { method: 'DELETE', headers: POST };
    const thing = `${sample.url}/v1/things/thing_1`;
    expect((await fetch(thing, init)).status).toBe(200);
    expect((await fetch(thing, { ...init, body: '{"force":true}' })).status).toBe(400);
  });

  it('refuses anything else', async () => {
    expect(await post('{"a":1}', {}, poke)).toEqual({ status: 400, code: 'invalid_request', param: 'a' });
    expect(await post('[]', {}, poke)).toEqual({ status: 400, code: 'invalid_request' });
    expect(await post('{}', { 'content-type': 'text/csv' }, poke)).toMatchObject({ status: 415 });
  });
});

import { connect } from 'node:net';
import { type SampleApp, sendRaw, startSampleApp } from '../../test/http/sample-app.js';
import { ErrorBodySchema } from './error-body.js';

const HEAD = 'POST /v1/things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer test\r\nIdempotency-Key: k\r\n';

let sample: SampleApp;
beforeAll(async () => {
  sample = await startSampleApp({
    headersTimeoutMs: 200,
    requestTimeoutMs: 400,
    keepAliveTimeoutMs: 100,
    checkIntervalMs: 50,
    maxHeaderBytes: 4_096,
  });
});
afterAll(() => sample.close());

/** Splits what came over the wire and checks that it is one error in the one shape. */
function errorOf(answer: string): { status: number; code: string } {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  const { error } = ErrorBodySchema.parse(JSON.parse(body));
  expect(head).toContain(`Request-Id: ${error.request_id}`);
  return { status: Number(head.split(' ')[1]), code: error.code };
}

describe('the server', () => {
  it('[N-173] lets no client take its time with the headers', async () => {
    const refused = { status: 400, code: 'invalid_request' };
    expect(errorOf(await sendRaw(sample.port, 'GET /v1/things HTTP/1.1\r\nHost: x\r\nX-Slow: '))).toEqual(refused);
  });

  it('[N-173] lets no client take its time with the body', async () => {
    const slow = `${HEAD}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"am`;
    expect(errorOf(await sendRaw(sample.port, slow))).toEqual({ status: 400, code: 'invalid_request' });
  });

  it('[N-173] closes connections that say nothing, before and after a request', async () => {
    const silent = connect(sample.port, '127.0.0.1').on('error', () => {});
    await new Promise((resolve) => silent.resume().on('close', resolve));
    expect(await sendRaw(sample.port, 'GET /v1/nothing HTTP/1.1\r\nHost: x\r\n\r\n')).toMatch(/^HTTP\/1.1 404/);
  });

  it('[N-173] refuses headers beyond the limit', async () => {
    const large = `GET / HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(8_192)}\r\n\r\n`;
    expect(errorOf(await sendRaw(sample.port, large))).toEqual({ status: 413, code: 'payload_too_large' });
  });

  it('answers what is not HTTP, and an expectation it does not know, in the one shape', async () => {
    expect(errorOf(await sendRaw(sample.port, 'hello\r\n\r\n'))).toEqual({ status: 400, code: 'invalid_request' });
    const expecting = 'GET /v1/things HTTP/1.1\r\nExpect: miracles\r\nConnection: close\r\n\r\n';
    expect(await sendRaw(sample.port, expecting)).toMatch(/^HTTP\/1.1 401 [^]*"unauthorized"/);
  });

  it('refuses two lengths, by which a proxy could be told another request than we are', async () => {
    const smuggled = `${HEAD}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`;
    expect(errorOf(await sendRaw(sample.port, smuggled))).toMatchObject({ status: 400 });
  });
});

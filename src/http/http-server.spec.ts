import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type SampleApp, sendRaw, startSampleApp } from '../../test/http/sample-app.js';
import { eventuallyPasses } from '../../test/support/eventually.js';
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

/** A connection that the client leaves open after it has sent the text. */
async function keptAlive({ port }: SampleApp, text: string): Promise<{ socket: Socket; received: () => string }> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  let answer = '';
  socket.setEncoding('utf8').on('data', (more: string) => (answer += more));
  await once(socket, 'connect');
  socket.write(text);
  return { socket, received: () => answer };
}

/** Parses a raw answer and checks that it is one error object. */
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

  it('[N-173] closes silent connections, before and after a request', async () => {
    const silent = connect(sample.port, '127.0.0.1').on('error', () => {});
    await new Promise((resolve) => silent.resume().on('close', resolve));
    expect(await sendRaw(sample.port, 'GET /v1/nothing HTTP/1.1\r\nHost: x\r\n\r\n')).toMatch(/^HTTP\/1.1 404/);
  });

  it('answers over a connection that was idle for longer than headers may take', async () => {
    const other = await startSampleApp({ headersTimeoutMs: 500, checkIntervalMs: 20 });
    const { socket, received } = await keptAlive(other, 'GET /v1/nothing HTTP/1.1\r\nHost: x\r\n\r\n');
    await eventuallyPasses(() => expect(received()).toMatch(/404[^]*\}\}$/));
    await sleep(700);
    socket.write('GET /v1/things HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    await once(socket, 'close');
    expect(received()).toMatch(/404[^]*HTTP\/1.1 401/);
    await other.close();
  });

  it('stops soon after a running answer, although its connection could be kept alive', async () => {
    const other = await startSampleApp();
    const type = 'Content-Type: application/json\r\nContent-Length: 18';
    const { socket, received } = await keptAlive(other, `${HEAD}${type}\r\nExpect: 100-continue\r\n\r\n`);
    await eventuallyPasses(() => expect(received()).toContain('100 Continue'));
    const began = performance.now();
    const closed = other.close();
    socket.write('{"amount_cents":1}');
    await closed;
    expect(received()).toContain('HTTP/1.1 201');
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  it('[N-173] refuses headers beyond the limit', async () => {
    const large = `GET / HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(8_192)}\r\n\r\n`;
    expect(errorOf(await sendRaw(sample.port, large))).toEqual({ status: 413, code: 'payload_too_large' });
  });

  it('answers invalid HTTP and an unknown expectation with the error object', async () => {
    expect(errorOf(await sendRaw(sample.port, 'hello\r\n\r\n'))).toEqual({ status: 400, code: 'invalid_request' });
    const expecting = 'GET /v1/things HTTP/1.1\r\nExpect: miracles\r\nConnection: close\r\n\r\n';
    expect(await sendRaw(sample.port, expecting)).toMatch(/^HTTP\/1.1 401 [^]*"unauthorized"/);
  });

  it('refuses two lengths, with which a proxy and we could read different requests', async () => {
    const smuggled = `${HEAD}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`;
    expect(errorOf(await sendRaw(sample.port, smuggled))).toMatchObject({ status: 400 });
  });
});

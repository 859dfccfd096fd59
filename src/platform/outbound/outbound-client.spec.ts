import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { type Receiver, startRawReceiver, startReceiver } from '../../../test/outbound/receiver-zoo.js';
import { OutboundClient, type OutboundError, type OutboundResponse, type OutboundResult } from './outbound-client.js';
import type { TargetPolicy } from './target-address.js';

const OPEN: TargetPolicy = { environment: 'sandbox', allowPrivate: true };
const KEPT_BYTES = 16 * 1024;
const MEBIBYTE = 1024 * 1024;

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

function clientOf(options: ConstructorParameters<typeof OutboundClient>[0] = {}): OutboundClient {
  const client = new OutboundClient(options);
  cleanups.push(() => client.close());
  return client;
}

async function receiverOf(starting: Promise<Receiver>): Promise<Receiver> {
  const receiver = await starting;
  cleanups.push(() => receiver.close());
  return receiver;
}

function answering(answer: RequestListener): Promise<Receiver> {
  return receiverOf(startReceiver(answer));
}

function talking(onConnection: (socket: Socket) => void): Promise<Receiver> {
  return receiverOf(startRawReceiver(onConnection));
}

/** Writes raw bytes once the request has begun to arrive. */
function replying(bytes: string): Promise<Receiver> {
  return talking((socket) => socket.once('data', () => socket.end(bytes)));
}

function post(client: OutboundClient, { port }: Receiver, body: string | Buffer = '{}'): Promise<OutboundResult> {
  return client.post({ url: `http://127.0.0.1:${port}/hook?x=1`, headers: { 'x-test': 'yes' }, body }, OPEN);
}

function responseOf(result: OutboundResult): OutboundResponse {
  if (result.kind === 'error') throw new Error(`${result.code}: ${result.message}`);
  return result;
}

function errorOf(result: OutboundResult): OutboundError {
  if (result.kind === 'response') throw new Error(`The receiver answered ${result.status}.`);
  return result;
}

describe('OutboundClient.post, answered', () => {
  it('sends the exact bytes and headers, and returns status, headers and body', async () => {
    const receiver = await answering((_request, response) => {
      response.writeHead(200, { 'x-answer': 'a', 'set-cookie': ['b=1', 'c=2'] }).end('grüezi 🧾');
    });
    const body = Buffer.from('{"reference":"Größe 9 🧾"}\r\n');
    const result = responseOf(await post(clientOf(), receiver, body));
    expect(result).toMatchObject({ status: 200, bodyText: 'grüezi 🧾', truncated: false });
    expect(result.headers).toMatchObject({ 'x-answer': 'a', 'set-cookie': 'b=1, c=2' });
    expect(result.durationMs).toBeGreaterThanOrEqual(0);
    expect(receiver.requests).toHaveLength(1);
    expect(receiver.requests[0]).toMatchObject({ method: 'POST', path: '/hook?x=1', headers: { 'x-test': 'yes' } });
    expect(receiver.requests[0]?.body.equals(body)).toBe(true);
  });

  it.each([200, 204, 299, 300, 304, 400, 410, 429, 500, 503])(
    '[J-134] reports status %i as an ordinary answer',
    async (status) => {
      const receiver = await answering((_request, response) =>
        response.writeHead(status, { 'retry-after': '7' }).end(),
      );
      const result = responseOf(await post(clientOf(), receiver));
      expect(result).toMatchObject({ status, bodyText: '' });
      expect(result.headers['retry-after']).toBe('7');
    },
  );

  it('[J-134] waits for the final answer behind informational ones', async () => {
    const receiver = await replying(
      'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 202 Accepted\r\ncontent-length: 2\r\n\r\nok',
    );
    expect(responseOf(await post(clientOf(), receiver))).toMatchObject({ status: 202, bodyText: 'ok' });
  });

  it('reuses its connections for sequential requests', async () => {
    const receiver = await answering((_request, response) => response.end('ok'));
    const client = clientOf();
    for (let sent = 0; sent < 10; sent += 1) responseOf(await post(client, receiver));
    expect(receiver.requests).toHaveLength(10);
    // The second request can come before undici has put the first connection back.
    expect(receiver.connections()).toBeLessThanOrEqual(2);
  });

  it('opens no more connections to one origin than configured', async () => {
    const receiver = await answering((_request, response) => response.end('ok'));
    const client = clientOf({ connectionsPerOrigin: 2 });
    await Promise.all(Array.from({ length: 20 }, async () => responseOf(await post(client, receiver))));
    expect(receiver.requests).toHaveLength(20);
    expect(receiver.connections()).toBe(2);
  });

  it('replaces what a database cannot hold: NUL and bytes that are not UTF-8', async () => {
    const receiver = await answering((_request, response) => {
      response.end(Buffer.from([0x61, 0x00, 0xff, 0xed, 0xa0, 0x80, 0x62]));
    });
    const { bodyText } = responseOf(await post(clientOf(), receiver));
    expect(bodyText).toMatch(/^a\u{FFFD}+b$/u);
    expect(bodyText.isWellFormed()).toBe(true);
  });

  it('[J-131] keeps 16 KiB of a long answer and does not cut a character in two', async () => {
    const receiver = await answering((_request, response) => response.end(`a${'ü'.repeat(KEPT_BYTES)}`));
    const { bodyText, truncated } = responseOf(await post(clientOf(), receiver));
    expect(truncated).toBe(true);
    expect(bodyText).toBe(`a${'ü'.repeat((KEPT_BYTES - 2) / 2)}`);
  });

  it('[J-131] keeps all of an answer of exactly 16 KiB', async () => {
    const receiver = await answering((_request, response) => response.end('a'.repeat(KEPT_BYTES)));
    expect(responseOf(await post(clientOf(), receiver))).toMatchObject({
      bodyText: 'a'.repeat(KEPT_BYTES),
      truncated: false,
    });
  });

  it('[J-131] closes the connection of an endless body after 16 KiB', async () => {
    let written = 0;
    const endless = Promise.withResolvers<void>();
    const receiver = await answering((_request, response) => {
      const chunk = Buffer.alloc(64 * 1024, 'a');
      const pour = (): void => {
        while (!response.destroyed && written < 1024 * MEBIBYTE && response.write(chunk)) written += chunk.length;
      };
      response.on('drain', pour).on('close', endless.resolve);
      pour();
    });
    const result = responseOf(await post(clientOf(), receiver));
    expect(result).toMatchObject({ status: 200, truncated: true });
    expect(result.bodyText).toHaveLength(KEPT_BYTES);
    await endless.promise;
    expect(written).toBeLessThan(32 * MEBIBYTE);
  });

  it('[J-131] does not unpack a gzip bomb', async () => {
    const bomb = gzipSync(Buffer.alloc(8 * MEBIBYTE));
    const receiver = await answering((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    });
    const result = responseOf(await post(clientOf(), receiver));
    expect(result.headers['content-encoding']).toBe('gzip');
    expect(result.bodyText.length).toBeLessThanOrEqual(bomb.length);
    expect(receiver.requests[0]?.headers['accept-encoding']).toBe('identity');
  });

  it('keeps headers that are named like properties of every object', async () => {
    const receiver = await replying(
      'HTTP/1.1 200 OK\r\n__proto__: a\r\n__proto__: b\r\nconstructor: c\r\ncontent-length: 0\r\n\r\n',
    );
    const { headers } = responseOf(await post(clientOf(), receiver));
    expect(Object.entries(headers)).toEqual(expect.arrayContaining([['constructor', 'c']]));
    expect(Object.hasOwn(Object.prototype, '0')).toBe(false);
  });
});

describe('OutboundClient.post, not answered', () => {
  it('[J-131] times out on a receiver that never answers', async () => {
    const receiver = await answering(() => undefined);
    const result = errorOf(await post(clientOf({ timeoutMs: 150 }), receiver));
    expect(result).toMatchObject({ code: 'timeout', message: 'There was no complete answer within 150 ms.' });
    expect(result.durationMs).toBeGreaterThanOrEqual(140);
  });

  it.each([
    ['headers', 'HTTP/1.1 200 OK\r\nx-slow: '],
    ['a body', 'HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n'],
  ])('[J-131] times out on %s that arrive byte by byte, and closes the connection', async (_what, start) => {
    const hungUp = Promise.withResolvers<void>();
    const receiver = await talking((socket) => {
      socket.once('data', () => {
        socket.write(start);
        const drip = setInterval(() => socket.write('a'), 20);
        socket.on('close', () => {
          clearInterval(drip);
          hungUp.resolve();
        });
      });
    });
    expect(errorOf(await post(clientOf({ timeoutMs: 1_000 }), receiver)).code).toBe('timeout');
    await hungUp.promise;
  });

  it('[J-131] times out on a receiver that only sends informational answers', async () => {
    const receiver = await talking((socket) => {
      const drip = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 5);
      socket.on('close', () => clearInterval(drip));
    });
    expect(errorOf(await post(clientOf({ timeoutMs: 150 }), receiver)).code).toBe('timeout');
  });

  it('counts the wait for a connection into the time, and never sends what has timed out', async () => {
    const receiver = await answering(() => undefined);
    const client = new OutboundClient({ timeoutMs: 20, connectionsPerOrigin: 1 });
    const results = Promise.all([post(client, receiver), post(client, receiver)]);
    // Nothing else runs until both deadlines have passed, so neither request has a connection yet.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    expect((await results).map((result) => errorOf(result).code)).toEqual(['timeout', 'timeout']);
    await client.close();
    expect(receiver.requests).toEqual([]);
  });

  it('[J-131] refuses 10,000 headers', async () => {
    const lines = Array.from({ length: 10_000 }, (_, index) => `x-${index}: a\r\n`).join('');
    const receiver = await replying(`HTTP/1.1 200 OK\r\n${lines}\r\n`);
    expect(errorOf(await post(clientOf(), receiver))).toMatchObject({
      code: 'protocol',
      message: "The answer's headers are too large.",
    });
  });

  it('reports an answer that is not HTTP', async () => {
    const receiver = await replying('SSH-2.0-OpenSSH_9.2p1\r\n');
    expect(errorOf(await post(clientOf(), receiver)).code).toBe('protocol');
  });

  it.each([
    ['before the answer', ''],
    ['inside the headers', 'HTTP/1.1 200 OK\r\nx-half: '],
    ['inside the body', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf'],
  ])('reports a connection that is closed %s', async (_when, bytes) => {
    const receiver = await replying(bytes);
    expect(errorOf(await post(clientOf(), receiver)).code).toBe('reset');
  });

  it('reports a connection that is reset', async () => {
    const receiver = await talking((socket) => socket.once('data', () => socket.resetAndDestroy()));
    expect(errorOf(await post(clientOf(), receiver)).code).toBe('reset');
  });

  it('reports a closed port, without naming the address', async () => {
    const gone = await startReceiver(() => undefined);
    await gone.close();
    expect(errorOf(await post(clientOf(), gone))).toMatchObject({
      code: 'connect',
      message: 'The connection could not be established (ECONNREFUSED).',
    });
  });

  it('does not delay other receivers because of a slow one', async () => {
    const [slow, quick] = [await answering(() => undefined), await answering((_request, response) => response.end())];
    const client = clientOf({ timeoutMs: 1_000 });
    const hanging = Promise.all(Array.from({ length: 20 }, () => post(client, slow)));
    expect(await Promise.race([hanging, post(client, quick)])).toMatchObject({ status: 200 });
    for (const result of await hanging) expect(errorOf(result).code).toBe('timeout');
  });

  it('throws what is our own fault: a header that cannot be sent, a client that is closed', async () => {
    const receiver = await answering((_request, response) => response.end());
    const client = new OutboundClient();
    const request = { url: `http://127.0.0.1:${receiver.port}/`, headers: { 'x-bad': 'a\r\nb' }, body: '' };
    await expect(client.post(request, OPEN)).rejects.toThrow('invalid x-bad header');
    await client.close();
    await expect(post(client, receiver)).rejects.toThrow('The client is destroyed');
  });
});

describe('OutboundClient.close', () => {
  it('lets the requests under way end first', async () => {
    const arrived = Promise.withResolvers<() => void>();
    const receiver = await answering((_request, response) => arrived.resolve(() => response.end('late')));
    const client = new OutboundClient();
    const pending = post(client, receiver);
    const answerNow = await arrived.promise;
    const closed = client.close();
    answerNow();
    expect(responseOf(await pending).bodyText).toBe('late');
    await closed;
  });
});

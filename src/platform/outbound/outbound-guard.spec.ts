import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { connect, Socket } from 'node:net';
import { promisify } from 'node:util';
import { type Receiver, startReceiver } from '../../../test/outbound/receiver-zoo.js';
import { refuseForbiddenPeer } from './address-guard.js';
import { guardedConnector } from './guarded-connector.js';
import type { NameResolver } from './name-resolver.js';
import { OutboundClient } from './outbound-client.js';
import type { TargetPolicy } from './target-address.js';

const STRICT: TargetPolicy = { environment: 'sandbox', allowPrivate: false };
const OPEN: TargetPolicy = { environment: 'sandbox', allowPrivate: true };
const LIVE: TargetPolicy = { environment: 'live', allowPrivate: true };

const PUBLIC: LookupAddress = { address: '93.184.216.34', family: 4 };
const PUBLIC_IPV6: LookupAddress = { address: '2606:4700:4700::1111', family: 6 };
const LOOPBACK: LookupAddress = { address: '127.0.0.1', family: 4 };
const METADATA: LookupAddress = { address: '169.254.169.254', family: 4 };

const REFUSED = { kind: 'error', code: 'refused_target' };

/** An internal service that no refused request may as much as connect to. */
let canary: Receiver;
let client: OutboundClient;
/** What each lookup in turn answers; the last answer is repeated. */
let answers: LookupAddress[][];
let lookups: number;

const resolve: NameResolver = async () => answers[Math.min(lookups++, answers.length - 1)] ?? [];

beforeEach(async () => {
  canary = await startReceiver((_request, response) => response.end('secret'));
  client = new OutboundClient({ resolve, timeoutMs: 5_000 });
  answers = [[LOOPBACK]];
  lookups = 0;
});

afterEach(async () => {
  await client.close();
  await canary.close();
});

function postTo(host: string, policy: TargetPolicy, scheme = 'http') {
  return client.post({ url: `${scheme}://${host}:${canary.port}/`, headers: {}, body: '{}' }, policy);
}

describe('the guard on targets', () => {
  it('[J-128] refuses at the connection a name that pointed to a public address when it was registered', async () => {
    answers = [[PUBLIC], [LOOPBACK]];
    const url = new URL(`https://rebind.test:${canary.port}/`);
    await client.assertTargetAllowed(url, LIVE);
    expect(await postTo('rebind.test', LIVE, 'https')).toMatchObject(REFUSED);
    expect(await postTo('rebind.test', STRICT)).toMatchObject(REFUSED);
    expect(canary.connections()).toBe(0);
  });

  it.each([
    ['the private one last', [PUBLIC, PUBLIC_IPV6, LOOPBACK]],
    ['the private one first', [LOOPBACK, PUBLIC]],
    ['cloud metadata among them', [PUBLIC, METADATA]],
  ])('[J-128] refuses a name with public and private addresses, %s', async (_order, addresses) => {
    answers = [addresses];
    expect(await postTo('mixed.test', STRICT)).toMatchObject(REFUSED);
    await expect(client.assertTargetAllowed(new URL('https://mixed.test/'), STRICT)).rejects.toMatchObject({
      code: 'invalid_request',
      details: { param: 'url' },
    });
    expect(canary.connections()).toBe(0);
  });

  it('[J-128] dials the addresses it has checked, without a second lookup', async () => {
    answers = [[LOOPBACK], [METADATA]];
    expect(await postTo('once.test', OPEN)).toMatchObject({ kind: 'response', bodyText: 'secret' });
    expect(lookups).toBe(1);
    expect(canary.requests[0]?.headers.host).toBe(`once.test:${canary.port}`);
  });

  it('[J-128] sends nothing when the far end is not what was checked, however that came about', async () => {
    let reads = 0;
    const shifting: LookupAddress = {
      family: 4,
      get address() {
        return reads++ === 0 ? PUBLIC.address : LOOPBACK.address;
      },
    };
    answers = [[shifting]];
    expect(await postTo('shifting.test', STRICT)).toMatchObject(REFUSED);
    expect(canary.connections()).toBe(1);
    expect(canary.requests).toEqual([]);
  });

  it('[J-128] checks the remote address again when the connection is established', async () => {
    const socket = connect(canary.port, '127.0.0.1');
    await once(socket, 'connect');
    refuseForbiddenPeer(socket, OPEN);
    expect(() => refuseForbiddenPeer(socket, STRICT)).toThrow('private, local or reserved');
    expect(socket.destroyed).toBe(true);
    expect(() => refuseForbiddenPeer(new Socket(), OPEN)).toThrow('private, local or reserved');
  });

  it('never lets a strict request use a connection that the open policy has made', async () => {
    expect(await postTo('127.0.0.1', OPEN)).toMatchObject({ kind: 'response' });
    expect(await postTo('127.0.0.1', STRICT)).toMatchObject(REFUSED);
    expect(await postTo('warm.test', OPEN)).toMatchObject({ kind: 'response' });
    expect(await postTo('warm.test', STRICT)).toMatchObject(REFUSED);
    expect(canary.requests).toHaveLength(2);
  });

  it.each([
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '127.1',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::1]',
    '[::]',
    '0.0.0.0',
    'localhost',
    'localhost.',
    '１２７.０.０.１',
    'user:secret@127.0.0.1',
  ])('[J-127] refuses http://%s at the connection too', async (host) => {
    expect(await postTo(host, STRICT)).toMatchObject(REFUSED);
    expect(await postTo(host, LIVE, 'https')).toMatchObject(REFUSED);
    expect(canary.connections()).toBe(0);
  });

  it.each(['127.0.0.1', '::1', '::ffff:127.0.0.1', '0.0.0.0'])(
    '[J-127] does not open a connection to the literal %s, for which Node asks no resolver',
    async (hostname) => {
      const connector = guardedConnector({ policy: STRICT, resolve, timeoutMs: 5_000 });
      const port = String(canary.port);
      const opening = promisify(connector)({ hostname, host: hostname, port, protocol: 'http:' });
      await expect(opening).rejects.toMatchObject({ code: 'refused_target' });
      expect(lookups).toBe(0);
      expect(canary.connections()).toBe(0);
    },
  );

  it('[J-130] refuses plain http for live at the connection too', async () => {
    answers = [[PUBLIC]];
    expect(await postTo('public.test', LIVE)).toMatchObject({
      ...REFUSED,
      message: expect.stringContaining('https://'),
    });
    expect(lookups).toBe(0);
  });

  it.each([301, 302, 303, 307, 308])('[J-129] does not follow a %i to another place', async (status) => {
    const receiver = await startReceiver((_request, response) => {
      response.writeHead(status, { location: `http://127.0.0.1:${canary.port}/internal` }).end();
    });
    const url = `http://127.0.0.1:${receiver.port}/`;
    const result = await client.post({ url, headers: {}, body: '{}' }, OPEN);
    await receiver.close();
    expect(result).toMatchObject({ kind: 'response', status });
    expect(receiver.requests).toHaveLength(1);
    expect(canary.connections()).toBe(0);
  });

  it('hides addresses that our resolver found from the merchant', async () => {
    answers = [[{ address: '10.11.12.13', family: 4 }]];
    expect(JSON.stringify(await postTo('inside.test', STRICT))).not.toContain('10.11.12.13');
  });
});

const failing: NameResolver = () => Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }));

describe('names that do not resolve', () => {
  it.each([
    ['an error', failing, 'The host name could not be resolved (ENOTFOUND).'],
    ['no address', async () => [], 'The host name has no address.'],
  ])('are reported when the resolver has %s', async (_what, resolver: NameResolver, message) => {
    const nameless = new OutboundClient({ resolve: resolver });
    const result = await nameless.post({ url: 'https://gone.test/', headers: {}, body: '' }, LIVE);
    expect(result).toMatchObject({ kind: 'error', code: 'dns', message });
    await nameless.close();
  });

  it('may be registered, for every connection asks again', async () => {
    const nameless = new OutboundClient({ resolve: failing });
    await expect(nameless.assertTargetAllowed(new URL('https://soon.test/'), LIVE)).resolves.toBeUndefined();
    await nameless.close();
  });

  it('count the time of a resolver that never answers', async () => {
    const mute = new OutboundClient({ resolve: () => new Promise<never>(() => undefined), timeoutMs: 100 });
    const result = await mute.post({ url: 'https://mute.test/', headers: {}, body: '' }, LIVE);
    expect(result).toMatchObject({ kind: 'error', code: 'timeout' });
    await mute.close();
  });
});

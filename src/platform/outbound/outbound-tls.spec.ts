import type { ServerOptions } from 'node:https';
import type { Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { EXPIRED_CERTIFICATE, VALID_CERTIFICATE } from '../../../test/outbound/certificates.js';
import { startRawReceiver, startReceiver } from '../../../test/outbound/receiver-zoo.js';
import { OutboundClient, type OutboundResult } from './outbound-client.js';

const OPEN = { environment: 'sandbox', allowPrivate: true } as const;

const client = new OutboundClient({ resolve: async () => [{ address: '127.0.0.1', family: 4 }], timeoutMs: 5_000 });

afterAll(() => client.close());

function postTo(port: number, host: string): Promise<OutboundResult> {
  return client.post({ url: `https://${host}:${port}/`, headers: {}, body: '{}' }, OPEN);
}

async function postOnce(tls: ServerOptions, host = 'receiver.test'): Promise<OutboundResult> {
  const receiver = await startReceiver((_request, response) => response.end('ok'), tls);
  const result = await postTo(receiver.port, host);
  await receiver.close();
  if (result.kind === 'error') expect(receiver.requests).toEqual([]);
  return result;
}

describe('TLS to a receiver whose certificate is not trusted', () => {
  it('[J-132] refuses a self-signed certificate', async () => {
    expect(await postOnce(VALID_CERTIFICATE)).toMatchObject({
      kind: 'error',
      code: 'tls',
      message: 'The TLS connection could not be established (DEPTH_ZERO_SELF_SIGNED_CERT).',
    });
  });

  it.each<[string, (socket: Socket) => void]>([
    ['another protocol', (socket) => socket.end('SSH-2.0-OpenSSH_9.2p1\r\n')],
    ['a close', (socket) => socket.end()],
    ['a reset', (socket) => socket.resetAndDestroy()],
  ])('[J-132] reports %s in place of a handshake', async (_what, answer) => {
    const receiver = await startRawReceiver((socket) => socket.once('data', () => answer(socket)));
    expect(await postTo(receiver.port, 'receiver.test')).toMatchObject({ kind: 'error', code: 'tls' });
    await receiver.close();
  });

  it('[J-131] times out on a handshake that is never answered', async () => {
    const receiver = await startRawReceiver(() => undefined);
    const hasty = new OutboundClient({ timeoutMs: 150 });
    const url = `https://127.0.0.1:${receiver.port}/`;
    expect(await hasty.post({ url, headers: {}, body: '' }, OPEN)).toMatchObject({ kind: 'error', code: 'timeout' });
    await hasty.close();
    await receiver.close();
  });
});

describe('TLS to a receiver whose certificate is trusted', () => {
  const before = getCACertificates('default');

  beforeAll(() => setDefaultCACertificates([...before, VALID_CERTIFICATE.cert, EXPIRED_CERTIFICATE.cert]));
  afterAll(() => setDefaultCACertificates(before));

  it('[J-132] delivers when name and time are right', async () => {
    expect(await postOnce(VALID_CERTIFICATE)).toMatchObject({ kind: 'response', status: 200, bodyText: 'ok' });
  });

  it('[J-132] reuses its TLS connections', async () => {
    const receiver = await startReceiver((_request, response) => response.end('ok'), VALID_CERTIFICATE);
    for (let sent = 0; sent < 10; sent += 1) await postTo(receiver.port, 'receiver.test');
    await receiver.close();
    expect(receiver.requests).toHaveLength(10);
    expect(receiver.connections()).toBeLessThanOrEqual(2);
  });

  it.each([
    ['another name', VALID_CERTIFICATE, 'other.test', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['an address the certificate does not list', VALID_CERTIFICATE, '127.0.0.1', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['an expired certificate', EXPIRED_CERTIFICATE, 'receiver.test', 'CERT_HAS_EXPIRED'],
  ])('[J-132] refuses %s', async (_what, certificate, host, code) => {
    expect(await postOnce(certificate, host)).toMatchObject({
      kind: 'error',
      code: 'tls',
      message: `The TLS connection could not be established (${code}).`,
    });
  });

  it.each(['TLSv1', 'TLSv1.1'] as const)('[J-132] refuses %s', async (version) => {
    const old = { minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' };
    expect(await postOnce({ ...VALID_CERTIFICATE, ...old })).toMatchObject({
      kind: 'error',
      code: 'tls',
      message: expect.stringContaining('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION'),
    });
  });

  it('[J-132] reports a connection that is dropped after the handshake', async () => {
    const receiver = await startReceiver(({ socket }) => socket.destroy(), VALID_CERTIFICATE);
    expect(await postTo(receiver.port, 'receiver.test')).toMatchObject({ kind: 'error', code: 'reset' });
    await receiver.close();
  });

  it('[J-132] reports a receiver that asks for a client certificate', async () => {
    const result = await postOnce({ ...VALID_CERTIFICATE, requestCert: true, rejectUnauthorized: true });
    expect(result).toMatchObject({ kind: 'error', code: expect.stringMatching(/^(tls|reset)$/) });
  });
});

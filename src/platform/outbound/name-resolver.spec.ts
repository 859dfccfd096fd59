import { startNameServer } from '../../../test/outbound/name-server.js';
import { dnsResolver, systemResolver } from './name-resolver.js';
import { OutboundClient } from './outbound-client.js';

const LIVE = { environment: 'live', allowPrivate: false } as const;

describe('dnsResolver', () => {
  it('returns the addresses of a name with only one address family', async () => {
    const server = await startNameServer({ ipv4: '93.184.216.34' });
    expect(await dnsResolver({ servers: [server.address] })('receiver.test')).toEqual([
      { address: '93.184.216.34', family: 4 },
    ]);
    await server.close();
  });

  it('rejects a name that does not exist', async () => {
    const server = await startNameServer('no such name');
    await expect(dnsResolver({ servers: [server.address] })('gone.test')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    await server.close();
  });

  it('[J-128] refuses the private address that a real name server returns', async () => {
    const server = await startNameServer({ ipv4: '10.0.0.1' });
    const client = new OutboundClient({ resolve: dnsResolver({ servers: [server.address] }) });
    const result = await client.post({ url: 'https://inside.test/', headers: {}, body: '' }, LIVE);
    expect(result).toMatchObject({ kind: 'error', code: 'refused_target' });
    await client.close();
    await server.close();
  });

  it('ends by the deadline of the request when the name server is silent', async () => {
    const server = await startNameServer('silence');
    const resolve = dnsResolver({ servers: [server.address], queryTimeoutMs: 250 });
    const client = new OutboundClient({ resolve, timeoutMs: 100 });
    const result = await client.post({ url: 'https://mute.test/', headers: {}, body: '' }, LIVE);
    expect(result).toMatchObject({ kind: 'error', code: 'timeout' });
    await client.close();
    await server.close();
  });
});

describe('systemResolver', () => {
  it('resolves the names of this machine', async () => {
    expect(await systemResolver('localhost')).toContainEqual(expect.objectContaining({ address: '127.0.0.1' }));
  });
});

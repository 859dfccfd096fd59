import { developmentProfile, networkProfile } from './networks.js';
import { ChainRegistry, type ChainSource } from './registry.js';

describe('ChainRegistry', () => {
  const contract = '0x5fbdb2315678afecb367f032d93f642f64180aa3';
  const sandboxBnb: ChainSource = {
    profile: developmentProfile({ network: 'bnb', chainId: '31337', contracts: { USDC: contract } }),
    rpcUrls: ['http://127.0.0.1:1', 'http://127.0.0.1:2'],
  };
  const livePolygon: ChainSource = { profile: profileOf('live', 'polygon'), rpcUrls: ['http://127.0.0.1:3'] };

  it('finds the chain of an environment and network, with each of its nodes', async () => {
    const registry = new ChainRegistry([sandboxBnb, livePolygon]);
    expect(registry.get('sandbox', 'bnb')?.profile).toBe(sandboxBnb.profile);
    expect(registry.get('sandbox', 'bnb')?.nodes.reports()).toMatchObject([
      { label: 'http://127.0.0.1:1', breaker: 'closed', identity: 'unknown', latencyMs: null, lastError: null },
      { label: 'http://127.0.0.1:2' },
    ]);
    expect(registry.get('sandbox', 'polygon')).toBeNull();
    expect(registry.all().map(({ profile }) => profile)).toEqual([sandboxBnb.profile, livePolygon.profile]);
    await registry.close();
  });

  it('labels two accounts at one provider differently, without their keys', async () => {
    const rpcUrls = ['https://rpc.example/v3/0123456789abcdef', 'https://user:word@rpc.example/v3/fedcba9876543210'];
    const registry = new ChainRegistry([{ ...livePolygon, rpcUrls }]);
    const labels = registry
      .get('live', 'polygon')
      ?.nodes.reports()
      .map(({ label }) => label);
    expect(labels).toEqual(['https://rpc.example', 'https://rpc.example (2)']);
    await registry.close();
  });

  it('reads Tron by blocks, and pays nothing there', async () => {
    const profile = developmentProfile({ network: 'tron', chainId: '00'.repeat(32), contracts: {} });
    const registry = new ChainRegistry([{ profile, rpcUrls: ['http://127.0.0.1:1'] }]);
    expect(registry.get('sandbox', 'tron')).toMatchObject({ reading: 'blocks', payers: null });
    await registry.close();
  });

  it('refuses a chain named twice and one without a URL', () => {
    expect(() => new ChainRegistry([livePolygon, livePolygon])).toThrow(
      'The live chain of polygon is configured twice.',
    );
    expect(() => new ChainRegistry([{ ...livePolygon, rpcUrls: [] }])).toThrow('has no URL');
  });
});

function profileOf(...[environment, network]: Parameters<typeof networkProfile>) {
  const profile = networkProfile(environment, network);
  if (profile === null) throw new Error(`${network} is enabled`);
  return profile;
}

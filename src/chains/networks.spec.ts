import { getAddress } from 'ethers';
import { addressFamilyOf, EVM_NETWORKS, NATIVE_COIN, NETWORKS } from '../domain/network.js';
import { addressFormOf } from '../domain/address-form.js';
import { decodeBase58 } from '../domain/base58.js';
import { developmentProfile, NETWORK_PROFILES, networkProfile, tokenContracts } from './networks.js';

describe('the catalogue of networks', () => {
  it.each([
    ['live', 'ethereum', '1', 'USDC', '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', 6],
    ['live', 'ethereum', '1', 'USDT', '0xdAC17F958D2ee523a2206206994597C13D831ec7', 6],
    ['live', 'polygon', '137', 'USDC', '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', 6],
    ['live', 'polygon', '137', 'USDT', '0xc2132D05D31c914a87C6611C10748AEb04B58e8F', 6],
    ['live', 'bnb', '56', 'USDC', '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d', 18],
    ['live', 'bnb', '56', 'USDT', '0x55d398326f99059fF775485246999027B3197955', 18],
    ['sandbox', 'ethereum', '11155111', 'USDC', '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238', 6],
    ['sandbox', 'polygon', '80002', 'USDC', '0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582', 6],
    ['sandbox', 'bnb', '97', 'USDC', '0x64544969ed7EBf5f083679233325356EbE738930', 18],
  ] as const)('[E-60] offers on %s %s (chain %s) the %s at %s with %i decimals', (...row) => {
    const [environment, network, chainId, symbol, contract, decimals] = row;
    const profile = networkProfile(environment, network);
    expect(profile).toMatchObject({ environment, network, chainId, addressFamily: addressFamilyOf(network) });
    const token = profile?.tokens.find((candidate) => candidate.symbol === symbol);
    expect(token).toEqual({ symbol, contract: contract.toLowerCase(), decimals, minorUnitExponent: 2 });
    // The checksum in the published spelling catches a mistyped digit.
    expect(getAddress(token?.contract ?? '')).toBe(contract);
  });

  it.each([
    ['live', '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d', 'USDC', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'],
    ['live', '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d', 'USDT', 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'],
    ['sandbox', 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG', 'USDC', '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU'],
  ] as const)('[E-60] offers on %s solana (genesis %s) the %s at %s with 6 decimals', (...row) => {
    const [environment, chainId, symbol, contract] = row;
    const profile = networkProfile(environment, 'solana');
    expect(profile).toMatchObject({ environment, chainId, addressFamily: 'solana' });
    const token = profile?.tokens.find((candidate) => candidate.symbol === symbol);
    expect(token).toEqual({ symbol, contract, decimals: 6, minorUnitExponent: 2 });
    expect([chainId, contract].map((text) => decodeBase58(text)?.length)).toEqual([32, 32]);
  });

  it.each([
    ['live', '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
    [
      'sandbox',
      '0000000000000000d698d4192c56cb6be724a558448e2684802de4d6cd8690dc',
      'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf',
    ],
  ] as const)('[E-60] offers on %s tron (block 0 %s) the USDT at %s with 6 decimals, and no USDC', (...row) => {
    const [environment, chainId, contract] = row;
    const profile = networkProfile(environment, 'tron');
    expect(profile).toMatchObject({ environment, chainId, addressFamily: 'tron' });
    expect(profile?.tokens.slice(0, -1)).toEqual([{ symbol: 'USDT', contract, decimals: 6, minorUnitExponent: 2 }]);
    // The checksum catches a mistyped digit.
    expect(addressFormOf(contract).family).toBe('tron');
  });

  it.each([
    ['ethereum', 'ETH'],
    ['polygon', 'POL'],
    ['bnb', 'BNB'],
    ['solana', 'SOL'],
    ['tron', 'TRX'],
  ] as const)("[E-60] offers on %s the chain's own coin, %s, and nothing else beside the tokens", (network, symbol) => {
    const decimals = { solana: 9, tron: 6 }[network as string] ?? 18;
    const coin = {
      symbol,
      contract: NATIVE_COIN,
      decimals,
      minorUnitExponent: Math.min(8, decimals),
      ...(network === 'solana' && { minimumAmount: 890_880n }),
    };
    expect(networkProfile('live', network)?.tokens.slice(network === 'tron' ? 1 : 2)).toEqual([coin]);
    expect(networkProfile('sandbox', network)?.tokens.slice(1)).toEqual([coin]);
  });

  it('requires a depth of 32 on ethereum and polygon, 15 on bnb and none on solana and tron, in addition to the finalized tag', () => {
    const depths = NETWORK_PROFILES.map(({ network, finality }) => [network, finality.minDepth]);
    const perEnvironment = [
      ['ethereum', 32],
      ['polygon', 32],
      ['bnb', 15],
      ['solana', 0],
      ['tron', 0],
    ];
    expect(depths).toEqual([...perEnvironment, ...perEnvironment]);
  });

  it('expects final blocks 64 below the head on ethereum, 32 on solana, 19 on tron, and at the required depth elsewhere', () => {
    const depths = NETWORK_PROFILES.map(({ network, usualFinalityDepth }) => [network, usualFinalityDepth]);
    expect(Object.fromEntries(depths)).toEqual({ ethereum: 64, polygon: 32, bnb: 15, solana: 32, tron: 19 });
  });

  it('has every network in both environments, no chain id twice, and no other network', () => {
    const rows = NETWORK_PROFILES.map(({ environment, network }) => `${environment} ${network}`);
    expect(rows).toEqual(['live', 'sandbox'].flatMap((scope) => NETWORKS.map((network) => `${scope} ${network}`)));
    expect(new Set(NETWORK_PROFILES.map(({ chainId }) => chainId)).size).toBe(NETWORK_PROFILES.length);
  });

  it('[G-95] distinguishes the native USDC of polygon from the bridged one, whatever its symbol', () => {
    const polygon = networkProfile('live', 'polygon');
    if (polygon === null) throw new Error('polygon is enabled');
    // The coin is not among them: it has no contract.
    expect(tokenContracts(polygon)).toEqual([
      '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359',
      '0xc2132d05d31c914a87c6611c10748aeb04b58e8f',
    ]);
  });
});

describe('a development chain', () => {
  const contract = '0x5FbDB2315678afecb367f032d93F642f64180aa3';

  it.each(EVM_NETWORKS)(
    'simulates %s with the decimals of the live token, one block a second and quick finality',
    (network) => {
      const profile = developmentProfile({ network, chainId: '31337', contracts: { USDT: contract } });
      expect(profile).toMatchObject({ environment: 'sandbox', network, chainId: '31337', blockIntervalMs: 1_000 });
      expect(profile.finality.minDepth).toBe(network === 'ethereum' ? 0 : 3);
      expect(profile.usualFinalityDepth).toBe(network === 'ethereum' ? 2 : 3);
      expect(profile.tokens).toEqual([
        {
          symbol: 'USDT',
          contract: contract.toLowerCase(),
          decimals: network === 'bnb' ? 18 : 6,
          minorUnitExponent: 2,
        },
        networkProfile('live', network)?.tokens.at(-1),
      ]);
    },
  );

  it('simulates tron with TRX in millionths, in pockets too, and with USDC, which is not listed on the live network', () => {
    const contracts = { USDT: 'TXLAQ63Xg1NAzckPwKHvzw7CSEmLMEqcdj', USDC: 'TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8' };
    const { tokens, quietGraceMs } = developmentProfile({ network: 'tron', chainId: '00'.repeat(32), contracts });
    expect(tokens).toEqual([
      { symbol: 'USDT', contract: contracts.USDT, decimals: 6, minorUnitExponent: 2 },
      { symbol: 'USDC', contract: contracts.USDC, decimals: 6, minorUnitExponent: 2 },
      { symbol: 'TRX', contract: 'native', decimals: 6, minorUnitExponent: 6 },
    ]);
    expect(quietGraceMs).toBeNull();
  });

  it('simulates solana with the decimals and the letters of its mints', () => {
    const mint = 'GYUbjc8XZSbz8K21zBasax5SFH2bsy1Z1eBJeSE8Zhce';
    const profile = developmentProfile({ network: 'solana', chainId: mint, contracts: { USDC: mint } });
    expect(profile.tokens).toEqual([
      { symbol: 'USDC', contract: mint, decimals: 6, minorUnitExponent: 2 },
      networkProfile('live', 'solana')?.tokens.at(-1),
    ]);
    // Its blocks come whether something happens or not: silence means that the node is stuck.
    expect(profile).toMatchObject({ usualFinalityDepth: 8, quietGraceMs: null });
  });

  it.each(['DOGE', 'BNB'])('refuses %s, which the live network does not offer as a token', (symbol) => {
    const chain = { network: 'bnb', chainId: '31337', contracts: { [symbol]: contract } } as const;
    expect(() => developmentProfile(chain)).toThrow(`The bnb network has no token ${symbol}`);
  });
});

import { paymentUri, type EvmTokenRequest } from './payment-uri.js';

const request: EvmTokenRequest = {
  family: 'evm',
  chainId: '137',
  token: '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359',
  to: '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed',
  units: 25_000_000n,
};

describe('paymentUri', () => {
  it('[spec 2.1] asks a wallet for a token transfer by EIP-681, with checksummed addresses', () => {
    expect(paymentUri(request)).toBe(
      'ethereum:0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359@137/transfer' +
        '?address=0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed&uint256=25000000',
    );
  });

  it('[A-2] writes an amount of 18 decimals in full, without an exponent', () => {
    expect(paymentUri({ ...request, units: 10n ** 30n })).toContain(`&uint256=1${'0'.repeat(30)}`);
  });

  it.each([
    ['no amount', { units: 0n }],
    ['a token that is no address', { token: 'USDC' }],
    ['the zero address', { to: `0x${'0'.repeat(40)}` }],
    ['a chain id that is no chain', { chainId: '0' }],
    ['a chain id in hex', { chainId: '0x89' }],
  ])('refuses %s', (_name, part) => {
    expect(() => paymentUri({ ...request, ...part })).toThrow(RangeError);
  });
});

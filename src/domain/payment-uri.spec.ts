import { NATIVE_COIN } from './network.js';
import { paymentUri, type EvmPaymentRequest } from './payment-uri.js';

const request: EvmPaymentRequest = {
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

  it("[spec 2.1] asks a wallet for the chain's own coin by its value in wei", () => {
    expect(paymentUri({ ...request, chainId: '1', token: NATIVE_COIN, units: 8_333_333_333_333_334n })).toBe(
      'ethereum:0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed@1?value=8333333333333334',
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
    ['the coin to the zero address', { token: NATIVE_COIN, to: `0x${'0'.repeat(40)}` }],
    ['no amount of the coin', { token: NATIVE_COIN, units: 0n }],
    ['a chain id in hex', { chainId: '0x89' }],
  ])('refuses %s', (_name, part) => {
    expect(() => paymentUri({ ...request, ...part })).toThrow(RangeError);
  });
});

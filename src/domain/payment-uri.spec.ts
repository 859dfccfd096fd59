import { NATIVE_COIN } from './network.js';
import { paymentUri, type PaymentRequest } from './payment-uri.js';

const request: PaymentRequest = {
  family: 'evm',
  chainId: '137',
  token: '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359',
  decimals: 6,
  to: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
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
    ['a token', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 6, 25_000_001n, '25.000001&spl-token=EPjFWdd5'],
    ['less than one of a token', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 6, 1n, '0.000001&spl-token=EPjFWdd5'],
    ["the chain's own coin", NATIVE_COIN, 9, 1_666_666_667n, '1.666666667'],
  ])('[spec 2.1] asks a wallet for %s by Solana Pay, exactly', (_what, token, decimals, units, expected) => {
    const to = 'DRpbCBMxVnDK7maPM5tGv6MvB3v1sRMC86PZ8okm21hy';
    const uri = paymentUri({ family: 'solana', chainId: 'genesis', token, decimals, to, units });
    expect(uri.startsWith(`solana:${to}?amount=${expected}`)).toBe(true);
    expect(uri.endsWith(token === NATIVE_COIN ? expected : `&spl-token=${token}`)).toBe(true);
  });

  it.each(['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', NATIVE_COIN])(
    '[spec 2.1] shows the address alone for %s on tron, because its wallets agree on nothing else',
    (token) => {
      const to = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8';
      const uri = paymentUri({ family: 'tron', chainId: 'genesis', token, decimals: 6, to, units: 25_500_000n });
      expect(uri).toBe(to);
    },
  );

  it('[L-158] shows a recipient whose letters went bad in our tables, so that its list can be read', () => {
    const to = '0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
    expect(paymentUri({ ...request, to })).toContain(`?address=${to}&`);
  });

  it.each<[string, Partial<PaymentRequest>]>([
    ['no amount', { units: 0n }],
    ['a token that is no address', { token: 'USDC' }],
    ['a recipient that is no address', { to: 'vitalik.eth' }],
    ['a recipient of another family', { family: 'solana' }],
    ['a recipient of another family', { to: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8' }],
    ['the zero address', { to: `0x${'0'.repeat(40)}` }],
    ['a chain id that is no chain', { chainId: '0' }],
    ['the coin to the zero address', { token: NATIVE_COIN, to: `0x${'0'.repeat(40)}` }],
    ['no amount of the coin', { token: NATIVE_COIN, units: 0n }],
    ['a chain id in hex', { chainId: '0x89' }],
  ])('refuses %s', (_name, part) => {
    const invalid: PaymentRequest = { ...request, ...part };
    expect(() => paymentUri(invalid)).toThrow(RangeError);
  });
});

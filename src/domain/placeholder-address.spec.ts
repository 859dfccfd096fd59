import { ADDRESS_FAMILIES, NATIVE_COIN } from './network.js';
import { paymentUri } from './payment-uri.js';
import { placeholderAddress } from './placeholder-address.js';

it.each(ADDRESS_FAMILIES)(
  'a placeholder of %s can be presented like an address, and is never the same twice',
  (family) => {
    const [to, other] = [placeholderAddress(family), placeholderAddress(family)];
    const uri = paymentUri({ family, chainId: '1', token: NATIVE_COIN, decimals: 6, to, units: 1n });
    expect(uri).toContain(to);
    expect(to).not.toBe(other);
  },
);

import { TronWeb } from 'tronweb';
import { derivationVectors } from '../../../../test/support/derivation-vectors.js';
import { DEV_ACCOUNT_INDEX, DEV_MNEMONIC, type DevRole } from '../dev-mnemonic.js';
import { tronDevAccount } from './tron-dev-accounts.js';

const ROLES: DevRole[] = ['faucet', 'sandboxPayer', 'minter', 'rival'];

describe('the accounts of the tron development chain', () => {
  it.each(ROLES)('have the address that wallets derive from the mnemonic: %s', (role) => {
    const path = `m/44'/195'/0'/0/${DEV_ACCOUNT_INDEX[role]}`;
    const { address, privateKey } = tronDevAccount(role);
    expect(TronWeb.fromMnemonic(DEV_MNEMONIC, path).address).toBe(address);
    expect(TronWeb.address.fromPrivateKey(privateKey)).toBe(address);
  });

  it('include the first of the published vectors', () => {
    const published = derivationVectors('tron').map(({ address }) => address);
    expect(published).toContain(tronDevAccount('faucet').address);
  });
});

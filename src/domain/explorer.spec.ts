import { EVM_CATALOGUE } from './evm-catalogue.js';
import { explorerOf } from './explorer.js';

describe('the explorer of a chain', () => {
  it.each(Object.entries(EVM_CATALOGUE))(
    'exists for both public chains of %s, and for no development chain',
    (_name, entry) => {
      for (const { chainId } of [entry.live, entry.sandbox]) {
        expect(explorerOf(String(chainId))).toMatchObject({
          transaction: expect.stringMatching(/^https:.+\/tx\/$/),
          suffix: '',
        });
      }
      expect(explorerOf(String(entry.development.chainId))).toBeNull();
    },
  );

  it('names the cluster of solana behind the hash', () => {
    expect(explorerOf('EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG')).toEqual({
      transaction: 'https://explorer.solana.com/tx/',
      address: 'https://explorer.solana.com/address/',
      suffix: '?cluster=devnet',
    });
  });
});

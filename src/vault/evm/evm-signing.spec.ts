import { mnemonicToEntropy } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { HDNodeWallet, Transaction } from 'ethers';
import * as fc from 'fast-check';
import { anEvmTransaction, anyEvmTransaction } from '../../../test/support/evm-transactions.js';
import { seedOf } from '../derivation.js';
import { evmPrivateKeys, HOT_WALLET_ACCOUNT } from './evm-derivation.js';
import { signEvm } from './evm-signing.js';

const JUNK = 'test test test test test test test test test test test junk';

const seed = seedOf(mnemonicToEntropy(JUNK, wordlist));
const [key, otherKey] = evmPrivateKeys(seed, HOT_WALLET_ACCOUNT, [0, 1]) as [Uint8Array, Uint8Array];
const wallet = HDNodeWallet.fromPhrase(JUNK, undefined, "m/44'/60'/1'/0/0");

describe('signing', () => {
  it('returns the bytes of an ethers wallet: deterministic, with the lower s [I-125]', async () => {
    await fc.assert(
      fc.asyncProperty(anyEvmTransaction, async (transaction) => {
        const { raw, hash } = signEvm(key, transaction);
        expect(raw).toBe(await wallet.signTransaction({ ...transaction, type: 2 }));
        expect(hash).toBe(Transaction.from(raw).hash);
      }),
      { numRuns: 60 },
    );
  });

  it('returns the same bytes again, and others for another key', () => {
    const transaction = anEvmTransaction();
    const { raw } = signEvm(key, transaction);
    expect(signEvm(key, transaction).raw).toBe(raw);
    const other = Transaction.from(signEvm(otherKey, transaction).raw);
    expect([Transaction.from(raw).from, other.from]).toEqual([
      wallet.address,
      HDNodeWallet.fromPhrase(JUNK, undefined, "m/44'/60'/1'/0/1").address,
    ]);
  });

  it.each([1n, 137n, 56n, 31337n])('binds the transaction to chain %d and to no other [I-126]', (chainId) => {
    const { raw } = signEvm(key, anEvmTransaction({ chainId }));
    expect(Transaction.from(raw)).toMatchObject({ type: 2, chainId, from: wallet.address });
  });
});

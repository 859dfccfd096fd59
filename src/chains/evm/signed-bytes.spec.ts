import { type TransactionRequest, Wallet } from 'ethers';
import { anEvmTransaction } from '../../../test/support/evm-transactions.js';
import { rpcTransaction } from '../../../test/support/rpc-transaction.js';
import { devAccount } from '../../devtools/devnet/dev-accounts.js';
import { ChainUnavailable } from '../chain.js';
import { signedBytesOf } from './signed-bytes.js';

const ACCESS = [{ address: `0x${'66'.repeat(20)}`, storageKeys: [`0x${'0b'.repeat(32)}`] }];

const signed = (change: TransactionRequest): Promise<string> => {
  const { to, value, data, nonce, gasLimit, chainId } = anEvmTransaction();
  const fields = { to, value, data, nonce, gasLimit, chainId, ...change };
  return new Wallet(devAccount('faucet').privateKey).signTransaction(fields);
};

it.each<[string, TransactionRequest]>([
  ['a legacy one', { type: 0, gasPrice: 5n }],
  ['a legacy one for any chain', { type: 0, gasPrice: 5n, chainId: 0 }],
  ['one with an access list', { type: 1, gasPrice: 5n, accessList: ACCESS }],
  ['a new contract', { type: 2, to: null, data: '0x6000', maxFeePerGas: 5n, maxPriorityFeePerGas: 1n }],
])(
  '[H-106] the bytes of %s are rebuilt, though no vault signs such a thing: others may have the key',
  async (_kind, change) => {
    const raw = await signed(change);
    expect(signedBytesOf(rpcTransaction(raw))).toBe(raw);
  },
);

it.each([['0x0'], ['0x1d'], ['0x22'], [null]])('a legacy signature with the v %s is rejected', async (v) => {
  const transaction = { ...rpcTransaction(await signed({ type: 0, gasPrice: 5n })), v };
  expect(() => signedBytesOf(transaction)).toThrow(ChainUnavailable);
});

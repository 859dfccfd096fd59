import { Transaction, verifyAuthorization, Wallet, ZeroAddress } from 'ethers';
import { NATIVE_COIN } from '../../domain/network.js';
import { SWEEP_ITEM_GAS_MAX, sweepGasLimit } from '../../domain/sweep-gas.js';
import { sweepAuthorization, sweepCalldata, type SweepOrder, sweepTransaction } from './sweep-call.js';
import { SWEEP_BATCH, sweepContracts } from './sweep-contracts.js';

const KEY = new Wallet(`0x${'42'.repeat(32)}`);
const TOKEN = `0x${'aa'.repeat(20)}`;
const { delegate, batch } = sweepContracts(`0x${'11'.repeat(20)}`);
const ITEMS = [
  { deposit: KEY.address, tokenContract: TOKEN },
  { deposit: KEY.address, tokenContract: NATIVE_COIN },
];
const ORDER: SweepOrder = {
  chainId: 137n,
  nonce: 3,
  batch: batch.address,
  items: ITEMS,
  authorizations: [],
  maxFeePerGas: 30n,
  maxPriorityFeePerGas: 2n,
};

describe('a sweep to be signed', () => {
  it('is of type 4 with its authorizations, each signed for one chain, one delegate and one nonce', async () => {
    const request = sweepAuthorization(137n, delegate.address, 5);
    const authorization = await KEY.authorize(request);
    const raw = await KEY.signTransaction(sweepTransaction({ ...ORDER, authorizations: [authorization] }));
    const signed = Transaction.from(raw);
    expect(signed).toMatchObject({ type: 4, chainId: 137n, nonce: 3, value: 0n, maxFeePerGas: 30n });
    expect(signed.to?.toLowerCase()).toBe(batch.address);
    expect(signed.gasLimit).toBe(sweepGasLimit({ items: 2, tokens: 2, authorizations: 1 }));
    const [found] = signed.authorizationList ?? [];
    expect(found).toMatchObject({ chainId: 137n, nonce: 5n });
    expect(found?.address.toLowerCase()).toBe(delegate.address);
    expect(verifyAuthorization(request, found?.signature ?? '0x')).toBe(KEY.address);
  });

  it('is an ordinary transaction when every address delegates already', () => {
    expect(sweepTransaction(ORDER)).toMatchObject({ type: 2, data: sweepCalldata(ITEMS) });
    expect(sweepTransaction(ORDER)).not.toHaveProperty('authorizationList');
  });

  it('names its items in their order, the coin as address zero', () => {
    const [items, itemGas] = SWEEP_BATCH.decodeFunctionData('sweep', sweepCalldata(ITEMS));
    const named = Array.from(items as [string, string][], ([deposit, token]) => [deposit, token.toLowerCase()]);
    expect(named).toEqual([
      [KEY.address, TOKEN],
      [KEY.address, ZeroAddress],
    ]);
    expect(itemGas).toBe(SWEEP_ITEM_GAS_MAX);
  });

  it('is refused without items, and an authorization without a chain', () => {
    expect(() => sweepTransaction({ ...ORDER, items: [] })).toThrow(RangeError);
    expect(() => sweepAuthorization(0n, delegate.address, 0)).toThrow(RangeError);
  });
});

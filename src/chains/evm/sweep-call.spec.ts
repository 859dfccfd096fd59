import { ZeroAddress } from 'ethers';
import { NATIVE_COIN } from '../../domain/network.js';
import { SWEEP_ITEM_GAS_MAX } from '../../domain/sweep-gas.js';
import { sweepCalldata } from './sweep-call.js';
import { SWEEP_BATCH } from './sweep-contracts.js';

const DEPOSIT = `0x${'42'.repeat(20)}`;
const TOKEN = `0x${'aa'.repeat(20)}`;

describe('the call of a sweep', () => {
  it('names its items in their order, the coin as address zero', () => {
    const items = [
      { deposit: DEPOSIT, tokenContract: TOKEN },
      { deposit: DEPOSIT, tokenContract: NATIVE_COIN },
    ];
    const [rows, itemGas] = SWEEP_BATCH.decodeFunctionData('sweep', sweepCalldata(items));
    const named = Array.from(rows as [string, string][], (row) => row.map((address) => address.toLowerCase()));
    expect(named).toEqual([
      [DEPOSIT, TOKEN],
      [DEPOSIT, ZeroAddress],
    ]);
    expect(itemGas).toBe(SWEEP_ITEM_GAS_MAX);
  });
});

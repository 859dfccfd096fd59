import { NATIVE_COIN } from '../../domain/network.js';
import { sweepCalldata } from './sweep-call.js';
import { readSweepCall } from './read-sweep-call.js';

const at = (byte: string): string => `0x${byte.repeat(20)}`;
const ITEMS = [
  { deposit: at('a1'), tokenContract: at('b1') },
  { deposit: at('a2'), tokenContract: NATIVE_COIN },
];
const DATA = sweepCalldata(ITEMS);

describe('the call of a batch', () => {
  it('is read back as it was written', () => {
    expect(readSweepCall(DATA)).toEqual(ITEMS);
    expect(readSweepCall(sweepCalldata([]))).toEqual([]);
  });

  it.each<[string, string]>([
    ['another method', DATA.replace(/^0x.{8}/, '0xa9059cbb')],
    ['a byte too few', DATA.slice(0, -2)],
    ['a word too many', `${DATA}${'0'.repeat(64)}`],
    ['more items than follow', DATA.replace(/2(?=0{24}a1)/, '3')],
    ['its list elsewhere', DATA.replace('40', '60')],
    ['bytes before an address', DATA.replace(`0${'a1'.repeat(20)}`, `1${'a1'.repeat(20)}`)],
    ['nothing', '0x'],
  ])('with %s is none', (_what, data) => {
    expect(data).not.toBe(DATA);
    expect(readSweepCall(data)).toBeNull();
  });
});

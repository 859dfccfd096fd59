import { ChainUnavailable } from '../chain.js';
import { readHeader, readInteger, readQuantity, readReceipt } from './rpc-values.js';

const HASH = `0x${'0a'.repeat(32)}`;

describe('the readers of node answers', () => {
  it('read a header', () => {
    const block = {
      number: '0x10',
      hash: HASH.toUpperCase().replace('0X', '0x'),
      parentHash: HASH,
      timestamp: '0x6553f100',
    };
    expect(readHeader(block)).toEqual({
      height: 16,
      hash: HASH,
      parentHash: HASH,
      time: new Date('2023-11-14T22:13:20Z'),
    });
  });

  it.each([
    ['no block', null],
    ['a list', []],
    ['a height that is a number', { number: 16 }],
    ['a decimal height', { number: '16' }],
    ['a height with a leading zero', { number: '0x010' }],
    ['an empty height', { number: '0x' }],
    ['a height beyond the safe integers', { number: '0x20000000000000' }],
    ['a pending block without a hash', { hash: null }],
    ['a short hash', { hash: '0x0a' }],
    ['a parent hash that is not hex', { parentHash: `0x${'zz'.repeat(32)}` }],
    ['a missing time', { timestamp: undefined }],
    ['a time beyond the year 9999', { timestamp: '0x1fffffffffffff' }],
  ])('refuse a header with %s', (_name, change) => {
    const block = { number: '0x10', hash: HASH, parentHash: HASH, timestamp: '0x1' };
    const answer = change === null || Array.isArray(change) ? change : { ...block, ...change };
    expect(() => readHeader(answer)).toThrow(ChainUnavailable);
  });

  it('read a quantity of 256 bits, and an integer only while it is exact', () => {
    expect(readQuantity('0x0', 'chain id')).toBe(0n);
    expect(readQuantity(`0x${'f'.repeat(64)}`, 'chain id')).toBe(2n ** 256n - 1n);
    expect(() => readQuantity(`0x1${'0'.repeat(64)}`, 'balance')).toThrow(ChainUnavailable);
    expect(readInteger('0x1fffffffffffff', 'height')).toBe(Number.MAX_SAFE_INTEGER);
  });

  it.each([
    ['a status beyond 1', { status: '0x2' }],
    ['no status', { status: undefined }],
    ['logs that are no list', { logs: {} }],
    ['a gap between its logs', { logs: [logAt(3), logAt(5)] }],
    ['logs out of order', { logs: [logAt(4), logAt(3)] }],
  ])('[F-65] refuse a receipt with %s, since positions in it identify deposits', (_name, change) => {
    const receipt = { status: '0x1', transactionHash: HASH, blockHash: HASH, logs: [logAt(3), logAt(4)] };
    expect(readReceipt(receipt).logs).toHaveLength(2);
    expect(() => readReceipt({ ...receipt, ...change })).toThrow(ChainUnavailable);
  });
});

function logAt(logIndex: number): Record<string, unknown> {
  return { blockHash: HASH, transactionHash: HASH, logIndex: `0x${logIndex.toString(16)}` };
}

import { id, toBeHex, zeroPadValue } from 'ethers';
import type { LogEntry } from '../../chains/log-entry.js';
import { TRANSFER_TOPIC } from '../../chains/evm/transfer-log.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { sweepOutcome } from './sweep-outcome.js';

const [TOKEN, DEPOSIT, OTHER, TREASURY] = ['aa', 'd1', 'd2', '77'].map((byte) => `0x${byte.repeat(20)}`) as [
  string,
  string,
  string,
  string,
];
const PLACE = { blockHash: id('block'), txHash: id('tx'), logIndex: 0, removed: false };
const word = (value: bigint): string => toBeHex(value, 32);
const transfer = (from: string, to: string, value: bigint, address = TOKEN): LogEntry => ({
  ...PLACE,
  address,
  topics: [TRANSFER_TOPIC, zeroPadValue(from, 32), zeroPadValue(to, 32)],
  data: word(value),
});
const coin = (address: string, value: bigint, topics = [id('CoinSwept(uint256)')]): LogEntry => ({
  ...PLACE,
  address,
  topics,
  data: word(value),
});
const ITEMS = [
  { deposit: DEPOSIT, tokenContract: TOKEN },
  { deposit: DEPOSIT, tokenContract: NATIVE_COIN },
  { deposit: OTHER, tokenContract: TOKEN },
];
const amountsOf = (...logs: LogEntry[]): bigint[] => sweepOutcome(ITEMS, logs, TREASURY).map(({ amount }) => amount);

describe('the result of a sweep', () => {
  it('is the amount per item that reached the treasury', () => {
    const logs = [transfer(OTHER, TREASURY, 3n), coin(DEPOSIT.toUpperCase().replace('X', 'x'), 2n)];
    expect(amountsOf(transfer(DEPOSIT, TREASURY, 1n), ...logs)).toEqual([1n, 2n, 3n]);
    expect(amountsOf(...logs, transfer(OTHER, TREASURY, 4n))).toEqual([0n, 2n, 7n]);
  });

  it.each([
    ['no log at all', []],
    ['a transfer to somebody else', [transfer(DEPOSIT, OTHER, 1n)]],
    ['a transfer of another token', [transfer(DEPOSIT, TREASURY, 1n, OTHER)]],
    ['a transfer from somebody else', [transfer(TOKEN, TREASURY, 1n)]],
    ['a transfer of nothing', [transfer(DEPOSIT, TREASURY, 0n)]],
    ['a transfer that was taken back', [{ ...transfer(DEPOSIT, TREASURY, 1n), removed: true }]],
    ['coins that another address logs', [coin(OTHER, 1n)]],
    ['another event of the address', [coin(DEPOSIT, 1n, [id('Other(uint256)')])]],
    ['data that is no word', [{ ...coin(DEPOSIT, 1n), data: '0x01' }]],
  ])('is nothing by %s', (_name, logs: LogEntry[]) => {
    expect(amountsOf(...logs)).toEqual([0n, 0n, 0n]);
  });
});

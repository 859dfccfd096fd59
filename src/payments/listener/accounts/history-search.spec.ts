import type { AccountSignature } from '../../../chains/accounts.js';
import { type Found, HistorySearch } from './history-search.js';

const FULL_PAGE = 3;
const entry = (txHash: string, succeeded = true): AccountSignature => ({ txHash, height: 1, succeeded });
const NONE = (): boolean => false;

function paid(txHash: string, amount: bigint, { account = 'a', height = 1 } = {}): Found {
  return { txHash, height, transfers: [{ account, owner: null, token: 'usdc', position: 0, amount, senders: [] }] };
}

const search = (units: bigint): HistorySearch => new HistorySearch({ account: 'a', units, asOf: 10 });

it('is over once the transactions that were read explain the excess', () => {
  const one = search(5n);
  expect(one.needsPage).toBe(true);
  one.turn([entry('t1'), entry('t2'), entry('t3')], FULL_PAGE, NONE);
  expect([one.needsPage, one.next(2)]).toEqual([false, ['t1', 't2']]);
  one.subtract([paid('t1', 2n)]);
  expect(one.isOver).toBe(false);
  one.subtract([paid('t2', 3n)]);
  expect([one.isOver, one.needsPage]).toEqual([true, false]);
});

it('asks for the next page below the last transaction of a full one, and for none after one that is not full', () => {
  const one = search(5n);
  one.turn([entry('t1'), entry('t2', false), entry('t3')], FULL_PAGE, (txHash) => txHash !== 't2');
  expect([one.needsPage, one.before, one.isOver]).toEqual([true, 't3', false]);
  one.turn([entry('t4')], FULL_PAGE, NONE);
  expect(one.next(10)).toEqual(['t4']);
  expect([one.needsPage, one.isOver]).toEqual([false, true]);
});

it('leaves out failed and recorded transactions', () => {
  const one = search(5n);
  one.turn([entry('failed', false), entry('recorded'), entry('new')], FULL_PAGE, (txHash) => txHash === 'recorded');
  expect(one.next(10)).toEqual(['new']);
});

it('counts a transaction once that was read for another account, and does not read it again', () => {
  const one = search(5n);
  one.turn([entry('t1'), entry('t2')], FULL_PAGE, NONE);
  one.subtract([paid('t1', 3n)]);
  expect(one.next(10)).toEqual(['t2']);
  one.subtract([paid('t1', 3n)]);
  one.turn([entry('t1')], FULL_PAGE, NONE);
  expect([one.next(10), one.isOver]).toEqual([[], true]);
  const other = search(5n);
  other.turn([entry('t1'), entry('t2'), entry('t3')], FULL_PAGE, NONE);
  other.subtract([paid('t1', 3n), paid('t1', 3n)]);
  expect(other.isOver).toBe(false);
});

it('counts neither transfers to other accounts nor those above the block of the balance', () => {
  const one = search(5n);
  one.turn([entry('t1'), entry('t2'), entry('t3')], FULL_PAGE, NONE);
  one.subtract([paid('t1', 9n, { account: 'b' }), paid('t2', 9n, { height: 11 })]);
  expect([one.isOver, one.next(10)]).toEqual([false, ['t3']]);
});

it('ends after twenty pages, since anybody can make transactions that name an account', () => {
  const one = search(5n);
  let pages = 0;
  for (; one.needsPage; pages++) one.turn([entry(`x${pages}`), entry('y'), entry('z')], FULL_PAGE, () => true);
  expect(pages).toBe(20);
});

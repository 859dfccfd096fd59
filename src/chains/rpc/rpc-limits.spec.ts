import { limitOf } from './rpc-limits.js';

describe('the limit that an error reports [F-73] [F-77]', () => {
  it.each<[code: number | null, message: string, limit: string | null]>([
    [-32_600, 'batch too large', 'size'],
    [-32_003, 'response too large', 'size'],
    [-32_005, 'query returned more than 10000 results', 'size'],
    [-32_005, 'no reason given', 'size'],
    [-32_602, 'Batch of more than 3 requests are not allowed', 'size'],
    [-32_000, 'Log response size exceeded', 'size'],
    [429, 'no reason given', 'rate'],
    [-32_005, 'daily request count exceeded, request rate limited', 'rate'],
    [-32_000, 'Too Many Requests', 'rate'],
    [-32_000, 'Your app has exceeded its compute units per second capacity', 'rate'],
    [-32_000, 'header not found', null],
    [3, 'execution reverted', null],
    [3, 'rate limit exceeded', null],
    [-32_000, 'execution reverted: too many requests', null],
    [-32_015, 'VM execution error: batch too large', null],
    [-32_003, 'out of gas: gas required exceeds: 30000', null],
    [-32_000, 'out of gas: gas required exceeds: 30000', null],
    [-32_003, 'EVM error: OutOfGas', null],
    [-32_003, 'execution reverted', null],
    [-32_003, 'transaction already imported', null],
    [-32_003, 'nonce too low', null],
    [-32_003, 'intrinsic gas too low', null],
    [-32_003, 'max fee per gas less than block base fee', null],
    [-32_003, 'max priority fee per gas higher than max fee per gas', null],
    [-32_004, 'Upfront cost exceeds account balance', null],
    [-32_000, 'err: max call depth exceeded (supplied gas 30000)', null],
    [null, 'no reason given', null],
  ])('%s "%s" is %s', (code, message, limit) => {
    expect(limitOf(code, message)).toBe(limit);
  });
});

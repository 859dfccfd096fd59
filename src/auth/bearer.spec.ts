import { bearerToken } from './bearer.js';

describe('The Authorization header', () => {
  it.each([['Bearer abc'], ['bearer abc'], ['BEARER abc']])('[B-19] [spec 5] contains the token in %j', (value) => {
    expect(bearerToken([value])).toBe('abc');
  });

  it.each([
    [undefined],
    [[]],
    [['']],
    [['abc']],
    [['Bearer']],
    [['Bearer ']],
    [['Bearer  abc']],
    [['Bearer\tabc']],
    [['Bearer abc ']],
    [['Bearer abc def']],
    [[' Bearer abc']],
    [['Basic YWJj']],
    [['Bearer abc, Bearer abc']],
    [['Bearer abc', 'Bearer abc']],
  ])('[B-19] contains no token in %j', (values) => {
    expect(bearerToken(values)).toBeNull();
  });
});

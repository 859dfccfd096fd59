import * as fc from 'fast-check';
import { parseExactJson, parseJsonWithBigints } from './exact-json.js';

it.each<[text: string, value: unknown]>([
  ['{"usd":0.1}', { usd: '0.1' }],
  [
    '[3022.100000000000000001, -0, 1e400, 9007199254740993]',
    ['3022.100000000000000001', '-0', '1e400', '9007199254740993'],
  ],
  ['{"a":{"b":[1,"1",null,true]}}', { a: { b: ['1', '1', null, true] } }],
  ['17', '17'],
])('[A-2] keeps every number of %s as it was written', (text, value) => {
  expect(parseExactJson(text)).toEqual(value);
});

it.each(['', 'NaN', '{"usd":NaN}', '{"usd":1', '<html>429</html>', '{"usd":.5}'])(
  'rejects %j, which is not JSON',
  (text) => {
    expect(parseExactJson(text)).toBeUndefined();
  },
);

it('[A-2] returns what JSON.parse returns, except for numbers', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      const asNumbers = JSON.stringify(parseExactJson(text), (_key, part: unknown) => part);
      const expected = JSON.stringify(JSON.parse(text), (_key, part: unknown) =>
        typeof part === 'number' ? JSON.stringify(part) : part,
      );
      expect(asNumbers).toBe(expected);
    }),
  );
});

it.each<[text: string, value: unknown]>([
  ['[9007199254740991, -9007199254740991, 0.5, 1e3]', [9007199254740991, -9007199254740991, 0.5, 1000]],
  ['{"a": 9007199254740992, "b":[-9007199254740993]}', { a: 9007199254740992n, b: [-9007199254740993n] }],
  ['18446744073709551615', 18446744073709551615n],
  ['["9007199254740993", 9007199254740993.5, 1e300]', ['9007199254740993', 9007199254740994, 1e300]],
])('[A-2] makes a bigint of each integer of %s that no number holds exactly', (text, value) => {
  expect(parseJsonWithBigints(text)).toEqual(value);
});

it('[A-2] returns what JSON.parse returns where every number is exact', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      const asText = JSON.stringify(parseJsonWithBigints(text), (_key, part: unknown) =>
        typeof part === 'bigint' ? Number(part) : part,
      );
      expect(asText).toBe(JSON.stringify(JSON.parse(text)));
    }),
  );
  expect(() => parseJsonWithBigints('<html>')).toThrow(SyntaxError);
});

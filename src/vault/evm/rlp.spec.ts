import { encodeRlp as ethersEncodeRlp } from 'ethers/utils';
import * as fc from 'fast-check';
import { decodeRlp, encodeRlp, type RlpItem } from './rlp.js';

const bytes = fc
  .oneof(fc.uint8Array({ maxLength: 3 }), fc.uint8Array({ minLength: 50, maxLength: 300, size: 'max' }))
  .map((array) => Buffer.from(array));

const anyItem = fc.letrec<{ item: RlpItem }>((tie) => ({
  item: fc.oneof({ maxDepth: 4 }, bytes, fc.array(tie('item'), { maxLength: 5 })),
})).item;

type Nested = Uint8Array | Nested[];
const nested = (item: RlpItem): Nested => (Buffer.isBuffer(item) ? new Uint8Array(item) : item.map(nested));

describe('RLP', () => {
  it.each([
    ['a short string', Buffer.from('dog'), '83646f67'],
    ['a list', [Buffer.from('cat'), Buffer.from('dog')], 'c88363617483646f67'],
    ['nothing', Buffer.alloc(0), '80'],
    ['an empty list', [], 'c0'],
    ['a small byte', Buffer.of(0x0f), '0f'],
    ['two bytes', Buffer.of(0x04, 0x00), '820400'],
    ['the set-theoretical three', [[], [[]], [[], [[]]]], 'c7c0c1c0c3c0c1c0'],
  ])('encodes %s as the specification does', (_name, item: RlpItem, hex) => {
    expect(encodeRlp(item).toString('hex')).toBe(hex);
    expect(decodeRlp(Buffer.from(hex, 'hex'))).toEqual(item);
  });

  it('encodes anything as ethers does, and reads it back', () => {
    fc.assert(
      fc.property(anyItem, (item) => {
        const encoded = encodeRlp(item);
        expect(`0x${encoded.toString('hex')}`).toBe(ethersEncodeRlp(nested(item)));
        expect(decodeRlp(encoded)).toEqual(item);
      }),
    );
  });

  it.each([
    ['nothing at all', ''],
    ['a cut string', '83646f'],
    ['a cut list', 'c88363617483646f'],
    ['a cut length', 'b9'],
    ['a length beyond the end', 'bb7fffffff00'],
    ['a length of eight bytes', 'bfffffffffffffffff00'],
    ['an item that reaches out of its list', 'c283646f67'],
    ['bytes behind the item', '83646f6700'],
    ['a small byte in a longer form', '8105'],
    ['a short string in the long form', 'b803646f67'],
    ['a length with a leading zero', 'b90003646f67'],
  ])('refuses %s', (_name, hex) => {
    expect(() => decodeRlp(Buffer.from(hex, 'hex'))).toThrow(expect.objectContaining({ name: 'RangeError' }));
  });
});

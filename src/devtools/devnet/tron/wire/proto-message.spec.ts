import * as fc from 'fast-check';
import { ProtoMessage, type ProtoSchema } from './proto-message.js';
import { readFields, WireError, writeFields } from './protobuf.js';

const INNER: ProtoSchema = { note: { no: 1, type: 'string' } };
const SCHEMA: ProtoSchema = {
  count: { no: 1, type: 'int' },
  isOn: { no: 2, type: 'bool' },
  data: { no: 3, type: 'bytes', form: 'hex' },
  inner: { no: 4, type: 'message', schema: INNER },
  parts: { no: 5, type: 'bytes', form: 'hex', repeated: true },
  kind: { no: 16, type: 'enum', names: ['A', 'B'] },
};

const bytes = (hex: string): Uint8Array => Buffer.from(hex, 'hex');
const hexOf = (message: ProtoMessage): string => Buffer.from(message.encode()).toString('hex');

describe('protobuf on the wire', () => {
  // The bytes are those of the protobuf documentation's encoding page, and of its rules for each type.
  it.each([
    ['a number', { count: 150n }, '089601'],
    ['a negative number, in ten bytes', { count: -1n }, '08ffffffffffffffffff01'],
    ['the largest number', { count: 2n ** 63n - 1n }, '08ffffffffffffffff7f'],
    ['a flag', { isOn: true }, '1001'],
    ['bytes', { data: bytes('00ff') }, '1a0200ff'],
    ['a message', { inner: ProtoMessage.of(INNER, { note: 'testing' }) }, '22090a0774657374696e67'],
    ['a list', { parts: [bytes('01'), bytes('0203')] }, '2a01012a020203'],
    ['a field whose tag takes two bytes', { kind: 1n }, '800101'],
    ['defaults, as nothing', { count: 0n, isOn: false, data: bytes(''), kind: 0n }, ''],
  ] as const)('writes and reads %s', (_what, values, hex) => {
    expect(hexOf(ProtoMessage.of(SCHEMA, values))).toBe(hex);
    expect(hexOf(ProtoMessage.decode(SCHEMA, bytes(hex)))).toBe(hex);
  });

  it('keeps unknown fields and puts known ones into their order', () => {
    const message = ProtoMessage.decode(SCHEMA, bytes('4a016110010805'));
    expect(message.int('count')).toBe(5n);
    expect(message.bool('isOn')).toBe(true);
    expect(hexOf(message)).toBe('080510014a0161');
  });

  it('takes the last value when a field occurs twice', () => {
    expect(ProtoMessage.decode(SCHEMA, bytes('08010802')).int('count')).toBe(2n);
  });

  it.each([
    ['a number without its end', '0896'],
    ['a number of eleven bytes', '08ffffffffffffffffffff01'],
    ['bytes that are longer than the message', '1a0500'],
    ['field number 0', '0001'],
    ['a group, which no longer exists', '0b'],
  ])('refuses %s', (_what, hex) => {
    expect(() => ProtoMessage.decode(SCHEMA, bytes(hex))).toThrow(WireError);
  });

  it('gives back any fields as they were', () => {
    const number = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
    const field = fc.oneof(
      fc.record({ number: fc.integer({ min: 1, max: 5_000 }), wireType: fc.constant(0), value: number }),
      fc.record({ number: fc.integer({ min: 1, max: 5_000 }), wireType: fc.constant(2), value: fc.uint8Array() }),
    );
    fc.assert(
      fc.property(fc.array(field), (fields) => {
        const read = readFields(writeFields(fields));
        expect(
          read.map(({ value, ...rest }) => ({ ...rest, value: typeof value === 'bigint' ? value : [...value] })),
        ).toEqual(
          fields.map(({ value, ...rest }) => ({ ...rest, value: typeof value === 'bigint' ? value : [...value] })),
        );
      }),
    );
  });
});

// A message of protobuf is its fields in the order of their numbers; a field that is 0 or empty is left out.
// https://protobuf.dev/programming-guides/encoding

const VARINT = 0;
const DELIMITED = 2;
const TYPE_BITS = 3;
const GROUP_BITS = 7n;
const GROUP = 0x7fn;
const MORE = 0x80;

/** Returns a message of these fields. */
export const message = (...fields: readonly Buffer[]): Buffer => Buffer.concat(fields);

/** Returns a field of bytes. */
export const bytesField = (number: number, value: Uint8Array): Buffer =>
  value.length === 0
    ? Buffer.alloc(0)
    : Buffer.concat([varint(tag(number, DELIMITED)), varint(BigInt(value.length)), value]);

/** Returns a field of a number. @throws RangeError for one that it cannot hold */
export const numberField = (number: number, value: bigint): Buffer =>
  value === 0n ? Buffer.alloc(0) : Buffer.concat([varint(tag(number, VARINT)), varint(value)]);

const tag = (number: number, type: number): bigint => BigInt((number << TYPE_BITS) | type);

/** Numbers of these messages are signed: a negative one, or one above 2^63, would be another number for the chain. */
function varint(value: bigint): Buffer {
  if (value < 0n || value >= 2n ** 63n) throw new RangeError(`The number ${value} does not fit into its field.`);
  const bytes: number[] = [];
  let rest = value;
  while (rest > GROUP) {
    bytes.push(Number(rest & GROUP) | MORE);
    rest >>= GROUP_BITS;
  }
  return Buffer.from([...bytes, Number(rest)]);
}

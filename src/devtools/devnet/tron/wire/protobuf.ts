/** A field as it is on the wire: a varint, or the bytes of a length-delimited or fixed field. */
export interface WireField {
  readonly number: number;
  readonly wireType: number;
  readonly value: bigint | Uint8Array;
}

/** The bytes are not a protobuf message. */
export class WireError extends Error {
  override name = 'WireError';
}

const VARINT = 0;
const FIXED64 = 1;
const DELIMITED = 2;
const FIXED32 = 5;
const FIXED_BYTES: Readonly<Record<number, number>> = { [FIXED64]: 8, [FIXED32]: 4 };
const VARINT_BYTES_MAX = 10;
const TYPE_BITS = 3n;
const FIELD_NUMBER_MAX = 2 ** 29 - 1;

/**
 * Reads the fields of a message in their order. Written for this chain alone, so that it shares no code with the clients
 * that it checks.
 * @throws WireError
 */
export function readFields(bytes: Uint8Array): WireField[] {
  const fields: WireField[] = [];
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let length = 0; length < VARINT_BYTES_MAX; length += 1) {
      const byte = bytes[at];
      if (byte === undefined) throw new WireError('The message ended inside of a number.');
      at += 1;
      value |= BigInt(byte & 0x7f) << BigInt(7 * length);
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new WireError('A number is longer than ten bytes.');
  };
  const take = (length: number): Uint8Array => {
    if (at + length > bytes.length) throw new WireError('The message ended inside of a field.');
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = varint();
    const number = Number(tag >> TYPE_BITS);
    const wireType = Number(tag & 7n);
    if (number === 0 || number > FIELD_NUMBER_MAX) throw new WireError('A field has an invalid number.');
    if (wireType === VARINT) fields.push({ number, wireType, value: varint() });
    else if (wireType === DELIMITED) fields.push({ number, wireType, value: take(Number(varint())) });
    else {
      const length = FIXED_BYTES[wireType];
      if (length === undefined) throw new WireError(`A field has the unknown wire type ${wireType}.`);
      fields.push({ number, wireType, value: take(length) });
    }
  }
  return fields;
}

/** Returns the bytes of a message with these fields. Negative numbers take ten bytes, as in every protobuf. */
export function writeFields(fields: readonly WireField[]): Uint8Array {
  return Buffer.concat(fields.flatMap(fieldBytes));
}

/** Makes a varint field. */
export const varintField = (number: number, value: bigint): WireField => ({ number, wireType: VARINT, value });

/** Makes a field of bytes, text or a message. */
export const bytesField = (number: number, value: Uint8Array): WireField => ({ number, wireType: DELIMITED, value });

function fieldBytes({ number, wireType, value }: WireField): Uint8Array[] {
  const tag = varintBytes((BigInt(number) << TYPE_BITS) | BigInt(wireType));
  if (typeof value === 'bigint') return [tag, varintBytes(value)];
  return wireType === DELIMITED ? [tag, varintBytes(BigInt(value.length)), value] : [tag, value];
}

function varintBytes(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, value);
  while (rest >= 0x80n) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
}

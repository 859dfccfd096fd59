/** A field of a protobuf message: a number, or bytes. */
export interface WireField {
  readonly number: number;
  readonly value: bigint | Buffer;
}

const VARINT_BYTES_MAX = 9;

/**
 * Reads the fields of a message in their order. It has no code in common with what builds messages, so that each checks the
 * other. Only what a canonical encoder writes is read: numbers and bytes, in the shortest form.
 * @throws RangeError for any other bytes
 */
export function fieldsOf(bytes: Buffer): readonly WireField[] {
  const fields: WireField[] = [];
  for (let at = 0; at < bytes.length;) {
    const tag = numberAt(bytes, at);
    const number = Math.floor(tag.value / 8);
    const content = numberAt(bytes, tag.end);
    if (number === 0) throw malformed();
    if (tag.value % 8 === 0) {
      fields.push({ number, value: content.exact });
      at = content.end;
    } else if (tag.value % 8 === 2) {
      at = content.end + content.value;
      if (at > bytes.length) throw malformed();
      fields.push({ number, value: bytes.subarray(content.end, at) });
    } else {
      throw malformed();
    }
  }
  return fields;
}

/** Reads a number of groups of seven bits, the lowest first; the last group has no continuation bit and is not 0. */
function numberAt(
  bytes: Buffer,
  start: number,
): { readonly value: number; readonly exact: bigint; readonly end: number } {
  const length = bytes.subarray(start, start + VARINT_BYTES_MAX).findIndex((byte) => byte < 128) + 1;
  const groups = [...bytes.subarray(start, start + length)];
  if (length === 0 || (length > 1 && groups.at(-1) === 0)) throw malformed();
  const exact = groups.reduceRight((sum, byte) => sum * 128n + BigInt(byte % 128), 0n);
  return { value: Number(exact), exact, end: start + length };
}

const malformed = (): RangeError => new RangeError('The bytes are no message.');

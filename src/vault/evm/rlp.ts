/**
 * RLP, the encoding of Ethereum's transactions (yellow paper, appendix B). Implemented here because signed bytes are
 * decoded by other code than the library that encoded them: a fault of one then shows in the other.
 */
export type RlpItem = Buffer | readonly RlpItem[];

const BYTES = 0x80;
const LIST = 0xc0;
/** The longest content whose length fits into the first byte. */
const SHORT_MAX = 55;

/** Returns the canonical encoding of `item`. */
export function encodeRlp(item: RlpItem): Buffer {
  if (!Buffer.isBuffer(item)) return prefixed(LIST, Buffer.concat(item.map(encodeRlp)));
  const isItsOwnEncoding = item.length === 1 && item.readUInt8() < BYTES;
  return isItsOwnEncoding ? item : prefixed(BYTES, item);
}

/**
 * Returns the item that `bytes` encode. Throws a `RangeError` when they are cut or not the canonical encoding of that
 * item.
 */
export function decodeRlp(bytes: Buffer): RlpItem {
  const { item } = itemAt(bytes, 0);
  if (!encodeRlp(item).equals(bytes))
    throw new RangeError('These bytes are not the canonical encoding of their content.');
  return item;
}

function prefixed(kind: number, content: Buffer): Buffer {
  if (content.length <= SHORT_MAX) return Buffer.concat([Buffer.of(kind + content.length), content]);
  const digits = content.length.toString(16);
  const length = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.of(kind + SHORT_MAX + length.length), length, content]);
}

/** Returns the item at `at` and the position after it. A read beyond the end is a `RangeError`. */
function itemAt(bytes: Buffer, at: number): { readonly item: RlpItem; readonly end: number } {
  const first = bytes.readUInt8(at);
  if (first < BYTES) return { item: bytes.subarray(at, at + 1), end: at + 1 };
  const isList = first >= LIST;
  const short = first - (isList ? LIST : BYTES);
  const lengthBytes = Math.max(0, short - SHORT_MAX);
  const start = at + 1 + lengthBytes;
  const end = start + (lengthBytes === 0 ? short : bytes.readUIntBE(at + 1, lengthBytes));
  if (end > bytes.length) throw new RangeError('An item is longer than the bytes that are left.');
  return { item: isList ? listOf(bytes.subarray(start, end)) : bytes.subarray(start, end), end };
}

function listOf(content: Buffer): RlpItem[] {
  const items: RlpItem[] = [];
  for (let at = 0; at < content.length;) {
    const { item, end } = itemAt(content, at);
    items.push(item);
    at = end;
  }
  return items;
}

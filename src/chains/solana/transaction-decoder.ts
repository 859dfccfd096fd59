import { base58 } from '@scure/base';

const SIGNATURE_BYTES = 64;
const KEY_BYTES = 32;
const VERSIONED = 0x80;
/** A length is written as one to three bytes of seven bits each, in the shortest way. */
const LENGTH_BYTES_MAX = 3;
const LENGTH_MAX = 0xffff;

/** An instruction as the bytes state it: its accounts are indexes of keys. */
export interface DecodedInstruction {
  readonly program: number;
  readonly accounts: readonly number[];
  readonly data: Buffer;
}

/** A transaction as its bytes state it. */
export interface DecodedTransaction {
  readonly signatures: readonly Buffer[];
  /** The signed part. */
  readonly message: Buffer;
  /** Null for the form before versions. */
  readonly version: number | null;
  /** How many of the keys sign, how many of those are only read, and how many of the others. */
  readonly header: readonly [signers: number, readonlySigners: number, readonlyOthers: number];
  readonly keys: readonly string[];
  readonly blockhash: string;
  readonly instructions: readonly DecodedInstruction[];
  readonly lookupTables: number;
}

/**
 * Decodes a transaction of solana with a version, strictly: every length in its shortest form, and no byte left. It is other
 * code than what builds transactions: a fault of one then shows in the other.
 * @throws RangeError when the bytes are cut, too long, in another form, or name lookup tables beyond their number
 */
export function decodeTransaction(bytes: Buffer): DecodedTransaction {
  const decoded = decodeAnyTransaction(bytes);
  if (decoded.version === null) throw new RangeError('The message has no version.');
  return decoded;
}

/** Does the same also with the form before versions, which no vault signs. */
export function decodeAnyTransaction(bytes: Buffer): DecodedTransaction {
  const reader = new ByteReader(bytes);
  const signatures = reader.list(() => reader.take(SIGNATURE_BYTES));
  const message = bytes.subarray(reader.position);
  const first = reader.byte();
  const version = first < VERSIONED ? null : first - VERSIONED;
  const header = [version === null ? first : reader.byte(), reader.byte(), reader.byte()] as const;
  const keys = reader.list(() => base58.encode(reader.take(KEY_BYTES)));
  const blockhash = base58.encode(reader.take(KEY_BYTES));
  const instructions = reader.list(() => ({
    program: reader.byte(),
    accounts: reader.list(() => reader.byte()),
    data: reader.take(reader.length()),
  }));
  const lookupTables = version === null ? 0 : reader.length();
  if (lookupTables === 0 && reader.position !== bytes.length) throw new RangeError('There are bytes left.');
  return { signatures, message, version, header, keys, blockhash, instructions, lookupTables };
}

/** Reads bytes from the front. A read beyond the end is a `RangeError`. */
class ByteReader {
  position = 0;

  constructor(private readonly bytes: Buffer) {}

  byte(): number {
    const value = this.bytes.readUInt8(this.position);
    this.position += 1;
    return value;
  }

  take(count: number): Buffer {
    const end = this.position + count;
    if (end > this.bytes.length) throw new RangeError('The bytes are cut.');
    const taken = this.bytes.subarray(this.position, end);
    this.position = end;
    return taken;
  }

  length(): number {
    let value = 0;
    for (let place = 0; place < LENGTH_BYTES_MAX; place += 1) {
      const next = this.byte();
      if (place > 0 && next === 0) throw new RangeError('A length has a longer form than it needs.');
      value += (next & 0x7f) * 2 ** (7 * place);
      if (next < 0x80) {
        if (value > LENGTH_MAX) break;
        return value;
      }
    }
    throw new RangeError('A length is too long.');
  }

  list<Item>(read: () => Item): readonly Item[] {
    return Array.from({ length: this.length() }, () => read());
  }
}

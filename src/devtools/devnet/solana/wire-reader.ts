/** Bytes that are no transaction. */
export class WireError extends Error {
  override name = 'WireError';
}

const COMPACT_BYTES_MAX = 3;

/** Reads the fields of a transaction one after another. @throws WireError at the end of the bytes. */
export class WireReader {
  readonly bytes: Uint8Array;
  private readonly view: DataView;
  private at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get offset(): number {
    return this.at;
  }

  get isAtEnd(): boolean {
    return this.at === this.bytes.length;
  }

  peek(): number {
    const byte = this.bytes[this.at];
    if (byte === undefined) throw new WireError('failed to fill whole buffer');
    return byte;
  }

  u8(): number {
    return this.view.getUint8(this.skip(1));
  }

  u16(): number {
    return this.view.getUint16(this.skip(2), true);
  }

  u32(): number {
    return this.view.getUint32(this.skip(4), true);
  }

  u64(): bigint {
    return this.view.getBigUint64(this.skip(8), true);
  }

  take(length: number): Uint8Array {
    const start = this.skip(length);
    return this.bytes.subarray(start, start + length);
  }

  /** A length of one to three bytes, in its shortest form (Agave's `short_vec`). */
  compactLength(): number {
    let value = 0;
    for (let i = 0; i < COMPACT_BYTES_MAX; i += 1) {
      const byte = this.u8();
      if (byte === 0 && i > 0) throw new WireError('alias encoding of a length');
      value |= (byte & 0x7f) << (7 * i);
      if ((byte & 0x80) === 0) {
        if (value > 0xffff) break;
        return value;
      }
    }
    throw new WireError('length out of range');
  }

  private skip(length: number): number {
    const start = this.at;
    if (start + length > this.bytes.length) throw new WireError('failed to fill whole buffer');
    this.at += length;
    return start;
  }
}

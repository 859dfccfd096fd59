import { hexOf, type AccountKey } from './account-key.js';
import { WireError, WireReader } from './wire-reader.js';

const SIGNATURE_BYTES = 64;
const KEY_BYTES = 32;
const VERSION_FLAG = 0x80;
const V1_FIRST_BYTE = 0x81;
const V0_FIRST_BYTE = 0x80;

/** Agave's `PACKET_DATA_SIZE`; of version 1, the limit of SIMD-0385. */
const LEGACY_BYTES_MAX = 1_232;
export const V1_BYTES_MAX = 4_096;

export type TransactionVersion = 'legacy' | 0 | 1;

export interface WireInstruction {
  readonly programIndex: number;
  readonly accounts: Uint8Array;
  readonly data: Uint8Array;
}

export interface TableLookup {
  readonly table: AccountKey;
  readonly writable: Uint8Array;
  readonly readonly: Uint8Array;
}

/** The fields of version 1 that instructions of the compute budget program set in other versions; null = not set. */
export interface TransactionConfig {
  readonly priorityFee: bigint | null;
  readonly computeUnitLimit: number | null;
  readonly loadedAccountsDataSizeLimit: number | null;
  readonly heapSize: number | null;
}

export interface MessageHeader {
  readonly signers: number;
  readonly readonlySigners: number;
  readonly readonlyOthers: number;
}

export interface WireMessage {
  readonly version: TransactionVersion;
  readonly header: MessageHeader;
  readonly keys: readonly AccountKey[];
  /** In hex. */
  readonly blockhash: string;
  /** Where the blockhash is in the bytes of the message. */
  readonly blockhashOffset: number;
  readonly instructions: readonly WireInstruction[];
  readonly lookups: readonly TableLookup[];
  /** Null except in version 1. */
  readonly config: TransactionConfig | null;
}

/** A transaction as clients send it. */
export interface WireTransaction extends WireMessage {
  readonly bytes: Uint8Array;
  readonly message: Uint8Array;
  readonly signatures: readonly Uint8Array[];
  /** The first signature, in hex: the transaction's id. */
  readonly signature: string;
}

/**
 * Decodes a transaction, without bytes left over. The chain's virtual machine aborts the process for bytes that it cannot
 * decode, so it only gets those that pass here and in `sanitizeFault`.
 * @throws WireError
 */
export function decodeTransaction(bytes: Uint8Array): WireTransaction {
  const reader = new WireReader(bytes);
  const isMessageFirst = (reader.peek() & VERSION_FLAG) !== 0;
  const first = isMessageFirst ? [] : signaturesOf(reader, reader.compactLength());
  const start = reader.offset;
  const message = readMessage(reader);
  if (isMessageFirst !== (message.version === 1)) throw new WireError('a version in the wrong place');
  const messageBytes = bytes.subarray(start, reader.offset);
  const signatures = isMessageFirst ? signaturesOf(reader, message.header.signers) : first;
  if (!reader.isAtEnd) throw new WireError('bytes after the transaction');
  const [id] = signatures;
  if (id === undefined) throw new WireError('a transaction without signatures');
  return { ...message, bytes, message: messageBytes, signatures, signature: hexOf(id) };
}

/** Decodes the message of a transaction alone. @throws WireError */
export function decodeMessage(bytes: Uint8Array): WireMessage {
  const reader = new WireReader(bytes);
  const message = readMessage(reader);
  if (!reader.isAtEnd) throw new WireError('bytes after the message');
  return message;
}

/** Returns the size limit of transactions of a version, in bytes. */
export function bytesMaxOf(version: TransactionVersion): number {
  return version === 1 ? V1_BYTES_MAX : LEGACY_BYTES_MAX;
}

function readMessage(reader: WireReader): WireMessage {
  const start = reader.offset;
  const first = reader.peek();
  if (first === V1_FIRST_BYTE) return readV1(reader, start);
  if ((first & VERSION_FLAG) !== 0 && first !== V0_FIRST_BYTE) throw new WireError('an unknown version');
  const version = first === V0_FIRST_BYTE ? 0 : 'legacy';
  if (version === 0) reader.u8();
  const header = readHeader(reader);
  const keys = keysOf(reader, reader.compactLength());
  const blockhashOffset = reader.offset - start;
  const blockhash = hexOf(reader.take(KEY_BYTES));
  const instructions = Array.from({ length: reader.compactLength() }, () => ({
    programIndex: reader.u8(),
    accounts: reader.take(reader.compactLength()),
    data: reader.take(reader.compactLength()),
  }));
  const lookups = version === 'legacy' ? [] : lookupsOf(reader);
  return { version, header, keys, blockhash, blockhashOffset, instructions, lookups, config: null };
}

/** SIMD-0385: fixed fields, addresses, values of the config, then the heads of all instructions and their contents. */
function readV1(reader: WireReader, start: number): WireMessage {
  reader.u8();
  const header = readHeader(reader);
  const mask = reader.u32();
  const blockhashOffset = reader.offset - start;
  const blockhash = hexOf(reader.take(KEY_BYTES));
  const instructionCount = reader.u8();
  const keys = keysOf(reader, reader.u8());
  const config = configOf(reader, mask);
  const heads = Array.from({ length: instructionCount }, () => ({
    programIndex: reader.u8(),
    accounts: reader.u8(),
    data: reader.u16(),
  }));
  const instructions = heads.map(({ programIndex, accounts, data }) => ({
    programIndex,
    accounts: reader.take(accounts),
    data: reader.take(data),
  }));
  return { version: 1, header, keys, blockhash, blockhashOffset, instructions, lookups: [], config };
}

function configOf(reader: WireReader, mask: number): TransactionConfig {
  const feeBits = mask & 0b11;
  if (feeBits === 0b01 || feeBits === 0b10 || mask > 0b11111) throw new WireError('an invalid config mask');
  const u32 = (bit: number): number | null => ((mask & bit) === 0 ? null : reader.u32());
  return {
    priorityFee: feeBits === 0 ? null : reader.u64(),
    computeUnitLimit: u32(0b100),
    loadedAccountsDataSizeLimit: u32(0b1000),
    heapSize: u32(0b10000),
  };
}

function readHeader(reader: WireReader): MessageHeader {
  return { signers: reader.u8(), readonlySigners: reader.u8(), readonlyOthers: reader.u8() };
}

const signaturesOf = (reader: WireReader, count: number): Uint8Array[] =>
  Array.from({ length: count }, () => reader.take(SIGNATURE_BYTES));

const keysOf = (reader: WireReader, count: number): AccountKey[] =>
  Array.from({ length: count }, () => hexOf(reader.take(KEY_BYTES)));

const lookupsOf = (reader: WireReader): TableLookup[] =>
  Array.from({ length: reader.compactLength() }, () => ({
    table: hexOf(reader.take(KEY_BYTES)),
    writable: reader.take(reader.compactLength()),
    readonly: reader.take(reader.compactLength()),
  }));

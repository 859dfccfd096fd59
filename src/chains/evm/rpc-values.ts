import { UNITS_MAX } from '../../domain/money.js';
import { ChainUnavailable, type BlockHeader } from '../chain.js';
import { isRecord } from '../rpc/json-rpc.js';
import type { LogEntry } from '../log-entry.js';

/** The end of the year 9999, the last that databases and ISO 8601 support. */
const TIME_MAX_SECONDS = 253_402_300_799;
const QUANTITY = /^0x(0|[1-9a-f][0-9a-f]*)$/i;
const HASH = /^0x[0-9a-f]{64}$/i;
const BLOOM = /^0x[0-9a-f]{512}$/i;
const ADDRESS = /^0x[0-9a-f]{40}$/i;

/** The receipt of a mined transaction. */
export interface Receipt {
  readonly txHash: string;
  readonly blockHash: string;
  readonly succeeded: boolean;
  /** The transaction's own logs in their order, without gaps. */
  readonly logs: readonly LogEntry[];
}

/** Reads an object. Throws `ChainUnavailable`, like every reader here. */
export function readRecord(value: unknown, what: string): Record<string, unknown> {
  if (!isRecord(value)) throw malformed(what);
  return value;
}

/** Reads a list. */
export function readList(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw malformed(what);
  return value;
}

/** Reads a number of at most 256 bits, such as a chain id or a balance. */
export function readQuantity(value: unknown, what: string): bigint {
  if (typeof value !== 'string' || !QUANTITY.test(value)) throw malformed(what);
  const quantity = BigInt(value);
  if (quantity > UNITS_MAX) throw malformed(what);
  return quantity;
}

/** Reads a number that must fit a JS integer, such as a height. */
export function readInteger(value: unknown, what: string): number {
  const integer = Number(readQuantity(value, what));
  if (!Number.isSafeInteger(integer)) throw malformed(what);
  return integer;
}

/** Reads a time in Unix seconds. */
function readTime(value: unknown): Date {
  const seconds = readInteger(value, 'block timestamp');
  if (seconds > TIME_MAX_SECONDS) throw malformed('block timestamp');
  return new Date(seconds * 1_000);
}

/** Reads a 32-byte hash, in lower case. */
export function readHash(value: unknown, what: string): string {
  if (typeof value !== 'string' || !HASH.test(value)) throw malformed(what);
  return value.toLowerCase();
}

/** Reads a 20-byte address, in lower case. */
export function readAddress(value: unknown, what: string): string {
  if (typeof value !== 'string' || !ADDRESS.test(value)) throw malformed(what);
  return value.toLowerCase();
}

/** Reads a block of `eth_getBlockBy...`. */
export function readHeader(value: unknown): BlockHeader {
  const block = readRecord(value, 'block');
  const bloom = block['logsBloom'];
  return {
    height: readInteger(block['number'], 'block number'),
    hash: readHash(block['hash'], 'block hash'),
    parentHash: readHash(block['parentHash'], 'parent hash'),
    time: readTime(block['timestamp']),
    ...(typeof bloom === 'string' && BLOOM.test(bloom) && { logsBloom: bloom }),
  };
}

/** Reads one log of `eth_getLogs` or of a receipt. */
export function readLog(value: unknown): LogEntry {
  const log = readRecord(value, 'log');
  return {
    blockHash: readHash(log['blockHash'], 'block hash of a log'),
    txHash: readHash(log['transactionHash'], 'transaction hash of a log'),
    logIndex: readInteger(log['logIndex'], 'log index'),
    address: log['address'],
    topics: log['topics'],
    data: log['data'],
    removed: log['removed'],
  };
}

/** Reads a receipt. Its logs must have consecutive indexes, because their order identifies deposits permanently. */
export function readReceipt(value: unknown): Receipt {
  const receipt = readRecord(value, 'receipt');
  const status = readInteger(receipt['status'], 'receipt status');
  if (status > 1) throw malformed('receipt status');
  const logs = readList(receipt['logs'], 'logs of a receipt').map(readLog);
  const first = logs[0]?.logIndex ?? 0;
  if (logs.some((log, position) => log.logIndex !== first + position))
    throw malformed('order of the logs of a receipt');
  return {
    txHash: readHash(receipt['transactionHash'], 'transaction hash of a receipt'),
    blockHash: readHash(receipt['blockHash'], 'block hash of a receipt'),
    succeeded: status === 1,
    logs,
  };
}

function malformed(what: string): ChainUnavailable {
  return new ChainUnavailable(`The node answered with a malformed ${what}.`);
}

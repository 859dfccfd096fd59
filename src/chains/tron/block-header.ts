import { createHash } from 'node:crypto';
import { type BlockHeader, ChainUnavailable } from '../chain.js';
import { isRecord } from '../rpc/json-rpc.js';
import { blockShape, parsed, type RawHeader, unknownFieldsOf } from './answer-shapes.js';
import { bytesField, message, numberField } from './wire-message.js';

/** An id of a block begins with its height, in hex. */
const HEIGHT_DIGITS = 16;

/**
 * Reads the header of a block. Its id is the hash of all of it, so a node cannot show a block of the chain with another time
 * or parent. The first block is not hashed: the profile of the network names its id.
 * @throws ChainUnavailable for a header that contradicts its id
 */
export function headerIn(answer: unknown): BlockHeader {
  const { blockID, block_header } = parsed(blockShape, answer, 'block');
  const { number, parentHash, timestamp } = block_header.raw_data;
  const isOwnId = number === 0 ? heightIn(blockID) === 0 : blockID === idOf(block_header.raw_data);
  if (!isOwnId) throw contradiction(blockID, block_header.raw_data);
  return { height: number, hash: blockID, parentHash, time: new Date(timestamp) };
}

/** Whether an answer says nothing: what a node does not have is `{}`. */
export const isEmpty = (answer: unknown): boolean => isRecord(answer) && Object.keys(answer).length === 0;

const heightIn = (id: string): number => Number.parseInt(id.slice(0, HEIGHT_DIGITS), 16);

function contradiction(id: string, header: RawHeader): ChainUnavailable {
  const { number, timestamp } = header;
  const unknown = unknownFieldsOf(header);
  if (unknown.length === 0) return new ChainUnavailable(`The node returned block ${number} as ${id}, of ${timestamp}.`);
  return new ChainUnavailable(
    `The header of block ${number} has fields that this version of Coffer does not know: ${unknown.join(', ')}. Upgrade Coffer.`,
  );
}

/** Returns the height, then the end of the hash. Source: java-tron's BlockCapsule.getBlockId, and BlockHeader in Tron.proto. */
function idOf(header: RawHeader): string {
  const bytes = message(
    numberField(1, BigInt(header.timestamp)),
    bytesField(2, Buffer.from(header.txTrieRoot, 'hex')),
    bytesField(3, Buffer.from(header.parentHash, 'hex')),
    numberField(7, BigInt(header.number)),
    numberField(8, BigInt(header.witness_id)),
    bytesField(9, Buffer.from(header.witness_address, 'hex')),
    numberField(10, BigInt(header.version)),
    bytesField(11, Buffer.from(header.accountStateRoot, 'hex')),
  );
  const hash = createHash('sha256').update(bytes).digest('hex');
  return header.number.toString(16).padStart(HEIGHT_DIGITS, '0') + hash.slice(HEIGHT_DIGITS);
}

import { type BlockHeader, ChainUnavailable } from '../chain.js';
import { isRecord } from '../rpc/json-rpc.js';
import { blockShape, parsed } from './answer-shapes.js';

/** An id of a block begins with its height, in hex. */
const HEIGHT_DIGITS = 16;

/** Reads the header of a block. @throws ChainUnavailable for one that contradicts its id */
export function headerIn(answer: unknown): BlockHeader {
  const { blockID, block_header } = parsed(blockShape, answer, 'block');
  const { number, parentHash, timestamp } = block_header.raw_data;
  if (Number.parseInt(blockID.slice(0, HEIGHT_DIGITS), 16) !== number || (timestamp === 0 && number > 0)) {
    throw new ChainUnavailable(`The node returned block ${number} as ${blockID}, of ${timestamp}.`);
  }
  return { height: number, hash: blockID, parentHash, time: new Date(timestamp) };
}

/** Whether an answer says nothing: what a node does not have is `{}`. */
export const isEmpty = (answer: unknown): boolean => isRecord(answer) && Object.keys(answer).length === 0;

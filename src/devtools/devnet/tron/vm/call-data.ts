import { evmBytesOf } from '../address.js';
import { selectorOf } from './contract-artifact.js';

const WORD_BYTES = 32;

/** Encodes a call whose arguments are address keys and numbers. */
export function callData(signature: string, ...values: readonly (string | bigint)[]): Uint8Array {
  return Buffer.concat([Buffer.from(selectorOf(signature), 'hex'), ...values.map(word)]);
}

function word(value: string | bigint): Uint8Array {
  const bytes = Buffer.alloc(WORD_BYTES);
  const hex = typeof value === 'bigint' ? value.toString(16).padStart(2 * WORD_BYTES, '0') : '';
  const content = typeof value === 'bigint' ? Buffer.from(hex, 'hex') : evmBytesOf(value);
  bytes.set(content, WORD_BYTES - content.length);
  return bytes;
}

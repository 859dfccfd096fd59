import { isRecord } from '../rpc/json-rpc.js';
import { hashOfKey, keyOfHash } from './tron-address.js';

/** keccak256 of `Transfer(address,address,uint256)`. */
const TRANSFER_TOPIC = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const TOPIC_COUNT = 3;
const WORD = /^[0-9a-f]{64}$/;
/** An address is left-padded with zeros to the 32 bytes of a topic. */
const ADDRESS_TOPIC = /^0{24}[0-9a-f]{40}$/;
const ADDRESS_OFFSET = 24;

/** Listed tokens: their keys by their addresses in logs, 20 bytes in hex. */
export type ListedTokens = ReadonlyMap<string, string>;

export const listedTokens = (keys: readonly string[]): ListedTokens =>
  new Map(keys.map((key) => [hashOfKey(key), key]));

/** A transfer of a listed token; addresses by their keys, amount in smallest units, above zero. */
export interface TokenTransfer {
  readonly token: string;
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
}

/**
 * Reads a log of an info as a transfer of a listed token to us, or null when it is anything else: another contract or event,
 * non-zero bytes before an address, data that is not one word, a value of zero. Other contracts may write anything into their
 * logs, so the parser is strict.
 */
export function decodeTransfer(
  log: unknown,
  listed: ListedTokens,
  isOurs: (address: string) => boolean,
): TokenTransfer | null {
  if (!isRecord(log)) return null;
  const { address, topics, data } = log;
  const token = typeof address === 'string' ? listed.get(address) : undefined;
  if (token === undefined || !Array.isArray(topics) || topics.length !== TOPIC_COUNT) return null;
  const [event, fromTopic, toTopic] = topics as readonly unknown[];
  if (event !== TRANSFER_TOPIC) return null;
  const to = hashIn(toTopic);
  if (to === null || !isOurs(to)) return null;
  const from = hashIn(fromTopic);
  if (from === null || typeof data !== 'string' || !WORD.test(data)) return null;
  const amount = BigInt(`0x${data}`);
  return amount > 0n ? { token, from: keyOfHash(from), to: keyOfHash(to), amount } : null;
}

function hashIn(topic: unknown): string | null {
  return typeof topic === 'string' && ADDRESS_TOPIC.test(topic) ? topic.slice(ADDRESS_OFFSET) : null;
}

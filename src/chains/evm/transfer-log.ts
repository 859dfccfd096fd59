import type { LogEntry } from '../log-entry.js';

/** keccak256 of `Transfer(address,address,uint256)`: ERC-20 and ERC-721 share it. */
export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

const TOPIC_COUNT = 3;
const ADDRESS_TOPIC = /^0x0{24}[0-9a-f]{40}$/i;
const ADDRESS_OFFSET = 26;
const WORD = /^0x[0-9a-f]{64}$/i;

/** An ERC-20 transfer; addresses in lower case, amount in smallest units and above zero. */
export interface TokenTransfer {
  readonly token: string;
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
}

/**
 * Reads a log as a transfer of a listed token (contracts in lower case), or null when it is anything else: another
 * contract or event, an ERC-721 transfer (4 topics), non-zero bytes before an address, data that is not one word, a value
 * of zero, a removed log. Other contracts may write anything into their logs, so the parser is strict.
 */
export function decodeTransfer(log: LogEntry, listed: ReadonlySet<string>): TokenTransfer | null {
  const token = lowerCase(log.address);
  if (token === null || !listed.has(token) || log.removed === true) return null;
  if (!Array.isArray(log.topics) || log.topics.length !== TOPIC_COUNT) return null;
  const [event, fromTopic, toTopic] = log.topics as readonly unknown[];
  if (lowerCase(event) !== TRANSFER_TOPIC) return null;
  const from = addressIn(fromTopic);
  const to = addressIn(toTopic);
  if (from === null || to === null) return null;
  if (typeof log.data !== 'string' || !WORD.test(log.data)) return null;
  const amount = BigInt(log.data);
  return amount > 0n ? { token, from, to, amount } : null;
}

function addressIn(topic: unknown): string | null {
  if (typeof topic !== 'string' || !ADDRESS_TOPIC.test(topic)) return null;
  return `0x${topic.slice(ADDRESS_OFFSET).toLowerCase()}`;
}

function lowerCase(value: unknown): string | null {
  return typeof value === 'string' ? value.toLowerCase() : null;
}

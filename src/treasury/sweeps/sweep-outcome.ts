import { decodeTransfer } from '../../chains/evm/transfer-log.js';
import type { LogEntry } from '../../chains/log-entry.js';
import { NATIVE_COIN } from '../../domain/network.js';
import type { SweepItem } from '../../chains/evm/sweep-call.js';
import { SWEEP_BATCH, SWEEP_DELEGATE } from '../../chains/evm/sweep-contracts.js';
import { evmKey } from '../../domain/evm-address.js';

const COIN_SWEPT_TOPIC = SWEEP_DELEGATE.getEvent('CoinSwept')?.topicHash;
const STOPPED_TOPIC = SWEEP_BATCH.getEvent('StoppedAt')?.topicHash;
const WORD = /^0x[0-9a-f]{64}$/i;

/** An item and the amount that the treasury received from it, in smallest units; 0 when nothing. */
export interface SweptItem extends SweepItem {
  readonly amount: bigint;
}

/**
 * Returns the real result of a sweep, by the logs of its receipt. A successful transaction proves nothing: a batch
 * skips items that fail, addresses that do not delegate, and the rest when it runs low on gas.
 */
export function sweepOutcome(items: readonly SweepItem[], logs: readonly LogEntry[], treasury: string): SweptItem[] {
  const tokens = new Set(items.map(({ tokenContract }) => evmKey(tokenContract)));
  const amounts = new Map<string, bigint>();
  for (const log of logs) {
    const moved = coinSwept(log) ?? tokenSwept(log, tokens, evmKey(treasury));
    if (moved === null) continue;
    const key = keyOf(moved);
    amounts.set(key, (amounts.get(key) ?? 0n) + moved.amount);
  }
  return items.map((item) => ({ ...item, amount: amounts.get(keyOf(item)) ?? 0n }));
}

/** Returns the place of the first item that the batch did not try for want of gas; null when it tried all. */
export function stoppedAt(logs: readonly LogEntry[], batch: string): number | null {
  for (const { address, topics, data } of logs) {
    const isOfBatch = typeof address === 'string' && evmKey(address) === evmKey(batch);
    if (!isOfBatch || !Array.isArray(topics) || topics[0] !== STOPPED_TOPIC) continue;
    if (typeof data === 'string' && WORD.test(data)) return Number(BigInt(data));
  }
  return null;
}

function tokenSwept(log: LogEntry, tokens: ReadonlySet<string>, treasury: string): SweptItem | null {
  const transfer = decodeTransfer(log, tokens);
  if (transfer === null || transfer.to !== treasury) return null;
  return { deposit: transfer.from, tokenContract: transfer.token, amount: transfer.amount };
}

/** Logged by the deposit address itself, which runs no code but the delegate's. */
function coinSwept({ address, topics, data }: LogEntry): SweptItem | null {
  if (typeof address !== 'string' || typeof data !== 'string' || !Array.isArray(topics)) return null;
  if (topics.length !== 1 || topics[0] !== COIN_SWEPT_TOPIC || !WORD.test(data)) return null;
  return { deposit: address, tokenContract: NATIVE_COIN, amount: BigInt(data) };
}

const keyOf = ({ deposit, tokenContract }: SweepItem): string => evmKey(`${deposit} ${tokenContract}`);

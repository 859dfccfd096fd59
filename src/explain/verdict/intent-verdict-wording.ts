import { formatUnits } from '../../domain/money.js';

/** An amount with its token. */
interface Amount {
  readonly token: string;
  readonly decimals: number;
  readonly amount: bigint;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Below this many of a unit the smaller one is more precise: 90 seconds, not 2 minutes. */
const LARGE_FROM = 2;

/** `25.5 USDC`. */
export function amountText({ amount, decimals, token }: Amount): string {
  return `${formatUnits(amount, decimals)} ${token}`;
}

/** The sums of each token, as `25 USDT and 1.5 POL`. */
export function sumText(amounts: readonly Amount[]): string {
  const sums = new Map<string, Amount>();
  for (const each of amounts) {
    const key = `${each.token}/${each.decimals}`;
    sums.set(key, { ...each, amount: each.amount + (sums.get(key)?.amount ?? 0n) });
  }
  return listText([...sums.values()].map(amountText));
}

/** `a, b and c`. */
export function listText(items: readonly string[]): string {
  const last = items.at(-1) ?? '';
  return items.length < 2 ? last : `${items.slice(0, -1).join(', ')} and ${last}`;
}

/** `1 block`, `3 blocks`. */
export function countText(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}

/** A length of time as people say it: rounded, in one unit, at least a second. */
export function durationText(seconds: number): string {
  for (const [unit, name] of [
    [DAY, 'day'],
    [HOUR, 'hour'],
    [MINUTE, 'minute'],
  ] as const) {
    if (seconds >= unit * LARGE_FROM) return countText(Math.round(seconds / unit), name);
  }
  return countText(Math.max(1, Math.round(seconds)), 'second');
}

/** The time between two moments, in either direction. */
export function betweenText(one: Date, other: Date): string {
  return durationText(Math.abs(one.getTime() - other.getTime()) / 1000);
}

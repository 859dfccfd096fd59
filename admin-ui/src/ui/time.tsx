import { useSyncExternalStore } from 'react';
import { type TimeStyle, useTimeStyle } from './time-style.ts';

const TICK_MS = 15_000;
const MINUTE_S = 60;
const HOUR_S = 3_600;
const DAY_S = 86_400;
/** Beyond it a date says more than a count of days. */
const RELATIVE_MAX_S = 30 * DAY_S;
// `toLocaleString` would make a formatter for each time.
const LOCAL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });

let now = Date.now();
const listeners = new Set<() => void>();
let ticker: ReturnType<typeof setInterval> | undefined;

/** One clock for all times on the page. */
function useNow(): number {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      ticker ??= setInterval(() => {
        now = Date.now();
        for (const one of listeners) one();
      }, TICK_MS);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearInterval(ticker);
        ticker = undefined;
      };
    },
    () => now,
  );
}

/** A point in time, ISO 8601: "3 min ago", or the whole time. The pointer shows UTC and local time. */
export function Time({ at }: { readonly at: string }) {
  const style = useTimeStyle();
  const current = Math.max(useNow(), Date.now());
  return (
    <time dateTime={at} title={`${utcTime(at)}\n${localTime(at)}`}>
      {written(at, style, current)}
    </time>
  );
}

function written(at: string, style: TimeStyle, current: number): string {
  if (style === 'utc') return utcTime(at);
  return style === 'local' ? localTime(at) : relativeTime(Date.parse(at), current);
}

/** `2026-11-26 08:15:04 UTC`. */
function utcTime(at: string): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

const localTime = (at: string): string => LOCAL.format(new Date(at));

/** `now`, `40 s ago`, `in 5 min`, `3 h ago`, `12 d ago`; a date when it is further away than a month. Times in ms. */
export function relativeTime(at: number, current: number): string {
  const seconds = Math.round(Math.abs(current - at) / 1_000);
  if (seconds > RELATIVE_MAX_S) return new Date(at).toISOString().slice(0, 10);
  if (seconds < 5) return 'now';
  const amount =
    seconds < MINUTE_S
      ? `${seconds} s`
      : seconds < HOUR_S
        ? `${Math.floor(seconds / MINUTE_S)} min`
        : seconds < DAY_S
          ? `${Math.floor(seconds / HOUR_S)} h`
          : `${Math.floor(seconds / DAY_S)} d`;
  return at > current ? `in ${amount}` : `${amount} ago`;
}

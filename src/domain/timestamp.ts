/** A date, or a date-time with seconds and a zone. An unescaped `+` in a query string arrives as a space. */
const TIMESTAMP = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:Z|([+\- ])(\d\d):(\d\d)))?$/;

const OFFSET_MINUTES_MAX = 14 * 60;

/** Midnight UTC of a day, or null when there is no such day. (`Date` alone would turn 30 February into 1 March.) */
function midnightOf(year: number, month: number, day: number): Date | null {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date : null;
}

/** Minutes east of UTC, or null when no place on Earth has that offset. */
function offsetMinutesOf(sign: string, hours: number, minutes: number): number | null {
  const total = hours * 60 + minutes;
  if (minutes > 59 || total > OFFSET_MINUTES_MAX) return null;
  return sign === '-' ? -total : total;
}

/**
 * Milliseconds of a fraction of a second, rounded up. Stored times have whole milliseconds, so `>= bound` and `< bound`
 * select the same rows as the finer bound would.
 */
function millisecondsOf(fraction: string): number {
  return Math.ceil(Number(fraction.padEnd(9, '0')) / 1_000_000);
}

/**
 * Parses a timestamp of a query: an RFC 3339 date-time with `Z` or an offset up to 14 hours, or a date, which means its
 * midnight UTC. Null for anything else: impossible days, second 60, or an instant outside the years 1 to 9999.
 */
export function parseTimestamp(text: string): Date | null {
  const match = TIMESTAMP.exec(text);
  if (match === null) return null;
  const [
    ,
    year,
    month,
    day,
    hour = '0',
    minute = '0',
    second = '0',
    fraction = '',
    sign = '+',
    east = '0',
    rest = '0',
  ] = match;
  const date = midnightOf(Number(year), Number(month), Number(day));
  const offset = offsetMinutesOf(sign, Number(east), Number(rest));
  if (date === null || offset === null) return null;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  date.setUTCHours(Number(hour), Number(minute) - offset, Number(second), millisecondsOf(fraction));
  return date.getUTCFullYear() >= 1 && date.getUTCFullYear() <= 9999 ? date : null;
}

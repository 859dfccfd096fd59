// Loaded before the service and its development chains (`moved-clock.ts`): their `Date` is off by the milliseconds in a file.
import { readFileSync } from 'node:fs';

const FILE = process.env.MOVED_CLOCK_FILE;
const READ_EVERY_MS = 5;
const RealDate = Date;
let movedBy = 0;
let readAt = -Infinity;

/** Timers and durations use `performance.now()`, which nothing moves. */
function now() {
  const at = performance.now();
  if (at - readAt >= READ_EVERY_MS) {
    movedBy = Number(readFileSync(FILE, 'utf8'));
    readAt = at;
  }
  return RealDate.now() + movedBy;
}

globalThis.Date = class Date extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(now());
    else super(...parts);
  }

  static now() {
    return now();
  }
};

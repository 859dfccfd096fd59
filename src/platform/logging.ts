import { type DestinationStream, type Logger, pino } from 'pino';
import { escapeTreacherous, redactLine } from './redaction.js';

/** Injection token of the process's logger. */
export const LOGGER = Symbol('Logger');

export interface LoggerOptions {
  /** Values that must not appear in any line, such as the vault's passphrase. */
  readonly secrets?: readonly string[];
  /** Where the lines go; standard output when absent. */
  readonly destination?: DestinationStream;
}

/** Creates the process's logger: one line of JSON per event, without secrets, whatever is logged. */
export function createLogger(level: string, { secrets, destination }: LoggerOptions = {}): Logger {
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // On the finished line, because a secret may hide in any field, message or stack.
      hooks: { streamWrite: (line) => escapeTreacherous(redactLine(line, secrets)) },
    },
    destination ?? pino.destination(1),
  );
}

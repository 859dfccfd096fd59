import { type DestinationStream, type Logger, pino } from 'pino';
import { escapeTreacherous, redactLine } from './redaction.js';

/** Injection token of the process's logger. */
export const LOGGER = Symbol('Logger');

export interface LoggerOptions {
  /** Values that must not appear in any line: the vault's passphrase, the secrets key. */
  readonly secrets?: readonly string[];
  /** Where the lines go; standard output when absent. */
  readonly destination?: DestinationStream;
}

/** The process's logger: one line of JSON per fact, free of secrets whatever is handed to it. */
export function createLogger(level: string, { secrets, destination }: LoggerOptions = {}): Logger {
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // On the finished line, as a secret may hide in any field, message or stack.
      hooks: { streamWrite: (line) => escapeTreacherous(redactLine(line, secrets)) },
    },
    destination ?? pino.destination(1),
  );
}

import { styleText } from 'node:util';
import { hasErrorCode } from '../platform/processes.js';

type Style = 'bold' | 'dim' | 'green' | 'yellow' | 'red';

/** Where a command speaks: results on standard output, everything about failures on standard error. */
export interface Terminal {
  line(text?: string): void;
  problem(text: string): void;
  /** One JSON object on one line of standard output, for machines. */
  json(value: unknown): void;
  /** Colours on a terminal that shows them, and never with `NO_COLOR`. */
  paint(style: Style, text: string): string;
}

/** Lets whoever reads a stream stop reading, as `head` does: a command that has begun goes on to its end all the same. */
export function outliveReader(stream: NodeJS.WritableStream): void {
  stream.on('error', (error) => {
    if (!hasErrorCode(error, 'EPIPE')) throw error;
  });
}

/** The terminal over two streams. */
export function terminalOf(output: NodeJS.WritableStream, errors: NodeJS.WritableStream): Terminal {
  return {
    line: (text = '') => void output.write(`${text}\n`),
    problem: (text) => void errors.write(`${text}\n`),
    json: (value) => void output.write(`${JSON.stringify(value)}\n`),
    paint: (style, text) => styleText(style, text, { stream: output }),
  };
}

/** Rows as columns that line up, each line without blanks at its end. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, index) => (widths[index] = Math.max(widths[index] ?? 0, cell.length)));
  return rows.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** Text of somebody else, in which nothing steers the terminal: control and formatting characters become U+FFFD. */
export const printable = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}]/gu, '\u{FFFD}');

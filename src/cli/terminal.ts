import { styleText } from 'node:util';
import { hasErrorCode } from '../platform/processes.js';

type Style = 'bold' | 'dim' | 'green' | 'yellow' | 'red';

/** The output of a command: results on standard output, failures on standard error. */
export interface Terminal {
  line(text?: string): void;
  problem(text: string): void;
  /** One JSON object on one line of standard output, for machines. */
  json(value: unknown): void;
  /** Colours the text if the terminal supports it and `NO_COLOR` is not set. */
  paint(style: Style, text: string): string;
}

/** Ignores that the reader of a stream stops reading, as `head` does: a command must still finish its work. */
export function outliveReader(stream: NodeJS.WritableStream): void {
  stream.on('error', (error) => {
    if (!hasErrorCode(error, 'EPIPE')) throw error;
  });
}

/** Returns the terminal over two streams. */
export function terminalOf(output: NodeJS.WritableStream, errors: NodeJS.WritableStream): Terminal {
  return {
    line: (text = '') => void output.write(`${text}\n`),
    problem: (text) => void errors.write(`${text}\n`),
    json: (value) => void output.write(`${JSON.stringify(value)}\n`),
    paint: (style, text) => styleText(style, text, { stream: output }),
  };
}

/** Aligns rows in columns, without trailing blanks. */
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

/** Makes untrusted text safe for a terminal: control and formatting characters become U+FFFD. */
export const printable = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}]/gu, '\u{FFFD}');

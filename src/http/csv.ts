/** A value of a cell: text, a number, a time, or nothing. */
export type CsvCell = string | number | Date | null;

/** Begins a formula in a spreadsheet, also behind spaces, and in the wide forms that some programs read alike. */
const FORMULA = /^[\s\0]*[=+\-@\t\r＝＋－＠]/;
const QUOTED = /["\r\n,;]/;

/**
 * Returns one line of CSV (RFC 4180) with its line end. Text that a spreadsheet would run as a formula begins with an
 * apostrophe. Times are UTC in ISO 8601.
 */
function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

function cellOf(value: CsvCell): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = value instanceof Date ? value.toISOString() : value;
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return QUOTED.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** Makes the lines of a file, batch by batch, so that a large export is never in memory as a whole. */
export async function* csvLines<Item>(
  head: readonly string[],
  batches: AsyncIterable<readonly Item[]>,
  cells: (item: Item) => readonly CsvCell[],
): AsyncGenerator<string> {
  yield csvLine(head);
  for await (const batch of batches) yield batch.map((item) => csvLine(cells(item))).join('');
}

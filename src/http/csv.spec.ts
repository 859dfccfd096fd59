import { type CsvCell, csvLines } from './csv.js';

/** The one line of a file with these cells, behind its empty head. */
async function lineOf(cells: readonly CsvCell[]): Promise<string> {
  async function* once() {
    yield [cells];
  }
  const parts: string[] = [];
  for await (const part of csvLines([], once(), (item) => item)) parts.push(part);
  return parts.slice(1).join('');
}

describe('a line of CSV', () => {
  it.each([
    ['=HYPERLINK("http://evil")', `"'=HYPERLINK(""http://evil"")"\r\n`],
    ['+1', "'+1\r\n"],
    ['-1+cmd|', "'-1+cmd|\r\n"],
    ['@SUM(A1)', "'@SUM(A1)\r\n"],
    ['  =1', "'  =1\r\n"],
    ['\t=1', "'\t=1\r\n"],
    ['＝1', "'＝1\r\n"],
    ['a,b', '"a,b"\r\n'],
    ['say "hi"', '"say ""hi"""\r\n'],
    ['two\nlines', '"two\nlines"\r\n'],
    ['plain', 'plain\r\n'],
    ['2026-01-31', '2026-01-31\r\n'],
  ])('writes %j so that no spreadsheet runs it [M-163]', async (text, line) => {
    expect(await lineOf([text])).toBe(line);
  });

  it('writes numbers as they are, times in UTC, and nothing for null', async () => {
    expect(await lineOf([-5, new Date('2026-01-31T12:00:00+02:00'), null, ''])).toBe('-5,2026-01-31T10:00:00.000Z,,\r\n');
  });

  it('begins a file with its head, and goes on batch by batch', async () => {
    async function* batches() {
      yield [1, 2];
      yield [3];
    }
    const parts: string[] = [];
    for await (const part of csvLines(['n', 'twice'], batches(), (n) => [n, n * 2])) parts.push(part);
    expect(parts).toEqual(['n,twice\r\n', '1,2\r\n2,4\r\n', '3,6\r\n']);
  });
});

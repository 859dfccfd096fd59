import { readFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);
const FENCE = /^```/;

/** A document of the repository, such as `docs/errors.md`. */
export function readDocument(path: string): string {
  return readFileSync(new URL(path, root), 'utf8');
}

/** The lines of a document outside of fenced code. */
function proseLines(text: string): string[] {
  let isCode = false;
  return text.split('\n').filter((line) => {
    if (!FENCE.test(line)) return !isCode;
    isCode = !isCode;
    return false;
  });
}

/** The headings of a document, all or those of one depth. */
export function headingsOf(text: string, depth?: number): string[] {
  return proseLines(text).flatMap((line) => {
    const [, marks = '', heading = ''] = /^(#+) (.+)$/.exec(line) ?? [];
    return marks !== '' && (depth === undefined || marks.length === depth) ? [heading] : [];
  });
}

/** The text between a heading of depth 2 and the next one. */
export function sectionOf(text: string, heading: string): string {
  const [, rest] = text.split(`\n## ${heading}\n`);
  if (rest === undefined) throw new Error(`There is no section "${heading}".`);
  return rest.split('\n## ', 1)[0] ?? '';
}

/** The cells of the first table after a heading, without its head and without backticks. */
export function tableUnder(text: string, heading: string): string[][] {
  const lines = proseLines(text);
  const start = lines.findIndex((line) => line.replace(/^#+ /, '') === heading && line.startsWith('#'));
  if (start === -1) throw new Error(`There is no heading "${heading}".`);
  const first = lines.findIndex((line, index) => index > start && line.startsWith('|'));
  const end = lines.findIndex((line, index) => index > first && !line.startsWith('|'));
  return lines.slice(first + 2, end === -1 ? undefined : end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}

/** The fenced block after the comment `<!-- marker: ... -->`. */
export function codeBlock(text: string, marker: string): string {
  const found = new RegExp(`<!-- ${marker}: [^>]*-->\\s+\`\`\`\\w+\\n([^]*?)\\n\`\`\``).exec(text)?.[1];
  if (found === undefined) throw new Error(`There is no block "${marker}".`);
  return `${found}\n`;
}

import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { postgresToolsFor } from './compiled.ts';

/** One line of the table. */
export interface Figure {
  readonly name: string;
  readonly measured: string;
  readonly limit: string;
  readonly isMet: boolean;
}

/** A figure with the day of its measurement, as YYYY-MM-DD. */
interface DatedFigure extends Figure {
  readonly date: string;
}

const RESULTS = join(import.meta.dirname, 'results.md');
const GIB = 2 ** 30;

/** Returns the figures as a table for the terminal and for Markdown, with a column of days when they have any. */
export function tableOf(figures: readonly (Figure | DatedFigure)[]): string {
  const rows = [['Figure', 'Measured', 'Limit', 'Verdict', 'Date'], ...figures.map(cellsOf)];
  const columns = figures.some((figure) => 'date' in figure) ? [0, 1, 2, 3, 4] : [0, 1, 2, 3];
  const widths = columns.map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map(
    (row) => `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width)).join(' | ')} |`,
  );
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [lines[0], rule, ...lines.slice(1)].join('\n');
}

const cellsOf = (figure: Figure | DatedFigure): string[] => [
  figure.name,
  figure.measured,
  figure.limit,
  figure.isMet ? 'met' : 'NOT MET',
  'date' in figure ? figure.date : '',
];

/**
 * Writes the table and the machine to results.md.
 *
 * @param options.isWhole the figures are all there are; without it they replace those of the same name, and new ones come last
 */
export async function keepResults(
  figures: readonly Figure[],
  notes: readonly string[],
  { isWhole }: { readonly isWhole: boolean },
): Promise<void> {
  const date = new Date().toISOString().slice(0, 10);
  const fresh = figures.map((figure) => ({ ...figure, date }));
  const tools = await postgresToolsFor(tmpdir());
  const postgres = (await tools.run('postgres', ['--version'])).replace(/^.*\(PostgreSQL\) /, '');
  const [cpu] = cpus();
  const machine = `${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / GIB)} GiB of memory`;
  const content = [
    '# Bench results',
    '',
    'Written by `npm run bench`.',
    '',
    `- Machine: ${machine}; PostgreSQL, load generator and receivers run on it too`,
    `- Node ${process.versions.node}, PostgreSQL ${postgres}`,
    '',
    tableOf(isWhole ? fresh : replaced(keptFigures(), fresh)),
    '',
    ...notes.map((note) => `- ${note}`),
    '',
  ];
  writeFileSync(RESULTS, content.join('\n'));
}

/** Returns the figures of results.md. */
function keptFigures(): DatedFigure[] {
  const [, , ...lines] = readFileSync(RESULTS, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| '));
  return lines.map((line) => {
    const [name = '', measured = '', limit = '', verdict, date = ''] = line
      .slice(1, -1)
      .split(' | ')
      .map((cell) => cell.trim());
    return { name, measured, limit, isMet: verdict === 'met', date };
  });
}

function replaced(kept: readonly DatedFigure[], fresh: readonly DatedFigure[]): DatedFigure[] {
  const byName = new Map([...kept, ...fresh].map((figure) => [figure.name, figure]));
  return [...byName.values()];
}

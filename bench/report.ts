import { writeFileSync } from 'node:fs';
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

const RESULTS = join(import.meta.dirname, 'results.md');
const GIB = 2 ** 30;

/** Returns the figures as a table for the terminal and for Markdown. */
export function tableOf(figures: readonly Figure[]): string {
  const cells = figures.map((figure) => [figure.name, figure.measured, figure.limit, figure.isMet ? 'met' : 'NOT MET']);
  const rows = [['Figure', 'Measured', 'Limit', 'Verdict'], ...cells];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`);
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [lines[0], rule, ...lines.slice(1)].join('\n');
}

/** Writes the table and the machine to results.md. */
export async function keepResults(figures: readonly Figure[], notes: readonly string[]): Promise<void> {
  const tools = await postgresToolsFor(tmpdir());
  const postgres = (await tools.run('postgres', ['--version'])).replace(/^.*\(PostgreSQL\) /, '');
  const [cpu] = cpus();
  const machine = `${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / GIB)} GiB of memory`;
  const content = [
    '# Bench results',
    '',
    'Written by `npm run bench`.',
    '',
    `- Date: ${new Date().toISOString().slice(0, 10)}`,
    `- Machine: ${machine}; PostgreSQL, load generator and receivers run on it too`,
    `- Node ${process.versions.node}, PostgreSQL ${postgres}`,
    '',
    tableOf(figures),
    '',
    ...notes.map((note) => `- ${note}`),
    '',
  ];
  writeFileSync(RESULTS, content.join('\n'));
}

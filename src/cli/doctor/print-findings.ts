import { columns, type Terminal } from '../terminal.js';
import type { Finding } from './doctor-finding.js';

const COLOURS = { ok: 'green', warn: 'yellow', fail: 'red' } as const;

/** Prints findings as a table, and below each problem what to do. */
export function printFindings(findings: readonly Finding[], terminal: Terminal): void {
  const lines = columns(findings.map(({ level, check, detail }) => [level, check, detail]));
  findings.forEach(({ level, fix }, index) => {
    const line = lines[index] ?? '';
    terminal.line(terminal.paint(COLOURS[level], line.slice(0, level.length)) + line.slice(level.length));
    if (fix !== null) terminal.line(`      fix: ${fix}`);
  });
}

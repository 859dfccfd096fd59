import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inspect } from 'node:util';

/** The variable with the file through which the processes of a run report errors; they inherit the environment. */
const FILE = 'STRAY_ERRORS_FILE';

/** Creates the file. Call it before the run starts processes. */
export function collectStrayErrors() {
  process.env[FILE] = join(mkdtempSync(join(tmpdir(), 'stray-errors-')), 'errors');
}

/** Records an error that occurred while no test file ran. `lastFile` is the previous file of this process, or null. */
export function keepStrayError(error, lastFile) {
  const where = lastFile === null ? 'before the first test file' : `after ${lastFile}`;
  const text = `While no test ran, ${where}:\n${inspect(error)}\n`;
  const file = process.env[FILE];
  if (file !== undefined) return appendFileSync(file, `${JSON.stringify(text)}\n`);
  // The report is printed already: only the exit code is left.
  process.stderr.write(text);
  process.exitCode = 1;
}

/** Returns all errors of the run, each with its place. Later ones go to the standard error and fail the process. */
export function takeStrayErrors() {
  const file = process.env[FILE];
  delete process.env[FILE];
  if (file === undefined) return [];
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
  rmSync(dirname(file), { recursive: true });
  return lines.map((line) => JSON.parse(line));
}

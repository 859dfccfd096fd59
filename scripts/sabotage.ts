/**
 * Makes deliberate bugs in a copy of the tree, one by one, and reports those that no test catches. The spec files that are
 * expected to fail run first; when they stay green, the rest of the suite follows. Exit code 1 when a bug escapes, does not
 * compile, or its edits no longer apply.
 * Run: `npm run sabotage -- [--list] [--quick] [name...]`.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Bug, withEdit } from './sabotage/bug.ts';
import { BUGS } from './sabotage/bugs.ts';
import { Runs, type TestRun } from './sabotage/runs.ts';
import { TreeCopy } from './sabotage/tree-copy.ts';

const ROOT = join(import.meta.dirname, '..');
const SPECS = ['{src,test}/**/*.spec.ts', 'test/**/*.e2e-spec.ts'];
const HELP = `usage: npm run sabotage -- [options] [name...]

  --list    prints the bugs and makes none
  --check   checks that every edit applies and compiles, and runs no test
  --quick   runs only the expected specs: a bug that they do not catch counts as escaped`;

type Verdict = 'caught' | 'caught elsewhere' | 'ESCAPED' | 'NO RESULT';

const { values, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) console.log(HELP);
else {
  const bugs = chosen(names);
  if (values.list) for (const { name, harm } of bugs) console.log(`${name.padEnd(26)} ${harm}`);
  else process.exitCode = (await sabotage(bugs)) ? 0 : 1;
}

/** Returns the bugs with these names, or all. */
function chosen(wanted: readonly string[]): readonly Bug[] {
  const unknown = wanted.filter((name) => !BUGS.some((bug) => bug.name === name));
  if (unknown.length > 0) throw new Error(`No such bug: ${unknown.join(', ')}. See --list.`);
  return BUGS.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
}

/** Returns true when every bug is caught, or with `--check` when every bug can be made. */
async function sabotage(bugs: readonly Bug[]): Promise<boolean> {
  const outdated = bugs.flatMap(faultsOf);
  for (const fault of outdated) console.error(fault);
  if (outdated.length > 0) return false;
  const copy = new TreeCopy(ROOT);
  const runs = new Runs(copy);
  const interrupted = (): void => {
    void runs.stop().finally(() => {
      copy.remove();
      process.exit(130);
    });
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, interrupted);
  try {
    if (!(await allCompile(copy, runs, bugs))) return false;
    return values.check || ((await isGreen(runs, bugs)) && (await makeAll(copy, runs, bugs)));
  } finally {
    copy.remove();
  }
}

/** Returns the problems of a bug's entry with the current sources. */
function faultsOf({ name, edits, specs }: Bug): readonly string[] {
  const texts = new Map(edits.map(({ file }) => [file, readFileSync(join(ROOT, file), 'utf8')]));
  const faults = specs.filter((spec) => !existsSync(join(ROOT, spec))).map((spec) => `there is no ${spec}`);
  for (const edit of edits) {
    try {
      texts.set(edit.file, withEdit(texts.get(edit.file) ?? '', edit));
    } catch (error) {
      faults.push(error instanceof Error ? error.message : String(error));
    }
  }
  return faults.map((fault) => `${name}: ${fault}`);
}

/** Checks that the bugs compile, because a bug that does not compile proves nothing. All at once first, to save time. */
async function allCompile(copy: TreeCopy, runs: Runs, bugs: readonly Bug[]): Promise<boolean> {
  console.log(`The types of ${bugs.length} bugs ...`);
  const together = await typeErrorsWith(copy, runs, bugs);
  if (together === null) return true;
  console.error(`Together they do not compile; now one by one.\n${together}`);
  let isFine = true;
  for (const bug of bugs) {
    const errors = await typeErrorsWith(copy, runs, [bug]);
    if (errors === null) continue;
    console.error(`${bug.name} does not compile.\n${errors}`);
    isFine = false;
  }
  return isFine;
}

async function typeErrorsWith(copy: TreeCopy, runs: Runs, bugs: readonly Bug[]): Promise<string | null> {
  const takeBack = copy.edit(bugs.flatMap(({ edits }) => edits));
  try {
    return await runs.typeErrors();
  } finally {
    takeBack();
  }
}

/** Checks that the specs pass without any bug, because a failing one proves nothing. */
async function isGreen(runs: Runs, bugs: readonly Bug[]): Promise<boolean> {
  const specs = [...new Set(bugs.flatMap((bug) => bug.specs))];
  console.log(`${specs.length} spec files without a bug ...`);
  const run = await runs.test(specs);
  if (run.kind === 'green') return true;
  console.error(`They fail without any bug.\n${outputOf(run)}`);
  return false;
}

async function makeAll(copy: TreeCopy, runs: Runs, bugs: readonly Bug[]): Promise<boolean> {
  const uncaught: string[] = [];
  for (const bug of bugs) {
    const takeBack = copy.edit(bug.edits);
    try {
      if (!(await tryBug(runs, bug)).startsWith('caught')) uncaught.push(bug.name);
    } finally {
      takeBack();
    }
  }
  console.log(`${bugs.length - uncaught.length} of ${bugs.length} bugs are caught.`);
  if (uncaught.length > 0) console.log(`Not caught: ${uncaught.join(', ')}`);
  return uncaught.length === 0;
}

async function tryBug(runs: Runs, bug: Bug): Promise<Verdict> {
  const expected = await runs.test(bug.specs);
  if (expected.kind === 'red') return print(bug, 'caught', outputOf(expected));
  if (expected.kind === 'broken') return print(bug, 'NO RESULT', outputOf(expected));
  if (values.quick) return print(bug, 'ESCAPED', `from ${bug.specs.join(', ')}`);
  const others = globSync([...SPECS], { cwd: ROOT }).filter((path) => !bug.specs.includes(path));
  const rest = await runs.test(others);
  if (rest.kind === 'green') return print(bug, 'ESCAPED', 'from the whole suite');
  return print(bug, rest.kind === 'red' ? 'caught elsewhere' : 'NO RESULT', outputOf(rest));
}

function print({ name, harm }: Bug, verdict: Verdict, details: string): Verdict {
  console.log(`${verdict.padEnd(9)} ${name}: ${harm}\n  ${details.replaceAll('\n', '\n  ')}`);
  return verdict;
}

function outputOf(run: TestRun): string {
  const after = `after ${run.seconds.toFixed(1)} s`;
  if (run.kind === 'green') return `green ${after}`;
  if (run.kind === 'broken') return `no report ${after}\n${run.output.slice(-2_000)}`;
  const { spec, test, message } = run.failure;
  return `${after} by ${spec}\n${test}\n${message}`;
}

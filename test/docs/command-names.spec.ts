import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { COMMANDS } from '../../src/cli/commands.js';

const root = new URL('../../', import.meta.url);

/** What follows `coffer` in a sentence or a block of code, up to its first option or argument. */
const CALL = /\bnpx coffer ((?:[a-z]+(?:-[a-z]+)*)(?: [a-z]+(?:-[a-z]+)*)*)/g;

const names = COMMANDS.map(({ name }) => name);

/** Whether the words begin with a command, or name a group of commands that help lists. */
const isCurrent = (words: string): boolean =>
  names.some((name) => `${words} `.startsWith(`${name} `)) || names.some((name) => name.startsWith(`${words} `));

it('names commands in messages and documents as help lists them, and by no former name', async () => {
  const calls: string[] = [];
  for await (const path of glob(['src/**/*.ts', 'docs/**/*.md', '*.md'], { cwd: root })) {
    if (path.endsWith('.spec.ts')) continue;
    const text = readFileSync(new URL(path, root), 'utf8');
    calls.push(...[...text.matchAll(CALL)].map(([, words = '']) => `${path}: ${words}`));
  }
  expect(calls.length).toBeGreaterThan(100);
  expect(calls.filter((call) => !isCurrent(call.slice(call.indexOf(': ') + 2)))).toEqual([]);
});

it('knows former names, which still call their commands', () => {
  const former = COMMANDS.flatMap(({ formerName }) => formerName ?? []);
  expect(former).toEqual(
    expect.arrayContaining(['treasury unknown', 'returns cancel', 'deposits gone', 'deposits unattributed']),
  );
  expect(former.filter(isCurrent)).toEqual([]);
});

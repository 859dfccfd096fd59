import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { itWith } from './support/tools.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const itWithGit = itWith('git');
/** The settings of this machine's user, and of a hook that these tests may run in, are left out. */
const ENVIRONMENT = { PATH: process.env['PATH'], HOME: '/nowhere', GIT_CONFIG_NOSYSTEM: '1' };

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'commit-msg-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

interface Answer {
  readonly status: number | null;
  /** Both streams. */
  readonly text: string;
}

function run(
  program: string,
  parameters: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = ENVIRONMENT,
): Answer {
  const { status, stdout, stderr } = spawnSync(program, parameters, { cwd, env, encoding: 'utf8' });
  return { status, text: `${stdout}${stderr}` };
}

const git = (cwd: string, ...parameters: readonly string[]): Answer => run('git', parameters, cwd);

describe('the commit-msg hook', () => {
  beforeEach(() => {
    git(directory, 'init', '--quiet');
    git(directory, 'config', 'core.hooksPath', join(root, '.githooks'));
    git(directory, 'config', 'user.name', 'A Tester');
    git(directory, 'config', 'user.email', 'tester@example.com');
  });

  const commit = (message: string): Answer => git(directory, 'commit', '--quiet', '--allow-empty', '-m', message);

  itWithGit.each([
    ['a type', 'fix: add what was missing'],
    ['a scope', 'refactor(ledger): write legs as transfers'],
    ['a scope of two words and a digit', 'feat(vault-2): sign for a second chain'],
    ['a breaking change', 'feat(api)!: rename a field'],
    ['72 characters', `docs: ${'x'.repeat(66)}`],
    ['72 characters that are not ASCII', `docs: ${'ü'.repeat(66)}`],
    ['a body of long sentences', `test: prove it\n\n${'Why this is so, at length. '.repeat(9)}`],
    ['a merge', "Merge branch 'a-name' into main."],
    ['a revert', 'Revert "fix: add what was missing, and all else that had been left out of it before."'],
    ['a fixup', 'fixup! fix: add what was missing'],
    ['a squash', 'squash! fix: add what was missing'],
  ])('accepts %s', (_what, message) => {
    expect(commit(message)).toEqual({ status: 0, text: '' });
    expect(git(directory, 'log', '-1', '--format=%s').text.trim()).toBe(message.split('\n')[0]);
  });

  itWithGit.each([
    ['no type', 'Add what was missing', 'The subject must be "type: subject"'],
    ['a type that is not in use', 'feature: add what was missing', 'with a type of: build chore docs'],
    ['a type in capitals', 'Fix: add what was missing', 'with a type of'],
    ['an empty scope', 'fix(): add what was missing', 'with a type of'],
    ['two scopes', 'fix(api,ledger): add what was missing', 'with a type of'],
    ['no space after the colon', 'fix:add what was missing', 'with a type of'],
    ['no subject after the type', 'fix: ', 'with a type of'],
    ['73 characters', `docs: ${'x'.repeat(67)}`, 'The subject has 73 characters; 72 are allowed.'],
    ['73 characters that are not ASCII', `docs: ${'ü'.repeat(67)}`, 'The subject has 73 characters'],
    ['a full stop at its end', 'fix: add what was missing.', 'The subject must not end with a full stop.'],
    ['a good line that is not the first', 'wip\n\nfix: add what was missing', 'The subject must be'],
  ])('refuses %s, and says why', (_what, message, reason) => {
    const { status, text } = commit(message);
    expect(status).toBe(1);
    expect(text).toContain(reason);
    expect(text).toContain('See "Commits" in CONTRIBUTING.md.');
    expect(git(directory, 'log').status).not.toBe(0);
  });

  itWithGit('reads past the comments of a message that was written in an editor', () => {
    const editor = join(directory, 'editor.sh');
    writeFileSync(editor, '#!/bin/sh\nprintf "# Write a message.\\n\\nfix: add it\\n# Changes: none.\\n" > "$1"\n', {
      mode: 0o755,
    });
    const env = { ...ENVIRONMENT, GIT_EDITOR: editor };
    expect(run('git', ['commit', '--quiet', '--allow-empty'], directory, env)).toEqual({ status: 0, text: '' });
  });
});

describe('npm install', () => {
  /** A clone of the project at `place`, as far as this script sees it. */
  function packageAt(place: string): string {
    mkdirSync(join(place, 'scripts'), { recursive: true });
    cpSync(join(root, 'scripts/install-hooks.mjs'), join(place, 'scripts/install-hooks.mjs'));
    return place;
  }

  const install = (place: string, env: NodeJS.ProcessEnv = ENVIRONMENT): Answer =>
    run(process.execPath, ['scripts/install-hooks.mjs'], place, env);
  const hooksPath = (place: string): string => git(place, 'config', '--get', 'core.hooksPath').text.trim();

  itWithGit('lets git use the hooks of a clone, once and again', () => {
    packageAt(directory);
    git(directory, 'init', '--quiet');
    expect(install(directory)).toEqual({ status: 0, text: '' });
    expect(install(directory)).toEqual({ status: 0, text: '' });
    expect(hooksPath(directory)).toBe('.githooks');
  });

  itWithGit('keeps the hooks that the user has chosen, and says so', () => {
    packageAt(directory);
    git(directory, 'init', '--quiet');
    git(directory, 'config', 'core.hooksPath', '/my/hooks');
    const { status, text } = install(directory);
    expect([status, text.trim()]).toEqual([
      0,
      'core.hooksPath is /my/hooks and stays so: the hooks of .githooks are not used.',
    ]);
    expect(hooksPath(directory)).toBe('/my/hooks');
  });

  itWithGit('leaves a repository alone that only contains the project', () => {
    git(directory, 'init', '--quiet');
    expect(install(packageAt(join(directory, 'vendor/coffer')))).toEqual({ status: 0, text: '' });
    expect(hooksPath(directory)).toBe('');
  });

  it('does nothing outside of a clone, or without git, and does not fail', () => {
    packageAt(directory);
    expect(install(directory)).toEqual({ status: 0, text: '' });
    expect(install(directory, { PATH: '/nowhere' })).toEqual({ status: 0, text: '' });
  });
});

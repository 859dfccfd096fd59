import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const JEST = join(dirname(createRequire(import.meta.url).resolve('jest/package.json')), 'bin/jest.js');
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

let directory: string;
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'stray-')));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Runs files by the runner and the reporter of this repository. */
function run(files: Readonly<Record<string, string>>, ...flags: readonly string[]) {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  const config = JSON.stringify({
    rootDir: directory,
    testMatch: [`${directory}/*.fixture.mjs`],
    transform: {},
    testRunner: here('shared-process.mjs'),
    testSequencer: here('longest-first.mjs'),
    reporters: ['default', here('summary-reporter.mjs')],
  });
  const { JEST_WORKER_ID: _ours, ...env } = process.env;
  return spawnSync(process.execPath, [JEST, '--config', config, ...flags], { cwd: directory, env, encoding: 'utf8' });
}

const throwsLater = (message: string): string =>
  `it('passes', () => void setTimeout(() => { throw new Error('${message}'); }, 50));\n`;
const rejectsLater = (message: string): string =>
  `it('passes', () => void setTimeout(() => Promise.reject(new Error('${message}')), 50));\n`;

describe('an error that no test awaits', () => {
  it('fails the run after the last test of a worker, and is reported with the file that ran before', () => {
    const files = { 'one.fixture.mjs': throwsLater('thrown late'), 'two.fixture.mjs': rejectsLater('rejected late') };
    const { status, stderr, stdout } = run(files, '--maxWorkers=2');
    expect(status).toBe(1);
    expect(stderr).toContain(`While no test ran, after ${directory}/one.fixture.mjs:\nError: thrown late`);
    expect(stderr).toContain(`While no test ran, after ${directory}/two.fixture.mjs:\nError: rejected late`);
    expect(stdout).toContain('2 passed, 2 failed');
  });

  it('fails the file that loads meanwhile, and the run when nothing else follows', () => {
    const files = {
      'first.fixture.mjs': `it('passes', () => void process.once('loading', () => setTimeout(() => { throw new Error('left by the first'); })));
        ${'// The longer file runs first.\n'.repeat(20)}`,
      'second.fixture.mjs': `process.emit('loading');
        await new Promise((done) => setTimeout(done, 300));
        ${throwsLater('left by the second')}`,
    };
    const { status, stderr } = run(files, '--runInBand');
    expect(status).toBe(1);
    expect(stderr).toMatch(/FAIL \S*second\.fixture\.mjs\n[^]*left by the first/);
    expect(stderr).toContain(`While no test ran, after ${directory}/second.fixture.mjs:\nError: left by the second`);
  });
});

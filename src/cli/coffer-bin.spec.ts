import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

describe('bin/coffer.js', () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'coffer-bin-'));
    await cp(fileURLToPath(new URL('../../bin', import.meta.url)), join(root, 'bin'), { recursive: true });
    await describePackage('>=22.18');
  });

  afterEach(() => rm(root, { recursive: true }));

  const describePackage = (node: string): Promise<void> =>
    writeFile(join(root, 'package.json'), JSON.stringify({ type: 'module', engines: { node } }));

  async function build(cli: string): Promise<void> {
    await mkdir(join(root, 'dist', 'src'), { recursive: true });
    await writeFile(join(root, 'dist', 'src', 'cli.js'), cli);
  }

  function run(...args: string[]): Promise<Ended> {
    return new Promise((resolve) => {
      execFile(process.execPath, [join(root, 'bin', 'coffer.js'), ...args], (error, out, err) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
      );
    });
  }

  it('says what to do when nothing is built', async () => {
    const { code, err } = await run('doctor');
    expect(code).toBe(1);
    expect(err).toMatch(/not built yet.*npm install && npm run build/s);
  });

  it('runs the built command with its arguments and ends with its exit code', async () => {
    await build('console.log(process.argv.slice(2).join("|")); process.exitCode = 2;');
    expect(await run('key', 'create')).toEqual({ code: 2, out: 'key|create\n', err: '' });
  });

  it('continues with the Node of node_modules when its own Node is too old', async () => {
    await build('');
    await describePackage('>=999.1');
    expect(await run('demo')).toMatchObject({ code: 1, err: expect.stringMatching(/is too old.*npm install/) });

    const node = join(root, 'node_modules', '.bin', 'node');
    await mkdir(join(root, 'node_modules', '.bin'), { recursive: true });
    await writeFile(node, '#!/bin/sh\nshift\necho "newer node: $*"\nexit 7\n');
    await chmod(node, 0o755);
    expect(await run('demo', '--json')).toEqual({ code: 7, out: 'newer node: demo --json\n', err: '' });
  });
});

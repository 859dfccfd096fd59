import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Stands in for Nest's compiler: notes that it was called, and fails when the project has a file named `broken`. */
const COMPILER = `
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
mkdirSync('dist/src', { recursive: true });
writeFileSync('dist/src/main.js', '');
appendFileSync('dist/builds', 'built\\n');
if (existsSync('broken')) process.exit(3);
`;

const run = promisify(execFile);

describe('scripts/build-service.mjs', () => {
  /** A project that is built, and a copy of it for each test. */
  let made: string;
  let root: string;

  beforeAll(async () => {
    made = await mkdtemp(join(tmpdir(), 'coffer-build-'));
    await cp(join(import.meta.dirname, '../scripts'), join(made, 'scripts'), { recursive: true });
    await put('node_modules/@nestjs/cli/bin/nest.js', COMPILER, made);
    await put('node_modules/@nestjs/cli/package.json', '{ "type": "module" }', made);
    await put('src/main.ts', 'one', made);
    await put('node_modules/.package-lock.json', '{}', made);
    await put('.swcrc', '{}', made);
    await build(made);
  });
  afterAll(() => rm(made, { recursive: true }));

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'coffer-build-'));
    // With the times of the files to the nanosecond: the script compares them.
    await run('cp', ['-a', `${made}/.`, root]);
  });
  afterEach(() => rm(root, { recursive: true }));

  async function put(path: string, content: string, project = root): Promise<void> {
    await mkdir(join(project, path, '..'), { recursive: true });
    await writeFile(join(project, path), content);
  }

  const build = (project = root) => run(process.execPath, [join(project, 'scripts', 'build-service.mjs')]);

  const builds = async (): Promise<number> =>
    (await readFile(join(root, 'dist', 'builds'), 'utf8')).trim().split('\n').length;

  it('does not compile sources twice', async () => {
    await build();
    expect(await builds()).toBe(1);
  });

  it.each([
    ['a source changed', () => put('src/main.ts', 'two')],
    ['a source is new', () => put('src/vault/key.ts', '')],
    ['a source is gone', () => rm(join(root, 'src/main.ts'))],
    ['a migration is new', () => put('migrations/migration-1.ts', '')],
    ['another compiler is installed', () => put('node_modules/.package-lock.json', '{ "swc": 2 }')],
    ['a setting of the compiler changed', () => put('.swcrc', '{ "minify": true }')],
    ['a setting of the build appears', () => put('nest-cli.json', '{}')],
    ['its hash is gone', () => rm(join(root, 'dist/built-from'))],
    ['a file of the build is gone', () => rm(join(root, 'dist/src'), { recursive: true })],
    ['another tool wrote into the build', () => put('dist/src/main.js', 'another version')],
  ])('compiles again when %s', async (_, change) => {
    await change();
    await build();
    expect(await builds()).toBe(2);
  });

  it('fails as the compiler fails, and compiles again the next time', async () => {
    await rm(join(root, 'dist'), { recursive: true });
    await put('broken', '');
    await expect(build()).rejects.toMatchObject({ code: 3 });
    await rm(join(root, 'broken'));
    await build();
    expect(await builds()).toBe(2);
  });

  it('does not take a failed build for the one before, when the sources are changed back', async () => {
    await put('broken', '');
    await put('src/main.ts', 'two');
    await expect(build()).rejects.toMatchObject({ code: 3 });
    await rm(join(root, 'broken'));
    await put('src/main.ts', 'one');
    await build();
    expect(await builds()).toBe(3);
  });
});

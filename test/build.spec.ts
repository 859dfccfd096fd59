import { execFile } from 'node:child_process';
import { cp, glob, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { promisify } from 'node:util';

/** Stands in for Nest's compiler: notes that it was called, and fails when the project has a file named `broken`. */
const COMPILER = `
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
mkdirSync('dist/src', { recursive: true });
writeFileSync('dist/src/main.js', '');
appendFileSync('dist/builds', 'built\\n');
if (existsSync('broken')) process.exit(3);
`;

/** Stands in for the bundler: it takes longer than the compiler, and fails when the project has a file named `unbundled`. */
const BUNDLER = `
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
await setTimeout(200);
mkdirSync('dist/bundle', { recursive: true });
writeFileSync('dist/bundle/main.js', process.argv.slice(2).join(' '));
if (existsSync('unbundled')) process.exit(4);
`;

const run = promisify(execFile);

const REPOSITORY = join(import.meta.dirname, '..');

/** Returns the sources of the programs that modules of the service start beside themselves. */
async function startedPrograms(): Promise<string[]> {
  const programs: string[] = [];
  for await (const path of glob('src/**/*.ts', { cwd: REPOSITORY })) {
    const source = await readFile(join(REPOSITORY, path), 'utf8');
    for (const [, name] of source.matchAll(/entryPointBeside\(import\.meta\.url, '([^']+)'\)/g)) {
      programs.push(posix.join(posix.dirname(path), `${name}.ts`));
    }
  }
  return programs;
}

describe('scripts/build-service.mjs', () => {
  /** A project that is built, and a copy of it for each test. */
  let made: string;
  let root: string;

  beforeAll(async () => {
    made = await mkdtemp(join(tmpdir(), 'coffer-build-'));
    await cp(join(REPOSITORY, 'scripts'), join(made, 'scripts'), { recursive: true });
    await put('node_modules/@nestjs/cli/bin/nest.js', COMPILER, made);
    await put('node_modules/@nestjs/cli/package.json', '{ "type": "module" }', made);
    await put('scripts/bundle.mjs', BUNDLER, made);
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
    ['a bundle is gone', () => rm(join(root, 'dist/bundle/main.js'))],
    ['another tool wrote into the build', () => put('dist/src/main.js', 'another version')],
  ])('compiles again when %s', async (_, change) => {
    await change();
    await build();
    expect(await builds()).toBe(2);
  });

  it.each([
    ['compiler', 'broken', 3],
    ['bundler', 'unbundled', 4],
  ])('fails as the %s fails, and builds again the next time', async (_, file, code) => {
    await rm(join(root, 'dist'), { recursive: true });
    await put(file, '');
    await expect(build()).rejects.toMatchObject({ code });
    await rm(join(root, file));
    await build();
    expect(await builds()).toBe(2);
  });

  it('bundles the service with each program that it starts', async () => {
    const [out, files, ...programs] = (await readFile(join(root, 'dist/bundle/main.js'), 'utf8')).split(' ');
    expect([out, files]).toEqual(['dist/bundle', 'dist']);
    expect(programs).toContain('src/main.ts');
    const started = await startedPrograms();
    expect(started.length).toBeGreaterThan(2);
    expect(programs).toEqual(expect.arrayContaining(started));
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

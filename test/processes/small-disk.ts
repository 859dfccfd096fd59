import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { databaseThrough } from '../support/database-line.js';

const SIZE = '192m';
const CHUNK = Buffer.alloc(1024 * 1024);

const support = (name: string): URL => new URL(`../support/${name}`, import.meta.url);

/**
 * `it` for tests that need their own file system. Without the right to mount one they are skipped with a warning; under
 * `CI=true` they run and fail.
 */
export function itOnSmallDisk(): typeof it.skip {
  const mayMount = spawnSync('unshare', ['--mount', 'true']).status === 0;
  if (mayMount || process.env['CI'] === 'true') return it;
  console.warn('SKIPPED: PostgreSQL on a full disk, because a file system can be mounted by root only.');
  return it.skip;
}

/**
 * A PostgreSQL with the service's schema on a file system of 192 MiB, which is mounted in a mount namespace of the
 * server: no other process sees it, and it disappears with the server.
 */
export class SmallDisk {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
    private readonly dir: string,
  ) {}

  static async start(): Promise<SmallDisk> {
    const dir = await mkdtemp(join(tmpdir(), 'coffer-disk-'));
    const mounted = `mount -t tmpfs -o size=${SIZE},mode=711 tmpfs "$0" && exec "$@"`;
    const server = [
      '--no-warnings',
      '--import',
      support('typescript-hooks.mjs').href,
      support('run-keeper.ts').pathname,
      join(dir, 'run'),
    ];
    const child = spawn('unshare', ['--mount', 'sh', '-c', mounted, dir, process.execPath, ...server], {
      env: { PATH: process.env['PATH'], TMPDIR: dir },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const [urls] = await Promise.race([once(createInterface(child.stdout), 'line'), once(child, 'exit')]);
    if (typeof urls !== 'string') throw new Error('PostgreSQL did not start on its small disk.');
    const [url = ''] = urls.split(' ');
    // The socket of the server is on the file system that no other process sees.
    return new SmallDisk(databaseThrough(url, Number(new URL(url).port)), child, dir);
  }

  /** Fills the remaining space. */
  async fill(): Promise<void> {
    const ballast = await open(this.ballast, 'w');
    try {
      for (;;) await ballast.appendFile(CHUNK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      await ballast.close();
    }
  }

  /** Frees the space again. */
  async free(): Promise<void> {
    await rm(this.ballast);
  }

  async stop(): Promise<void> {
    const exited = once(this.child, 'exit');
    this.child.stdin?.end();
    await exited;
    await rm(this.dir, { recursive: true, force: true });
  }

  /** The path through the server's process, because the file system exists only in its namespace. */
  private get ballast(): string {
    return join('/proc', String(this.child.pid), 'root', this.dir, 'ballast');
  }
}

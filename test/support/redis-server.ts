import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { unsharedPort } from './unshared-port.js';

const installed = spawnSync('redis-server', ['--version']).status === 0;
if (!installed && process.env['CI'] !== 'true') {
  console.warn('SKIPPED: all tests of Redis, because redis-server is not installed (apt-get install redis-server).');
}

/**
 * `describe` for suites on Redis. Without `redis-server` they are skipped with a warning; under
 * `CI=true` they run and fail.
 */
export const describeOnRedis = installed || process.env['CI'] === 'true' ? describe : describe.skip;

/** A separate Redis server for a spec, which keeps its port over restarts. It stores nothing on disk. */
export class RedisServer {
  private child: ChildProcess | null = null;

  private constructor(
    readonly url: string,
    private readonly port: number,
    private readonly dir: string,
  ) {}

  static async start(): Promise<RedisServer> {
    const port = await unsharedPort();
    const server = new RedisServer(`redis://127.0.0.1:${port}`, port, await mkdtemp(join(tmpdir(), 'redis-')));
    await server.boot();
    return server;
  }

  /** Starts it again, empty. */
  async boot(): Promise<void> {
    const child = spawn('redis-server', [
      '--port',
      String(this.port),
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--dir',
      this.dir,
    ]);
    this.child = child;
    const ready = new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`redis-server ended with ${code}.`)));
      child.stdout.on('data', (chunk: Buffer) => {
        if (chunk.includes('Ready to accept connections')) resolve();
      });
    });
    await ready;
  }

  /** Kills it, like a power failure. */
  async kill(): Promise<void> {
    const { child } = this;
    this.child = null;
    if (child === null || child.exitCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  /** Stops its process: connections stay open, and nothing is answered. */
  freeze(): void {
    this.child?.kill('SIGSTOP');
  }

  /** FLUSHALL. */
  async flush(): Promise<void> {
    await this.command('FLUSHALL');
  }

  /** Makes it refuse every write for lack of memory, or accept them again. Reads still work. */
  async fill(isFull: boolean): Promise<void> {
    await this.command('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
    await this.command('CONFIG', 'SET', 'maxmemory', isFull ? '1mb' : '0');
  }

  /** Makes it a read-only replica of a missing primary, as after a failed failover, or a primary again. */
  async demote(isReplica: boolean): Promise<void> {
    await this.command('REPLICAOF', ...(isReplica ? ['127.0.0.1', '1'] : ['NO', 'ONE']));
  }

  /** Returns the number of its keys. */
  async keys(): Promise<number> {
    return Number(await this.command('DBSIZE'));
  }

  private async command(name: string, ...words: string[]): Promise<unknown> {
    const client = new Redis(this.url);
    try {
      return await client.call(name, ...words);
    } finally {
      client.disconnect();
    }
  }

  async remove(): Promise<void> {
    await this.kill();
    await rm(this.dir, { recursive: true, force: true });
  }
}

import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTypeScriptChild } from '../../test/support/typescript-child.js';
import { dataDirHolder, lockDataDir, readSecretFile, writeSecretFile } from './data-dir.js';

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

/** A process that locks `dir`, prints the result, and keeps running. */
const serviceOn = (dir: string) =>
  runTypeScriptChild(`
    const { lockDataDir } = await import('${new URL('./data-dir.ts', import.meta.url).href}');
    console.log(await lockDataDir(${JSON.stringify(dir)}).then(() => 'won', (error) => error.message));
    setInterval(() => {}, 1000);
  `);

let parent: string;
let dir: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'coffer-data-dir-'));
  dir = join(parent, 'data');
});
afterEach(() => rm(parent, { recursive: true, force: true }));

describe('lockDataDir', () => {
  it('creates the directory so that another user can enter but not list it', async () => {
    const lock = await lockDataDir(dir);
    expect(await modeOf(dir)).toBe(0o711);
    expect(await modeOf(join(dir, 'service.lock'))).toBe(0o600);
    await lock.release();
  });

  it('keeps the mode of an existing directory', async () => {
    await chmod(parent, 0o750);
    const lock = await lockDataDir(parent);
    expect(await modeOf(parent)).toBe(0o750);
    await lock.release();
  });

  it('refuses a second holder in the same process and names the process', async () => {
    const lock = await lockDataDir(dir);
    await expect(lockDataDir(dir)).rejects.toThrow(`belongs to a running service (process ${process.pid})`);
    // The refused attempt must not release the holder's lock: other processes are still refused.
    const other = await serviceOn(dir);
    expect(other.firstLine).toContain(`process ${process.pid}`);
    await other.kill();
    await lock.release();
  });

  it('passes to the next holder after the release, and a second release has no effect', async () => {
    const first = await lockDataDir(dir);
    await first.release();
    const second = await lockDataDir(dir);
    await first.release();
    await expect(lockDataDir(dir)).rejects.toThrow('belongs to a running service');
    await second.release();
  });

  it('says who holds the directory while it is held', async () => {
    expect(await dataDirHolder(dir)).toBeNull();
    const lock = await lockDataDir(dir);
    expect(await dataDirHolder(dir)).toBe(process.pid);
    await lock.release();
    expect(await dataDirHolder(dir)).toBeNull();
  });

  it('is held by a running service and free at once after its kill -9', async () => {
    const service = await serviceOn(dir);
    expect(service.firstLine).toBe('won');
    await expect(lockDataDir(dir)).rejects.toThrow(`(process ${service.pid})`);
    await service.kill();
    expect(await dataDirHolder(dir)).toBeNull();
    await (await lockDataDir(dir)).release();
  });

  it('is free when another process has the pid of a killed holder', async () => {
    await (await lockDataDir(dir)).release();
    await writeFile(join(dir, 'service.pid'), `${process.ppid}\n`);
    await (await lockDataDir(dir)).release();
  });

  it('passes to exactly one of several services after a holder was killed', async () => {
    await (await serviceOn(dir)).kill();
    const rivals = await Promise.all([1, 2, 3, 4].map(() => serviceOn(dir)));
    expect(rivals.filter(({ firstLine }) => firstLine === 'won')).toHaveLength(1);
    await Promise.all(rivals.map((rival) => rival.kill()));
  });

  it('reports the directory that it cannot lock, and why', async () => {
    await writeFile(join(parent, 'file'), '');
    await expect(lockDataDir(join(parent, 'file'))).rejects.toThrow(/file/);
  });
});

describe('secret files', () => {
  it('are readable only by their owner, also when they replace a file that others could read', async () => {
    const path = join(parent, 'secret');
    await writeFile(path, 'old', { mode: 0o644 });
    await writeSecretFile(path, 'new');
    expect(await modeOf(path)).toBe(0o600);
    expect(await readSecretFile(path)).toBe('new');
    expect(await readdir(parent)).toEqual(['secret']);
  });

  it('leave no draft behind when they cannot be renamed', async () => {
    await mkdir(dir);
    await expect(writeSecretFile(dir, 'text')).rejects.toThrow('EISDIR');
    expect(await readdir(parent)).toEqual(['data']);
  });

  it('are null when there is none', async () => {
    expect(await readSecretFile(join(parent, 'none'))).toBeNull();
  });
});

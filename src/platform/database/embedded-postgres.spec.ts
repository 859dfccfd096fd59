import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { access, chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { unsharedPort } from '../../../test/support/unshared-port.js';
import { runTypeScriptChild } from '../../../test/support/typescript-child.js';
import { isPidAlive, isPortFree, waitFor } from '../processes.js';
import { findRunningEmbeddedPostgres, startEmbeddedPostgres, type EmbeddedPostgres } from './embedded-postgres.js';
import { readPostmaster } from './postmaster-file.js';

const run = promisify(execFile);
const MODULE = new URL('./embedded-postgres.ts', import.meta.url).href;

let parent: string;
let dir: string;
let said: string[];
let servers: EmbeddedPostgres[];

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'coffer-postgres-'));
  await chmod(parent, 0o711);
  dir = join(parent, 'pg');
  said = [];
  servers = [];
});
afterEach(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await rm(parent, { recursive: true, force: true });
});

let made: string;
beforeAll(async () => {
  made = await mkdtemp(join(tmpdir(), 'coffer-postgres-'));
  await chmod(made, 0o711);
  const server = await startEmbeddedPostgres({ dir: join(made, 'pg'), preferredPort: 0, log: () => undefined });
  await server.stop();
  await rm(join(made, 'pg.log'));
});
afterAll(() => rm(made, { recursive: true, force: true }));

/** Copies a cluster that was started before: `initdb` takes most of a first start. */
const provideCluster = () => run('cp', ['-a', `${made}/.`, parent]);

async function start(preferredPort = 0): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dir, preferredPort, log: (line) => said.push(line) });
  servers.push(server);
  return server;
}

async function pidOnDisk(): Promise<number> {
  const postmaster = await readPostmaster(dir);
  if (postmaster === null) throw new Error('There is no postmaster.pid.');
  return postmaster.pid;
}

const hasExited = (pid: number): Promise<true | null> => waitFor(() => (isPidAlive(pid) ? null : true), 5_000);

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

describe('the first start', () => {
  it('removes the files of a start that was killed during initdb, and leaves only the data, password and log', async () => {
    await mkdir(join(`${dir}.init-killed`, 'data', 'base'), { recursive: true });
    await start();
    expect((await readdir(parent)).toSorted()).toEqual(['pg', 'pg.log', 'pg.password']);
  });
});

describe('what the first start creates', () => {
  beforeEach(provideCluster);

  it('is a PostgreSQL 18 with the database coffer, in UTF-8, with checksums and fsync, reachable on loopback and on a socket of its directory', async () => {
    const { url, adopted } = await start();
    expect(adopted).toBe(false);
    const [row] = await query(
      url,
      `select current_database() as database, current_setting('server_version_num')::int / 10000 as major,
              current_setting('server_encoding') as encoding, current_setting('data_checksums') as checksums,
              current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
              current_setting('listen_addresses') as address, current_setting('unix_socket_directories') as sockets,
              (select datlocale from pg_database where datname = current_database()) as locale`,
    );
    expect(row).toEqual({
      database: 'coffer',
      major: 18,
      encoding: 'UTF8',
      checksums: 'on',
      fsync: 'on',
      commit: 'on',
      address: '127.0.0.1',
      sockets: '.',
      locale: 'C.UTF-8',
    });
  });

  it('keeps secrets: the password is random, only its owner can read the file, and the server does not get our environment', async () => {
    const { url, port } = await start();
    const password = await readFile(`${dir}.password`, 'utf8');
    expect(password).toHaveLength(32);
    expect((await stat(`${dir}.password`)).mode & 0o777).toBe(0o600);
    expect(url).toContain(password);
    await expect(query(`postgresql://coffer:guess@127.0.0.1:${port}/coffer`, 'select 1')).rejects.toThrow(
      'password authentication failed',
    );
    const { stdout } = await run('ps', ['eww', '-o', 'command=', '-p', `${await pidOnDisk()}`]);
    expect(stdout).toContain(dir);
    expect(stdout).not.toContain('NODE_ENV=');
  });
});

describe('the address', () => {
  beforeEach(provideCluster);
  const serverAddress = (url: string) => query(url, 'select host(inet_server_addr()) as address');

  it('is the Unix socket in the directory of the server', async () => {
    const { url, serviceUrl, port } = await start();
    for (const address of [url, serviceUrl]) expect(address).toContain(`@${encodeURIComponent(dir)}:${port}/coffer`);
    expect(await serverAddress(url)).toEqual([{ address: null }]);
  });

  it('is loopback when the path of the socket is too long for a client', async () => {
    const deep = join(parent, 'd'.repeat(100));
    await Promise.all(['', '.password'].map((end) => rename(`${dir}${end}`, `${deep}${end}`)));
    dir = deep;
    expect(await serverAddress((await start()).url)).toEqual([{ address: '127.0.0.1' }]);
  });

  it('is loopback when the server cannot create a socket', async () => {
    const { port, stop } = await start();
    await stop();
    await mkdir(join(dir, `.s.PGSQL.${port}`, 'in-the-way'), { recursive: true });
    expect(await serverAddress((await start()).url)).toEqual([{ address: '127.0.0.1' }]);
  });
});

describe('the next start', () => {
  beforeEach(provideCluster);

  it('adopts a running server without restarting it', async () => {
    const first = await start();
    const pid = await pidOnDisk();
    const second = await start();
    expect(second).toMatchObject({ adopted: true, port: first.port, url: first.url });
    expect(await pidOnDisk()).toBe(pid);
  });

  it('adopts the server of a service that was killed with -9, and stops it in order', async () => {
    const service = await runTypeScriptChild(`
      const { startEmbeddedPostgres } = await import('${MODULE}');
      const { url } = await startEmbeddedPostgres({ dir: ${JSON.stringify(dir)}, preferredPort: 0, log: () => {} });
      console.log(url);
      setInterval(() => {}, 1000);
    `);
    const pid = await pidOnDisk();
    await service.kill();
    expect(isPidAlive(pid)).toBe(true);

    const adopter = await start();
    expect(adopter).toMatchObject({ adopted: true, url: service.firstLine });
    expect(await pidOnDisk()).toBe(pid);
    await adopter.stop();
    expect(await hasExited(pid)).toBe(true);
  });

  it('finds every committed row after a kill -9 of the server', async () => {
    const first = await start(await unsharedPort());
    await query(first.url, 'create table fact (n int primary key)');
    await query(first.url, 'insert into fact select generate_series(1, 1000)');
    const connected = new Client({ connectionString: first.url });
    connected.on('error', () => undefined);
    await connected.connect();
    process.kill(await pidOnDisk(), 'SIGKILL');

    const second = await start();
    expect(second).toMatchObject({ adopted: false, port: first.port });
    expect(await query(second.url, 'select count(*)::int as rows from fact')).toEqual([{ rows: 1000 }]);
  });

  it('succeeds when a process of another user has the pid of a killed server', async () => {
    await (await start()).stop();
    await writeFile(join(dir, 'postmaster.pid'), `1\n${dir}\n0\n1\n\n127.0.0.1\n\nready   \n`);
    expect((await start()).adopted).toBe(false);
  });

  it('serves a cluster that was restored with the user of the service as owner', async () => {
    const first = await start();
    await query(first.url, 'create table fact (n int)');
    await first.stop();
    await run('chown', ['-R', `${process.getuid?.()}`, dir]);
    expect(await query((await start()).url, 'select * from fact')).toEqual([]);
  });

  it('creates the database when the first start was killed before it could', async () => {
    const first = await start();
    await query(first.url.replace(/coffer$/, 'postgres'), 'drop database coffer');
    expect(await query((await start()).url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});

describe('stop', () => {
  beforeEach(provideCluster);

  it('stops the server although clients are connected, and a second call is harmless', async () => {
    const server = await start();
    const client = new Client({ connectionString: server.url });
    client.on('error', () => undefined);
    await client.connect();
    const pid = await pidOnDisk();
    await server.stop();
    await server.stop();
    expect(await hasExited(pid)).toBe(true);
    expect(await readFile(`${dir}.log`, 'utf8')).toContain('database system is shut down');
  });

  it('does not stop a server that another start has started since', async () => {
    const first = await start();
    process.kill(await pidOnDisk(), 'SIGKILL');
    const second = await start();
    await first.stop();
    expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});

describe('the port', () => {
  it('moves on from a taken one, logs it, and keeps the new one', async () => {
    const wanted = await unsharedPort();
    const blocker = createServer().listen(wanted, '127.0.0.1');
    await once(blocker, 'listening');
    const first = await start(wanted);
    expect(first.port).toBeGreaterThan(wanted);
    expect(said).toContain(`Port ${wanted} is taken: the embedded database listens on ${first.port}.`);
    blocker.close();
    await first.stop();
    expect(await isPortFree(wanted)).toBe(true);
    expect((await start(wanted)).port).toBe(first.port);
  });
});

describe('findRunningEmbeddedPostgres', () => {
  it('returns the address of a running server, and null before, after and without one', async () => {
    expect(await findRunningEmbeddedPostgres(dir)).toBeNull();
    await provideCluster();
    const server = await start();
    expect(await findRunningEmbeddedPostgres(dir)).toEqual({ url: server.url, serviceUrl: server.serviceUrl });
    await server.stop();
    expect(await findRunningEmbeddedPostgres(dir)).toBeNull();
  });
});

describe('a start that cannot succeed', () => {
  it('changes nothing in a directory with other files', async () => {
    await mkdir(dir);
    await writeFile(join(dir, 'important.txt'), 'mine');
    await expect(start()).rejects.toThrow(/no complete PostgreSQL cluster/);
    expect(await readdir(dir)).toEqual(['important.txt']);
  });

  it('names both versions when the cluster was made by another major version', async () => {
    await mkdir(join(dir, 'global'), { recursive: true });
    await writeFile(join(dir, 'PG_VERSION'), '17\n');
    await writeFile(join(dir, 'global', 'pg_control'), '');
    await expect(start()).rejects.toThrow(/made by PostgreSQL 17, and the installed one is 18/);
  });

  it('names the missing password file', async () => {
    await provideCluster();
    await rm(`${dir}.password`);
    await expect(start()).rejects.toThrow(`is missing: ${dir}.password.`);
  });

  it('reports the messages of the server and the path of its log', async () => {
    await provideCluster();
    await writeFile(join(dir, 'postgresql.conf'), 'no_such_setting = 1\n');
    const failure = start();
    await expect(failure).rejects.toThrow(/no_such_setting/);
    await expect(failure).rejects.toThrow(`${dir}.log`);
  });

  it('names the closed directory before anything is created, when PostgreSQL must run as another user than root', async () => {
    await chmod(parent, 0o700);
    if (process.getuid?.() !== 0) return expect(start()).resolves.toMatchObject({ adopted: false });
    await expect(start()).rejects.toThrow(`cannot enter ${parent}`);
    return expect(access(dir)).rejects.toThrow('ENOENT');
  });
});

import { mkdir, open, readFile, realpath, rename, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { findFreePort, hasErrorCode, isPidAlive, isPortFree, waitFor } from '../processes.js';
import { rowsOn } from '../sql/rows-on.js';
import { dataDirectory, findDatabase } from './embedded-postgres.sql.js';
import { DATABASE_ROLE, prepareCluster, readPassword, readServicePassword, SERVICE_ROLE } from './postgres-cluster.js';
import { pgCtlArgs, postgresToolsFor, ToolError, type PostgresTools } from './postgres-tools.js';
import { type Postmaster, readLastPort, readPostmaster } from './postmaster-file.js';
import { stopPostgres } from './stop-postgres.js';

const DATABASE = 'coffer';
const MAINTENANCE_DATABASE = 'postgres';
const PORT_DEFAULT = 54_329;
const CONNECT_TIMEOUT_MS = 5_000;
/** The longest wait for a server that is already starting or stopping before we start one. */
const SETTLE_TIMEOUT_MS = 30_000;
/**
 * Errors of a start while parts of a killed server still exist: its children live for about 2 s and keep its shared
 * memory, and its process keeps the lock file until its parent has reaped it.
 */
const REMAINS = /pre-existing shared memory block|lock file "postmaster\.pid" already exists/;
const REMAINS_TIMEOUT_MS = 15_000;
const REMAINS_POLL_MS = 200;
/** Replaying the log after a crash can take long. */
const START_TIMEOUT_S = 120;
const LOG_BYTES_MAX = 16 * 1024 * 1024;
const LOG_LINES_SHOWN = 12;

/** Passed at every start, so that a new release changes them for old clusters too. For a small machine; fsync stays on. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  shared_buffers: '64MB',
  max_connections: '60',
  max_wal_size: '256MB',
  io_method: 'sync',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

/** `.` is the data directory, so neither the length nor the characters of its path matter to the server. */
const SOCKET_DIRECTORIES = process.platform === 'win32' ? '' : '.';
/** What the server logs where the file system has no sockets, such as a directory that a virtual machine shares. */
const NO_SOCKETS = /could not create any Unix-domain sockets/;
/** The longest path, in bytes, of a Unix socket that a client can open on every system. */
const SOCKET_PATH_MAX = 103;

/** The location and the settings of the embedded database. */
export interface EmbeddedPostgresOptions {
  /** The data directory; its password and log lie beside it as `<dir>.password` and `<dir>.log`. */
  readonly dir: string;
  /** The port of the first start, 0 for any; later starts keep it. If it is taken, the next free port is used. */
  readonly preferredPort?: number;
  /** Additional server settings, such as `fsync=off` when the data need not survive a power failure. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly log: (line: string) => void;
}

/** Addresses of the database `coffer`, passwords included. */
export interface EmbeddedAddresses {
  /** For the owner of the tables, the superuser of the cluster. */
  readonly url: string;
  /** For the role of the service, which is created when the database is prepared. */
  readonly serviceUrl: string;
}

/** A running server that outlives this process unless it is stopped. */
export interface EmbeddedPostgres extends EmbeddedAddresses {
  readonly port: number;
  /** True when the server was running already, as after a kill -9 of the service. */
  readonly adopted: boolean;
  /** Shuts the server down cleanly: connections are closed and all data is on disk. */
  stop(): Promise<void>;
}

interface Running {
  readonly pid: number;
  readonly port: number;
  /** As in a URL: its Unix socket, which is faster and closed to other users, or else its address. */
  readonly host: string;
}

/**
 * Starts the PostgreSQL of a data directory, or adopts the one that already runs on it; the first start creates the
 * cluster. The caller holds the lock of the data directory.
 * @throws Error with the cause and the path of the server's log.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dir = resolve(options.dir);
  await mkdir(dirname(dir), { recursive: true });
  const tools = await postgresToolsFor(dir);
  const adopted = await waitFor(async () => {
    const seen = await inspectServer(dir);
    return seen === 'unsettled' ? null : seen;
  }, SETTLE_TIMEOUT_MS);
  const running = adopted !== null && adopted !== 'none' ? adopted : await start(dir, tools, options);
  await createDatabaseIfMissing(await urlOf(dir, running, MAINTENANCE_DATABASE));

  let stopping: Promise<void> | undefined;
  return {
    ...(await addressesOf(dir, running)),
    port: running.port,
    adopted: running === adopted,
    stop: () => (stopping ??= stopPostgres(dir, tools, running.pid)),
  };
}

/** Returns the addresses of the server on a data directory, for a command beside a running service; null without one. */
export async function findRunningEmbeddedPostgres(dir: string): Promise<EmbeddedAddresses | null> {
  const seen = await inspectServer(resolve(dir));
  return seen === 'none' || seen === 'unsettled' ? null : addressesOf(resolve(dir), seen);
}

/**
 * Finds the server of the directory. `postmaster.pid` alone proves nothing: the file outlives a killed server, and another
 * process may have its pid and port by then. Only a server that accepts our password and reports our directory is ours.
 */
async function inspectServer(dir: string): Promise<Running | 'none' | 'unsettled'> {
  const postmaster = await readPostmaster(dir);
  if (postmaster === null || !isPidAlive(postmaster.pid)) return 'none';
  const running = runningOf(dir, postmaster);
  if (running === null || postmaster.status !== 'ready') return 'unsettled';
  try {
    const served = await withClient(await urlOf(dir, running, MAINTENANCE_DATABASE), async (client) => {
      const [row] = await rowsOn(client, dataDirectory);
      return row?.dir;
    });
    return served !== undefined && (await realpath(served)) === (await realpath(dir)) ? running : 'none';
  } catch (error) {
    // 57P01 and 57P03: stopping or starting. 53300: the connections of the killed service are still open.
    return hasErrorCode(error, '57P01', '57P03', '53300') ? 'unsettled' : 'none';
  }
}

async function start(dir: string, tools: PostgresTools, options: EmbeddedPostgresOptions): Promise<Running> {
  const { preferredPort = PORT_DEFAULT, settings = {}, log } = options;
  await prepareCluster(dir, tools, log);
  const wanted = (await readLastPort(dir)) ?? preferredPort;
  const port = await launch(dir, tools, wanted, { ...SETTINGS, ...settings });
  if (wanted !== 0 && port !== wanted) log(`Port ${wanted} is taken: the embedded database listens on ${port}.`);
  const postmaster = await readPostmaster(dir);
  const running = postmaster === null ? null : runningOf(dir, postmaster);
  if (running === null)
    throw new Error(`The embedded database exited right after its start. See its log: ${logFileOf(dir)}`);
  return running;
}

/** Returns the server as its file describes it; null while it has not opened its port yet. */
function runningOf(dir: string, { pid, port, hasSocket }: Postmaster): Running | null {
  if (port === null) return null;
  const path = join(dir, `.s.PGSQL.${port}`);
  const isUsable = hasSocket && Buffer.byteLength(path) <= SOCKET_PATH_MAX;
  return { pid, port, host: isUsable ? encodeURIComponent(dir) : '127.0.0.1' };
}

/** Starts the server detached from this process and returns its port. */
async function launch(
  dir: string,
  tools: PostgresTools,
  wanted: number,
  settings: Readonly<Record<string, string>>,
): Promise<number> {
  const logFile = logFileOf(dir);
  await prepareLog(logFile, tools);
  const deadline = performance.now() + REMAINS_TIMEOUT_MS;
  let port = await findFreePort(wanted);
  let sockets = SOCKET_DIRECTORIES;
  for (;;) {
    const logStart = (await stat(logFile)).size;
    try {
      const options = serverArgs(port, { unix_socket_directories: sockets, ...settings });
      await tools.run('pg_ctl', ['start', ...pgCtlArgs(dir, START_TIMEOUT_S), '-l', logFile, '-o', options]);
      return port;
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      const said = (await readFile(logFile)).subarray(logStart).toString();
      const portWasLost = !(await isPortFree(port));
      const hasNoSockets = NO_SOCKETS.test(said) && sockets !== '';
      if (hasNoSockets) sockets = '';
      const mayRetry = portWasLost || hasNoSockets || REMAINS.test(said);
      if (!mayRetry || performance.now() > deadline) throw startFailure(error, said, logFile);
      if (portWasLost) port = await findFreePort(port);
      await sleep(REMAINS_POLL_MS);
    }
  }
}

function startFailure(error: ToolError, said: string, logFile: string): Error {
  const cause = said.trim().split('\n').slice(-LOG_LINES_SHOWN).join('\n') || error.output;
  return new Error(`The embedded database did not start:\n${cause}\nSee its log: ${logFile}`, { cause: error });
}

const logFileOf = (dir: string): string => `${dir}.log`;

const serverArgs = (port: number, settings: Readonly<Record<string, string>>): string =>
  [`-p ${port}`, ...Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)].join(' ');

/** Creates the log file: the server's account may append to it but not create files beside the data directory. */
async function prepareLog(logFile: string, tools: PostgresTools): Promise<void> {
  const file = await open(logFile, 'a', 0o600);
  const { size } = await file.stat();
  await file.close();
  if (size > LOG_BYTES_MAX) {
    await rename(logFile, `${logFile}.1`);
    await (await open(logFile, 'a', 0o600)).close();
  }
  await tools.handOver(logFile);
}

async function urlOf(dir: string, { host, port }: Running, database = DATABASE): Promise<string> {
  return `postgresql://${DATABASE_ROLE}:${await readPassword(dir)}@${host}:${port}/${database}`;
}

async function addressesOf(dir: string, running: Running): Promise<EmbeddedAddresses> {
  const service = `${SERVICE_ROLE}:${await readServicePassword(dir)}`;
  const { host, port } = running;
  return { url: await urlOf(dir, running), serviceUrl: `postgresql://${service}@${host}:${port}/${DATABASE}` };
}

async function createDatabaseIfMissing(maintenanceUrl: string): Promise<void> {
  await withClient(maintenanceUrl, async (client) => {
    const found = await rowsOn(client, findDatabase(DATABASE));
    if (found.length === 0) await client.query(`create database ${DATABASE}`);
  });
}

async function withClient<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  // A lost connection already fails the query in flight; without a listener the event would also end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

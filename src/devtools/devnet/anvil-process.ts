import { spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { findFreePort, isPidAlive, isPortFree, waitFor } from '../../platform/processes.js';
import { anvilBinaryPath } from './anvil-binary.js';
import { AnvilFiles } from './anvil-files.js';
import { gasLimitAtStart, keepOwnGenesis } from './anvil-genesis.js';
import { commandLineOf } from './command-line.js';
import { DEV_MNEMONIC } from './dev-accounts.js';
import { askChain, HEX_NUMBER, sendToChain } from './dev-rpc.js';

const START_TIMEOUT_MS = 30_000;
/** While anvil writes its state at its end, it does not answer. */
const SETTLE_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 60_000;
const KILL_TIMEOUT_MS = 10_000;
const START_TRIES_MAX = 5;
const PORTS_SKIPPED_MAX = 20;
/** The threads of a killed process can hold its port for a moment after the process has ended. */
const PORT_RELEASE_MS = 1_000;
const LOG_CHARACTERS_SHOWN = 1_000;

/**
 * The number of past blocks with their state: for reads at a final block and for reorgs, also after a restart. Without a
 * limit anvil keeps one copy of all accounts per block: 3,000 blocks with 2,000 holders made a dump of 950 MB and left as
 * much outside the data directory.
 */
const STATES_KEPT = 32;

/** About 136 years. */
const NEVER_SECONDS = 2 ** 32 - 1;

export interface AnvilOptions {
  /** Directory of the records, states and logs of all development chains; created when missing. */
  readonly dir: string;
  readonly network: string;
  readonly chainId: number;
  /** 0 = any free port. A chain that ran before keeps its last port. When the port is taken, the next one is used. */
  readonly preferredPort: number;
  readonly log: (line: string) => void;
}

/** `adopted`: it was running. `restored`: the chain of the last orderly end. `new`: a chain with its own genesis. */
export type AnvilOrigin = 'adopted' | StartOrigin;
type StartOrigin = 'restored' | 'new';

/** A running anvil that outlives this process unless it is stopped. */
export interface Anvil {
  readonly pid: number;
  readonly port: number;
  readonly url: string;
  readonly genesisHash: string;
  readonly origin: AnvilOrigin;
  /** Stops it; its whole chain is on disk when this resolves. */
  stop(): Promise<void>;
}

interface Running {
  readonly pid: number;
  readonly port: number;
  readonly origin: AnvilOrigin;
}

/**
 * Starts the anvil of a network, or adopts a running one. The caller holds the lock of the data directory.
 * @throws Error with anvil's output.
 */
export async function runAnvil(options: AnvilOptions): Promise<Anvil> {
  const dir = resolve(options.dir);
  mkdirSync(dir, { recursive: true });
  const files = new AnvilFiles(dir, options.network);
  const running = (await adopt(files, options)) ?? (await start(files, { ...options, dir }));
  const url = urlOf(running.port);
  // Otherwise it would log every call.
  await sendToChain(url, 'anvil_setLoggingEnabled', false);
  const { hash } = await askChain(url, z.object({ hash: z.string() }), 'eth_getBlockByNumber', '0x0', false);
  let stopping: Promise<void> | undefined;
  return { ...running, url, genesisHash: hash, stop: () => (stopping ??= stop(running, files, options)) };
}

/**
 * Returns the anvil of the record, if it still runs. A pid alone proves nothing, because another process may have it by
 * now; the path of the state file on its command line is unique.
 */
async function adopt(files: AnvilFiles, options: AnvilOptions): Promise<Running | null> {
  const record = files.readRecord();
  if (record === null || !isRunning(record.pid, files)) return null;
  const { pid, port } = record;
  const found = await waitFor(async () => {
    if (hasEnded(pid, files)) return 'gone';
    return (await answersAs(port, options.chainId)) ? 'alive' : null;
  }, SETTLE_TIMEOUT_MS);
  if (found === 'gone') return null;
  if (found === 'alive') {
    files.retireLoadedState();
    return { pid, port, origin: 'adopted' };
  }
  options.log(`The ${options.network} development chain (process ${pid}) does not answer and is killed.`);
  await end(record, files, 'SIGKILL', KILL_TIMEOUT_MS);
  return null;
}

async function start(files: AnvilFiles, options: AnvilOptions): Promise<Running> {
  const { network, log } = options;
  const last = files.readRecord();
  const wanted = last?.port ?? options.preferredPort;
  if (last !== null) await portRelease(last.port);
  let port = await findFreePort(wanted);
  for (let attempt = 1; ; attempt += 1) {
    const origin = prepareState(files, options);
    const failure = await launch(files, options, port, origin);
    if (failure === null) {
      files.retireLoadedState();
      const { pid } = files.readRecord() ?? {};
      if (pid === undefined) throw new Error(`The record of the ${network} development chain is missing.`);
      if (wanted !== 0 && port !== wanted) log(`Port ${wanted} is taken: the ${network} chain listens on ${port}.`);
      if (last !== null && origin === 'new') log(`The ${network} chain ended without saving and starts over.`);
      return { pid, port, origin };
    }
    if (/failed to parse json file/.test(failure) && files.hasState()) {
      giveUpState(files, options);
    } else if (!/Address already in use/.test(failure) || attempt === START_TRIES_MAX) {
      throw new Error(`The ${network} development chain did not start: ${failure}`);
    } else {
      // Chains that start at the same time saw the same free port, so the next one is random.
      port = await findFreePort(port + randomInt(1, PORTS_SKIPPED_MAX));
    }
  }
}

/** Prepares the saved chain for loading, or moves it away when it cannot be loaded. */
function prepareState(files: AnvilFiles, options: AnvilOptions): StartOrigin {
  if (!files.hasState()) return 'new';
  if (keepOwnGenesis(files.state)) return 'restored';
  giveUpState(files, options);
  return 'new';
}

function giveUpState(files: AnvilFiles, { network, log }: AnvilOptions): void {
  log(`The saved ${network} chain cannot be read and was moved to ${files.retireUnreadableState()}.`);
}

/** Starts anvil detached from this process. Returns null when it listens, else the reason with its last output. */
async function launch(
  files: AnvilFiles,
  options: AnvilOptions,
  port: number,
  origin: StartOrigin,
): Promise<string | null> {
  files.forgetLog();
  const output = openSync(files.log, 'a', 0o600);
  let child: ChildProcess;
  try {
    child = spawn(anvilBinaryPath(), anvilArguments(options.chainId, port, files, origin), {
      cwd: options.dir,
      detached: true,
      stdio: ['ignore', output, output],
    });
  } finally {
    closeSync(output);
  }
  let failure: string | null = null;
  child.once('error', (error) => (failure = error.message));
  child.once('exit', (code, signal) => (failure ??= `it ended with ${code ?? signal}. ${lastWords(files)}`));
  child.unref();
  if (child.pid !== undefined) {
    const startedAt = new Date().toISOString();
    files.writeRecord({ pid: child.pid, port, chainId: options.chainId, startedAt });
  }
  // Its own log line proves that it listens: another process could answer on the port.
  const outcome = await waitFor(() => failure ?? (isListening(files, port) ? 'listening' : null), START_TIMEOUT_MS);
  if (outcome !== 'listening') {
    child.kill('SIGKILL');
    return outcome ?? `it did not listen within ${START_TIMEOUT_MS} ms. ${lastWords(files)}`;
  }
  return null;
}

function anvilArguments(chainId: number, port: number, files: AnvilFiles, origin: StartOrigin): string[] {
  const options = {
    host: '127.0.0.1',
    port,
    'chain-id': chainId,
    // Makes blocks final two blocks below the head.
    'slots-in-an-epoch': 1,
    mnemonic: DEV_MNEMONIC,
    accounts: 10,
    state: files.state,
    // Otherwise it would save every minute, and a killed chain would be restored without its last blocks.
    'state-interval': NEVER_SECONDS,
    // Otherwise anvil creates a directory in the user's home.
    'cache-path': files.cache,
    'prune-history': STATES_KEPT,
    color: 'never',
    'gas-limit': gasLimitAtStart(origin),
  };
  return [
    '--preserve-historical-states',
    ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, `${value}`]),
  ];
}

async function stop(running: Running, files: AnvilFiles, { network, log }: AnvilOptions): Promise<void> {
  if (await end(running, files, 'SIGTERM', STOP_TIMEOUT_MS)) return;
  log(`The ${network} development chain (process ${running.pid}) did not stop in time and is killed.`);
  await end(running, files, 'SIGKILL', KILL_TIMEOUT_MS);
}

/** Sends a signal and waits until the process has ended. Returns false after the timeout. */
async function end(
  { pid, port }: Pick<Running, 'pid' | 'port'>,
  files: AnvilFiles,
  signal: 'SIGTERM' | 'SIGKILL',
  timeoutMs: number,
): Promise<boolean> {
  if (!isRunning(pid, files)) return true;
  process.kill(pid, signal);
  const isReorged = await waitFor(() => (hasEnded(pid, files) ? true : null), timeoutMs);
  if (isReorged !== null) await portRelease(port);
  return isReorged !== null;
}

const isRunning = (pid: number, files: AnvilFiles): boolean => commandLineOf(pid)?.includes(files.state) ?? false;

/** A process loses its command line first, then its files and ports, then its pid. */
function hasEnded(pid: number, files: AnvilFiles): boolean {
  return !isPidAlive(pid) || (commandLineOf(pid) !== null && !isRunning(pid, files));
}

async function portRelease(port: number): Promise<void> {
  await waitFor(async () => (await isPortFree(port)) || null, PORT_RELEASE_MS);
}

async function answersAs(port: number, chainId: number): Promise<boolean> {
  try {
    return (await askChain(urlOf(port), HEX_NUMBER, 'eth_chainId')) === chainId;
  } catch {
    return false;
  }
}

const urlOf = (port: number): string => `http://127.0.0.1:${port}`;

const isListening = (files: AnvilFiles, port: number): boolean =>
  files.readLog().includes(`Listening on 127.0.0.1:${port}`);

const lastWords = (files: AnvilFiles): string => files.readLog().trim().slice(-LOG_CHARACTERS_SHOWN);

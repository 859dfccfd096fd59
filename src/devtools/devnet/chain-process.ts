import { spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { findFreePort, isPidAlive, isPortFree, waitFor } from '../../platform/processes.js';
import { commandLineOf } from './command-line.js';

const START_TIMEOUT_MS = 30_000;
/** While a chain writes its state at its end, it does not answer. */
const SETTLE_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 60_000;
const KILL_TIMEOUT_MS = 10_000;
const START_TRIES_MAX = 5;
const PORTS_SKIPPED_MAX = 20;
/** The threads of a killed process can hold its port for a moment after the process has ended. */
const PORT_RELEASE_MS = 1_000;
const LOG_CHARACTERS_SHOWN = 1_000;

const RECORD = z.object({
  pid: z.number().int().positive(),
  port: z.number().int().positive(),
  startedAt: z.iso.datetime(),
});

/** A process of a development chain, to find it again. */
export type ProcessRecord = z.infer<typeof RECORD>;
type Place = Pick<ProcessRecord, 'pid' | 'port'>;

/** `adopted`: it was running. `restored`: the chain as it was. `new`: a chain with its own genesis. */
export type StartOrigin = 'restored' | 'new';
export type ChainOrigin = 'adopted' | StartOrigin;

/** How a development chain runs, and how its process is recognised. */
export interface ChainProgram {
  /** The name of the chain in logs. */
  readonly name: string;
  /** Files of the record and of the output. */
  readonly recordFile: string;
  readonly logFile: string;
  /** A path that only the command line of this chain contains. */
  readonly mark: string;
  /** Whether the chain itself answers on a port. */
  readonly answers: (port: number) => Promise<boolean>;
  readonly log: (line: string) => void;
}

/** A program to start. */
export interface Command {
  readonly path: string;
  readonly arguments: readonly string[];
  readonly directory: string;
}

/**
 * The process of a development chain. It runs detached from ours and outlives it. A pid alone proves nothing, because
 * another process may have it by now; so the command line is compared too.
 */
export class ChainProcess {
  private readonly program: ChainProgram;

  constructor(program: ChainProgram) {
    this.program = program;
  }

  /** Returns the record of the last start, or null when there is no valid one. */
  lastRecord(): ProcessRecord | null {
    try {
      return RECORD.parse(JSON.parse(readFileSync(this.program.recordFile, 'utf8')));
    } catch {
      return null;
    }
  }

  /** Returns the chain of the record if it still runs. One that does not answer is killed. */
  async adopt(): Promise<Place | null> {
    const record = this.lastRecord();
    if (record === null || !this.isRunning(record.pid)) return null;
    const { pid, port } = record;
    const found = await waitFor(async () => {
      if (this.hasEnded(pid)) return 'gone';
      return (await this.program.answers(port)) ? 'alive' : null;
    }, SETTLE_TIMEOUT_MS);
    if (found === 'gone') return null;
    if (found === 'alive') return { pid, port };
    this.program.log(`The ${this.program.name} development chain (process ${pid}) does not answer and is killed.`);
    await this.end(record, 'SIGKILL', KILL_TIMEOUT_MS);
    return null;
  }

  /**
   * Starts the chain on the port of its last start, else on the preferred one, or on a free port nearby.
   * @param command for a port; it is made again for each try
   * @param repair whether a failed start can be tried again, after what this did about it
   * @throws Error with the chain's output
   */
  async start(
    preferredPort: number,
    command: (port: number) => Command,
    repair: (failure: string) => boolean,
  ): Promise<Place> {
    const { name, log } = this.program;
    const last = this.lastRecord();
    const wanted = last?.port ?? preferredPort;
    if (last !== null) await portRelease(last.port);
    let port = await findFreePort(wanted);
    for (let attempt = 1; ; attempt += 1) {
      const failure = await this.launch(command(port), port);
      if (failure === null) break;
      if (repair(failure)) continue;
      if (!/Address already in use|EADDRINUSE/.test(failure) || attempt === START_TRIES_MAX) {
        throw new Error(`The ${name} development chain did not start: ${failure}`);
      }
      // Chains that start at the same time saw the same free port, so the next one is random.
      port = await findFreePort(port + randomInt(1, PORTS_SKIPPED_MAX));
    }
    const { pid } = this.lastRecord() ?? {};
    if (pid === undefined) throw new Error(`The record of the ${name} development chain is missing.`);
    if (wanted !== 0 && port !== wanted) log(`Port ${wanted} is taken: the ${name} chain listens on ${port}.`);
    return { pid, port };
  }

  /** Lets the chain end in order, and kills it if it does not. */
  async stop(running: Place): Promise<void> {
    if (await this.end(running, 'SIGTERM', STOP_TIMEOUT_MS)) return;
    const { name, log } = this.program;
    log(`The ${name} development chain (process ${running.pid}) did not stop in time and is killed.`);
    await this.end(running, 'SIGKILL', KILL_TIMEOUT_MS);
  }

  /** Starts a program detached from this process. Returns null when it listens, else the reason with its last output. */
  private async launch(command: Command, port: number): Promise<string | null> {
    const { logFile } = this.program;
    rmSync(logFile, { force: true });
    const output = openSync(logFile, 'a', 0o600);
    let child: ChildProcess;
    try {
      child = spawn(command.path, command.arguments, {
        cwd: command.directory,
        detached: true,
        stdio: ['ignore', output, output],
      });
    } finally {
      closeSync(output);
    }
    let failure: string | null = null;
    child.once('error', (error) => (failure = error.message));
    child.once('exit', (code, signal) => (failure ??= `it ended with ${code ?? signal}. ${this.lastWords()}`));
    child.unref();
    if (child.pid !== undefined) this.writeRecord({ pid: child.pid, port, startedAt: new Date().toISOString() });
    // Its own log line proves that it listens: another process could answer on the port.
    const outcome = await waitFor(() => failure ?? (this.isListening(port) ? 'listening' : null), START_TIMEOUT_MS);
    if (outcome === 'listening') return null;
    child.kill('SIGKILL');
    return outcome ?? `it did not listen within ${START_TIMEOUT_MS} ms. ${this.lastWords()}`;
  }

  /** Synchronous: a kill between the start of a process and its record would orphan the process. */
  private writeRecord(record: ProcessRecord): void {
    writeFileSync(this.program.recordFile, `${JSON.stringify(record)}\n`);
  }

  /** Sends a signal and waits until the process has ended. Returns false after the timeout. */
  private async end({ pid, port }: Place, signal: 'SIGTERM' | 'SIGKILL', timeoutMs: number): Promise<boolean> {
    if (!this.isRunning(pid)) return true;
    process.kill(pid, signal);
    const hasEnded = await waitFor(() => (this.hasEnded(pid) ? true : null), timeoutMs);
    if (hasEnded !== null) await portRelease(port);
    return hasEnded !== null;
  }

  private isRunning(pid: number): boolean {
    return commandLineOf(pid)?.includes(this.program.mark) ?? false;
  }

  /** A process loses its command line first, then its files and ports, then its pid. */
  private hasEnded(pid: number): boolean {
    return !isPidAlive(pid) || (commandLineOf(pid) !== null && !this.isRunning(pid));
  }

  private isListening(port: number): boolean {
    return this.output().includes(`Listening on 127.0.0.1:${port}`);
  }

  private lastWords(): string {
    return this.output().trim().slice(-LOG_CHARACTERS_SHOWN);
  }

  private output(): string {
    return existsSync(this.program.logFile) ? readFileSync(this.program.logFile, 'utf8') : '';
  }
}

async function portRelease(port: number): Promise<void> {
  await waitFor(async () => (await isPortFree(port)) || null, PORT_RELEASE_MS);
}

import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { entryPointBeside } from '../../../platform/source-imports.js';
import { ChainProcess, type ChainOrigin, type Command, type StartOrigin } from '../chain-process.js';
import { askChain } from '../dev-rpc.js';
import type { FinalityDistance } from './finality.js';

const NAME = 'solana';
/** As on mainnet before the slots of 250 ms. */
const SLOT_MS = 400;
/** Confirmed after a vote of the next block, final after Tower BFT's lockout. */
const FINALITY: FinalityDistance = { confirmed: 1, finalized: 31 };
/** Mainnet in November 2026: a token account of 165 bytes reserves 1,488,440 lamports. */
const LAMPORTS_PER_BYTE = 5_080;
const UNREADABLE = /JournalError/;
/**
 * Objects of the virtual machine are freed with small objects of JavaScript, which are collected more often in a small space:
 * after 10,000 transactions the process has 160 MB instead of 370.
 */
const MEMORY = ['--max-semi-space-size=1'];

export interface SolanaDevChainOptions {
  /** Directory of the records, journals and logs of all development chains; created when missing. */
  readonly dir: string;
  /** 0 = any free port. A chain that ran before keeps its last port. When the port is taken, the next one is used. */
  readonly preferredPort: number;
  readonly log: (line: string) => void;
  readonly slotMs?: number;
  /** Of a new chain; later it is changed by a control call. */
  readonly finality?: FinalityDistance;
  /** Of a new chain; later it is changed by a control call. */
  readonly lamportsPerByte?: number;
}

/** A running Solana chain that outlives this process unless it is stopped. */
export interface SolanaDevChain {
  readonly pid: number;
  readonly port: number;
  readonly url: string;
  /** Unique for each chain: another hash means another chain. */
  readonly genesisHash: string;
  readonly origin: ChainOrigin;
  /** Stops it. It comes back with all that it has acknowledged, also when it is killed instead. */
  stop(): Promise<void>;
}

/**
 * Starts the Solana development chain, or adopts a running one. The caller holds the lock of the data directory.
 * @throws Error with the chain's output.
 */
export async function runSolanaDevChain(options: SolanaDevChainOptions): Promise<SolanaDevChain> {
  const dir = resolve(options.dir);
  mkdirSync(dir, { recursive: true });
  const journal = join(dir, `${NAME}.journal.jsonl`);
  const chain = new ChainProcess({
    name: NAME,
    recordFile: join(dir, `${NAME}.json`),
    logFile: join(dir, `${NAME}.log`),
    mark: journal,
    answers,
    log: options.log,
  });
  const adopted = await chain.adopt();
  const running: { pid: number; port: number; origin: ChainOrigin } =
    adopted === null ? await start(chain, journal, { ...options, dir }) : { ...adopted, origin: 'adopted' };
  const url = urlOf(running.port);
  const genesisHash = await askChain(url, z.string(), 'getGenesisHash');
  let stopping: Promise<void> | undefined;
  return { ...running, url, genesisHash, stop: () => (stopping ??= chain.stop(running)) };
}

async function start(
  chain: ChainProcess,
  journal: string,
  options: SolanaDevChainOptions,
): Promise<{ pid: number; port: number; origin: StartOrigin }> {
  let origin: StartOrigin = 'new';
  const place = await chain.start(
    options.preferredPort,
    (port) => {
      origin = existsSync(journal) ? 'restored' : 'new';
      return commandOf(journal, port, options);
    },
    (failure) => {
      if (!UNREADABLE.test(failure) || !existsSync(journal)) return false;
      const unreadable = join(options.dir, `${NAME}.journal.unreadable.jsonl`);
      renameSync(journal, unreadable);
      options.log(`The saved ${NAME} chain cannot be repeated and was moved to ${unreadable}: it starts over.`);
      return true;
    },
  );
  return { ...place, origin };
}

function commandOf(journal: string, port: number, options: SolanaDevChainOptions): Command {
  const { slotMs = SLOT_MS, finality = FINALITY, lamportsPerByte = LAMPORTS_PER_BYTE, dir } = options;
  const { url, flags } = entryPointBeside(import.meta.url, 'solana-chain.main');
  const values = {
    journal,
    port,
    'slot-ms': slotMs,
    confirmed: finality.confirmed,
    finalized: finality.finalized,
    'lamports-per-byte': lamportsPerByte,
  };
  const named = Object.entries(values).flatMap(([name, value]) => [`--${name}`, `${value}`]);
  return { path: process.execPath, arguments: [...MEMORY, ...flags, fileURLToPath(url), ...named], directory: dir };
}

async function answers(port: number): Promise<boolean> {
  try {
    return (await askChain(urlOf(port), z.string(), 'getGenesisHash')) !== '';
  } catch {
    return false;
  }
}

const urlOf = (port: number): string => `http://127.0.0.1:${port}`;

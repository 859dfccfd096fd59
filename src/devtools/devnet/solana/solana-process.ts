import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { entryPointBeside } from '../../../platform/source-imports.js';
import { askChain } from '../dev-rpc.js';
import { type JournaledChain, runJournaledChain } from '../journaled-chain.js';
import type { FinalityDistance } from './finality.js';

/** As on mainnet before the slots of 250 ms. */
const SLOT_MS = 400;
/** Confirmed after a vote of the next block, final after Tower BFT's lockout. */
const FINALITY: FinalityDistance = { confirmed: 1, finalized: 31 };
/** Mainnet in November 2026: a token account of 165 bytes reserves 1,488,440 lamports. */
const LAMPORTS_PER_BYTE = 5_080;
/**
 * Objects of the virtual machine are freed with small objects of JavaScript, which are collected more often in a small space:
 * after 10,000 transactions the process has 160 MB instead of 370.
 */
const MEMORY = ['--max-semi-space-size=1'];

export interface SolanaProcessOptions {
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
export interface SolanaProcess extends JournaledChain {
  readonly url: string;
  /** Unique for each chain: another hash means another chain. */
  readonly genesisHash: string;
}

/**
 * Starts the process of the Solana development chain, or adopts a running one. The caller holds the lock of the data
 * directory.
 * @throws Error with the chain's output.
 */
export async function runSolanaChain(options: SolanaProcessOptions): Promise<SolanaProcess> {
  const { dir, preferredPort, log } = options;
  const running = await runJournaledChain({
    name: 'solana',
    dir,
    journal: 'solana.journal.jsonl',
    unreadable: /JournalError/,
    preferredPort,
    answers,
    log,
    command: (journal, port) => commandOf(journal, port, options),
  });
  const url = urlOf(running.port);
  return { ...running, url, genesisHash: await askChain(url, z.string(), 'getGenesisHash') };
}

function commandOf(journal: string, port: number, options: SolanaProcessOptions) {
  const { slotMs = SLOT_MS, finality = FINALITY, lamportsPerByte = LAMPORTS_PER_BYTE } = options;
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
  return { path: process.execPath, arguments: [...MEMORY, ...flags, fileURLToPath(url), ...named] };
}

async function answers(port: number): Promise<boolean> {
  try {
    return (await askChain(urlOf(port), z.string(), 'getGenesisHash')) !== '';
  } catch {
    return false;
  }
}

const urlOf = (port: number): string => `http://127.0.0.1:${port}`;

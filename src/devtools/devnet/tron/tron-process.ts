import { fileURLToPath } from 'node:url';
import { entryPointBeside } from '../../../platform/source-imports.js';
import { type JournaledChain, runJournaledChain } from '../journaled-chain.js';
import type { TronChainInfo } from './control/control-calls.js';
import { TronControls } from './control/control-client.js';

const NAME = 'tron';
const BLOCK_INTERVAL_MS = 3_000;
/** Like on the main network, where 19 of 27 witnesses confirm a block. */
const SOLIDITY_DISTANCE = 19;
/** Keeps the heap small; the chain lives beside a service. */
const HEAP_FLAGS = ['--max-semi-space-size=2'];

export interface TronProcessOptions {
  /** Directory of the files of development chains; created when missing. */
  readonly dir: string;
  /** 0 = any free port. A chain that ran before keeps its last port. When the port is taken, the next one is used. */
  readonly preferredPort: number;
  readonly log: (line: string) => void;
  /** Of a new chain: the pause between two blocks. Default 3 s. */
  readonly blockIntervalMs?: number;
  /** Of a new chain: how many blocks the solid one is behind the head. Default 19. */
  readonly solidityDistance?: number;
}

/** A running tron chain that outlives this process unless it is stopped. */
export interface TronProcess extends JournaledChain {
  /** Of both interfaces, `/wallet` and `/walletsolidity`. */
  readonly url: string;
  /** Unique for each chain: another id means another chain. */
  readonly genesisId: string;
  readonly controls: TronControls;
  readonly tokens: TronChainInfo['tokens'];
}

/**
 * Starts the process of the tron development chain, or adopts the running one. The caller holds the lock of the data
 * directory.
 * @throws Error with the output of its process.
 */
export async function runTronChain(options: TronProcessOptions): Promise<TronProcess> {
  const { dir, preferredPort, log } = options;
  const running = await runJournaledChain({
    name: NAME,
    dir,
    journal: `${NAME}.journal`,
    unreadable: /The journal cannot be replayed/,
    preferredPort,
    answers,
    log,
    command: (journal, port) => commandOf(journal, port, options),
  });
  const url = urlOf(running.port);
  const controls = new TronControls(url);
  const { genesisId, tokens } = await controls.info();
  return { ...running, url, genesisId, controls, tokens };
}

function commandOf(journal: string, port: number, options: TronProcessOptions) {
  const { blockIntervalMs = BLOCK_INTERVAL_MS, solidityDistance = SOLIDITY_DISTANCE } = options;
  const { url, flags } = entryPointBeside(import.meta.url, 'tron-chain-main');
  const values = { journal, port, 'block-interval-ms': blockIntervalMs, 'solidity-distance': solidityDistance };
  const named = Object.entries(values).map(([name, value]) => `--${name}=${value}`);
  return { path: process.execPath, arguments: [...HEAP_FLAGS, ...flags, fileURLToPath(url), ...named] };
}

async function answers(port: number): Promise<boolean> {
  try {
    await new TronControls(urlOf(port)).info();
    return true;
  } catch {
    return false;
  }
}

const urlOf = (port: number): string => `http://127.0.0.1:${port}`;

import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { anvilBinaryPath } from './anvil-binary.js';
import { AnvilFiles } from './anvil-files.js';
import { gasLimitAtStart, keepOwnGenesis } from './anvil-genesis.js';
import { ChainProcess, type ChainOrigin, type StartOrigin } from './chain-process.js';
import { DEV_MNEMONIC } from './dev-mnemonic.js';
import { askChain, HEX_NUMBER, sendToChain } from './dev-rpc.js';

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

/** A running anvil that outlives this process unless it is stopped. */
export interface Anvil {
  readonly pid: number;
  readonly port: number;
  readonly url: string;
  readonly genesisHash: string;
  readonly origin: ChainOrigin;
  /** Stops it; its whole chain is on disk when this resolves. */
  stop(): Promise<void>;
}

interface Running {
  readonly pid: number;
  readonly port: number;
  readonly origin: ChainOrigin;
}

/**
 * Starts the anvil of a network, or adopts a running one. The caller holds the lock of the data directory.
 * @throws Error with anvil's output.
 */
export async function runAnvil(options: AnvilOptions): Promise<Anvil> {
  const dir = resolve(options.dir);
  mkdirSync(dir, { recursive: true });
  const { network, chainId, log } = options;
  const files = new AnvilFiles(dir, network);
  const anvil = new ChainProcess({
    name: network,
    recordFile: files.record,
    logFile: files.log,
    mark: files.state,
    answers: (port) => answersAs(port, chainId),
    log,
  });
  const adopted = await anvil.adopt();
  const running: Running =
    adopted === null ? await start(anvil, files, { ...options, dir }) : { ...adopted, origin: 'adopted' };
  files.retireLoadedState();
  const url = urlOf(running.port);
  // Otherwise it would log every call.
  await sendToChain(url, 'anvil_setLoggingEnabled', false);
  const { hash } = await askChain(url, z.object({ hash: z.string() }), 'eth_getBlockByNumber', '0x0', false);
  let stopping: Promise<void> | undefined;
  return { ...running, url, genesisHash: hash, stop: () => (stopping ??= anvil.stop(running)) };
}

async function start(anvil: ChainProcess, files: AnvilFiles, options: AnvilOptions): Promise<Running> {
  const { network, dir, chainId, preferredPort, log } = options;
  const isFirst = anvil.lastRecord() === null;
  let origin: StartOrigin = 'new';
  const place = await anvil.start(
    preferredPort,
    (port) => {
      origin = prepareState(files, options);
      return { path: anvilBinaryPath(), arguments: anvilArguments(chainId, port, files, origin), directory: dir };
    },
    (failure) => {
      if (!/failed to parse json file/.test(failure) || !files.hasState()) return false;
      giveUpState(files, options);
      return true;
    },
  );
  if (!isFirst && origin === 'new') log(`The ${network} chain ended without saving and starts over.`);
  return { ...place, origin };
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

async function answersAs(port: number, chainId: number): Promise<boolean> {
  try {
    return (await askChain(urlOf(port), HEX_NUMBER, 'eth_chainId')) === chainId;
  } catch {
    return false;
  }
}

const urlOf = (port: number): string => `http://127.0.0.1:${port}`;

import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ChainProcess, type ChainOrigin, type ChainProgram, type Command, type StartOrigin } from './chain-process.js';

/** A development chain that writes what it accepts to a journal, and repeats the journal at its start. */
export interface JournaledProgram {
  readonly name: string;
  /** Directory of the records, journals and logs of all development chains; created when missing. */
  readonly dir: string;
  /** Name of the journal's file. */
  readonly journal: string;
  /** The output of a start that failed because of the journal. */
  readonly unreadable: RegExp;
  /** 0 = any free port. A chain that ran before keeps its last port. When the port is taken, the next one is used. */
  readonly preferredPort: number;
  readonly answers: ChainProgram['answers'];
  readonly log: (line: string) => void;
  /** @param journal path of the journal */
  readonly command: (journal: string, port: number) => Omit<Command, 'directory'>;
}

/** A running chain that outlives this process unless it is stopped. */
export interface JournaledChain {
  readonly pid: number;
  readonly port: number;
  readonly origin: ChainOrigin;
  /** Stops it. It is the same chain at its next start, as after a kill. */
  stop(): Promise<void>;
}

/**
 * Starts the chain, or adopts the running one. A journal that cannot be repeated is moved away, and the chain starts over.
 * The caller holds the lock of the data directory.
 * @throws Error with the output of its process.
 */
export async function runJournaledChain(program: JournaledProgram): Promise<JournaledChain> {
  const { name, answers, log } = program;
  const dir = resolve(program.dir);
  mkdirSync(dir, { recursive: true });
  const journal = join(dir, program.journal);
  const chain = new ChainProcess({
    name,
    recordFile: join(dir, `${name}.json`),
    logFile: join(dir, `${name}.log`),
    mark: journal,
    answers,
    log,
  });
  const adopted = await chain.adopt();
  const running =
    adopted === null ? await start(chain, journal, { ...program, dir }) : { ...adopted, origin: 'adopted' as const };
  let stopping: Promise<void> | undefined;
  return { ...running, stop: () => (stopping ??= chain.stop(running)) };
}

async function start(
  chain: ChainProcess,
  journal: string,
  { name, dir, unreadable, preferredPort, command, log }: JournaledProgram,
): Promise<{ readonly pid: number; readonly port: number; readonly origin: StartOrigin }> {
  // Before the first try: one that finds its port taken may have begun the journal already.
  let origin: StartOrigin = existsSync(journal) ? 'restored' : 'new';
  const place = await chain.start(
    preferredPort,
    (port) => ({ ...command(journal, port), directory: dir }),
    (failure) => {
      if (!unreadable.test(failure) || !existsSync(journal)) return false;
      const retired = `${journal}.unreadable`;
      renameSync(journal, retired);
      origin = 'new';
      log(`The saved ${name} chain cannot be repeated and was moved to ${retired}: it starts over.`);
      return true;
    },
  );
  return { ...place, origin };
}

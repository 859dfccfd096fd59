import { setImmediate } from 'node:timers/promises';
import type { SolanaChain } from './chain.js';
import { JournalError, type JournalEntry } from './journal.js';
import { decodeTransaction, type WireTransaction } from './wire-transaction.js';

type EntryOf<Type extends JournalEntry['type']> = Extract<JournalEntry, { type: Type }>;

/** The virtual machine's objects are released only between two turns of the event loop. */
const ENTRIES_PER_TURN = 50;

/** Repeats all entries of a journal after its first. @throws JournalError when the chain comes out differently. */
export async function replay(chain: SolanaChain, entries: readonly JournalEntry[]): Promise<void> {
  const accepted = new Map<number, WireTransaction>();
  let run: EntryOf<'run'> | null = null;
  for (const [i, entry] of entries.entries()) {
    if (i % ENTRIES_PER_TURN === 0) await setImmediate();
    if (entry.type === 'genesis') throw new JournalError('The journal begins two chains.');
    if (entry.type === 'transaction') {
      const transaction = decodeTransaction(Buffer.from(entry.bytes, 'base64'));
      accepted.set(entry.number, transaction);
      chain.takeUp(entry.number, transaction);
    } else if (entry.type === 'block') {
      repeatBlock(chain, entry, run, accepted);
    } else {
      if (run !== null) repeatEmptyBlocks(chain, run, Number(run.count));
      run = entry.type === 'run' ? entry : null;
      if (entry.type !== 'run') chain.apply(entry);
    }
  }
  if (run !== null) repeatEmptyBlocks(chain, run, Number(run.count));
  chain.ledger.endRun();
}

function repeatBlock(
  chain: SolanaChain,
  { slot, transactions, digest }: EntryOf<'block'>,
  run: EntryOf<'run'> | null,
  accepted: ReadonlyMap<number, WireTransaction>,
): void {
  if (run === null) throw new JournalError(`The block in slot ${slot} is in no run.`);
  repeatEmptyBlocks(chain, run, slot - run.slot);
  const found = transactions.map((number) => {
    const transaction = accepted.get(number);
    if (transaction === undefined) throw new JournalError(`Transaction ${number} of slot ${slot} is missing.`);
    return transaction;
  });
  chain.repeatBlock(run.timeMs + (slot - run.slot) * run.stepMs, run.stepMs, found, digest);
}

/** Repeats the first blocks of a run as empty ones, as far as they are not repeated yet. */
function repeatEmptyBlocks(chain: SolanaChain, run: EntryOf<'run'>, count: number): void {
  if (count === 0) return;
  if (chain.ledger.nextSlot < run.slot) throw new JournalError(`Slots before ${run.slot} are missing.`);
  if (chain.ledger.nextSlot === run.slot) chain.repeatBlock(run.timeMs, run.stepMs, [], null);
  chain.extendRun(count);
}

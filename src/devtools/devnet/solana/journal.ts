import { closeSync, existsSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { z } from 'zod';

const COUNT_DIGITS = 12;
const NEWLINE = 10;

const SLOT = z.number().int().nonnegative();
const HEX = z.string().regex(/^[0-9a-f]+$/);

const GENESIS = z.object({
  type: z.literal('genesis'),
  /** Makes the chain unique. */
  nonce: HEX,
  timeMs: z.number().int(),
  lamportsPerByte: z.number().int().positive(),
  confirmed: SLOT,
  finalized: SLOT,
});

const ENTRY = z.discriminatedUnion('type', [
  GENESIS,
  /** A transaction that was accepted. Entries are counted from 0, and blocks name transactions by that number. */
  z.object({ type: z.literal('transaction'), number: SLOT, bytes: z.base64() }),
  /** Blocks in slots without a gap. The count is the only part that is ever overwritten. */
  z.object({
    type: z.literal('run'),
    slot: SLOT,
    timeMs: z.number().int(),
    stepMs: SLOT,
    count: z.string().regex(/^\d+$/),
  }),
  /** A block of the run with transactions, in their order. */
  z.object({ type: z.literal('block'), slot: SLOT, transactions: z.array(SLOT), digest: HEX }),
  z.object({ type: z.literal('skip'), slots: SLOT }),
  z.object({ type: z.literal('fork'), kept: SLOT }),
  z.object({ type: z.literal('erase'), key: HEX }),
  z.object({ type: z.literal('rent'), lamportsPerByte: z.number().int().positive() }),
  z.object({ type: z.literal('finality'), confirmed: SLOT, finalized: SLOT }),
  z.object({ type: z.literal('clock'), offsetMs: z.number().int() }),
  z.object({ type: z.literal('automatic'), isOn: z.boolean() }),
  z.object({ type: z.literal('truncate'), firstSlot: SLOT }),
]);

export type Genesis = z.infer<typeof GENESIS>;
export type JournalEntry = z.infer<typeof ENTRY>;
type Run = Extract<JournalEntry, { type: 'run' }>;

/** A journal that does not describe a chain. */
export class JournalError extends Error {
  override name = 'JournalError';
}

/**
 * The file from which a chain comes back: one JSON object per line, written before its effect is visible. It survives a
 * kill of all processes, and not a failure of the machine's power: nothing waits for the disk. Idle blocks overwrite the
 * count of their run in place, so the file grows with what happens and not with time.
 */
export class Journal {
  private readonly file: number;
  private size: number;
  private countOffset: number | null = null;

  private constructor(file: number, size: number) {
    this.file = file;
    this.size = size;
  }

  /** Opens or creates a journal and returns its entries. A line that was not written whole is removed. */
  static open(path: string): { readonly journal: Journal; readonly entries: readonly JournalEntry[] } {
    const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
    const size = bytes.lastIndexOf(NEWLINE) + 1;
    const file = openSync(path, existsSync(path) ? 'r+' : 'w+', 0o600);
    ftruncateSync(file, size);
    const lines = bytes.subarray(0, size).toString('utf8').split('\n').slice(0, -1);
    return { journal: new Journal(file, size), entries: lines.map(entryOf) };
  }

  append(entry: Exclude<JournalEntry, Run>): void {
    this.write(`${JSON.stringify(entry)}\n`);
  }

  /** Adds a run of one block. */
  beginRun(run: Omit<Run, 'type' | 'count'>): void {
    const head = JSON.stringify({ type: 'run', ...run }).slice(0, -1);
    const start = `${head},"count":"`;
    this.countOffset = this.size + Buffer.byteLength(start);
    this.write(`${start}${shownCount(1)}"}\n`);
  }

  /** Sets the number of blocks of the last run. */
  setRunLength(count: number): void {
    if (this.countOffset === null) throw new JournalError('The journal has no run to continue.');
    writeSync(this.file, shownCount(count), this.countOffset);
  }

  close(): void {
    closeSync(this.file);
  }

  private write(line: string): void {
    writeSync(this.file, line, this.size);
    this.size += Buffer.byteLength(line);
  }
}

const shownCount = (count: number): string => String(count).padStart(COUNT_DIGITS, '0');

function entryOf(line: string, index: number): JournalEntry {
  try {
    return ENTRY.parse(JSON.parse(line));
  } catch (cause) {
    throw new JournalError(`Line ${index + 1} of the journal cannot be read.`, { cause });
  }
}

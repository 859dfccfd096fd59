import { closeSync, existsSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import { z } from 'zod';
import { SETTINGS_CHANGE } from './settings.js';

const GENESIS = z.object({
  /** Makes the ids of this chain its own. */
  seed: z.string().regex(/^[0-9a-f]{64}$/),
  time: z.number().int(),
  intervalMs: z.number().int().positive(),
  solidityDistance: z.number().int(),
});

/** What happened to the chain, one line each, in its order. */
const ENTRY = z.union([
  z.object({ genesis: GENESIS }),
  z.object({ transaction: z.string() }),
  z.object({ block: z.object({ time: z.number().int(), id: z.string() }) }),
  z.object({ fork: z.object({ blocks: z.number().int().positive(), keep: z.boolean() }) }),
  z.object({ settings: SETTINGS_CHANGE }),
]);

export type JournalEntry = z.infer<typeof ENTRY>;
export type GenesisEntry = z.infer<typeof GENESIS>;

const NEW_LINE = 0x0a;

/**
 * The chain on disk. An entry is in the file before anybody hears of it, so a kill of all processes at any moment loses
 * nothing. It is not flushed to the disk: a power failure can lose the last entries.
 */
export class Journal {
  private readonly file: number;

  private constructor(file: number) {
    this.file = file;
  }

  /**
   * Opens a journal and returns it with its entries. A last line that was cut off is removed.
   * @throws Error when another line is none of a journal.
   */
  static open(path: string): { readonly journal: Journal; readonly entries: readonly JournalEntry[] } {
    const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
    const whole = bytes.subarray(0, bytes.lastIndexOf(NEW_LINE) + 1);
    if (whole.length < bytes.length) truncateSync(path, whole.length);
    const lines = whole.toString('utf8').split('\n').slice(0, -1);
    const entries = lines.map((line) => ENTRY.parse(JSON.parse(line)));
    return { journal: new Journal(openSync(path, 'a', 0o600)), entries };
  }

  append(entry: JournalEntry): void {
    const line = Buffer.from(`${JSON.stringify(entry)}\n`);
    for (let written = 0; written < line.length;) written += writeSync(this.file, line, written);
  }

  close(): void {
    closeSync(this.file);
  }
}

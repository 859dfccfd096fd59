import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Journal } from './journal.js';

let dir: string;
let path: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'coffer-journal-'));
  path = join(dir, 'journal.jsonl');
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** Returns the entries that a new process finds. */
function entries(): unknown {
  const { journal, entries: found } = Journal.open(path);
  journal.close();
  return found;
}

const RUN = { slot: 1, timeMs: 5, stepMs: 400 };

describe('a journal', () => {
  it('counts the blocks of the last run in place, while other entries follow it', async () => {
    const { journal } = Journal.open(path);
    journal.beginRun(RUN);
    journal.append({ type: 'transaction', number: 0, bytes: 'AAAA' });
    const { length } = await readFile(path);
    for (const count of [2, 3, 41]) journal.setRunLength(count);
    expect((await readFile(path)).length).toBe(length);
    journal.append({ type: 'skip', slots: 2 });
    journal.beginRun({ ...RUN, slot: 44 });
    journal.setRunLength(7);
    journal.close();
    expect(entries()).toEqual([
      { type: 'run', ...RUN, count: '000000000041' },
      { type: 'transaction', number: 0, bytes: 'AAAA' },
      { type: 'skip', slots: 2 },
      { type: 'run', ...RUN, slot: 44, count: '000000000007' },
    ]);
  });

  it('loses a last line that is not whole, and continues in its place', async () => {
    const { journal } = Journal.open(path);
    journal.append({ type: 'skip', slots: 2 });
    journal.close();
    await appendFile(path, '{"type":"transaction","num');
    const again = Journal.open(path);
    again.journal.append({ type: 'skip', slots: 3 });
    again.journal.close();
    expect(entries()).toEqual([
      { type: 'skip', slots: 2 },
      { type: 'skip', slots: 3 },
    ]);
  });

  it.each([['{"type":"skip","slots":-1}'], ['{"type":"magic"}'], ['no json']])(
    'that contains the line %s is refused',
    async (line) => {
      await writeFile(path, `{"type":"skip","slots":2}\n${line}\n`);
      expect(() => entries()).toThrow('Line 2 of the journal cannot be read.');
    },
  );
});

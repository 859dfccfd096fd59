import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JournaledChain, runJournaledChain } from './journaled-chain.js';

/** Begins its journal, and finds its port taken at its first start. */
const PROGRAM = `
  const { existsSync, writeFileSync } = require('node:fs');
  const [journal, port] = process.argv.slice(1);
  const isFirst = !existsSync(journal);
  writeFileSync(journal, 'genesis');
  if (isFirst) throw new Error('EADDRINUSE');
  require('node:http').createServer().listen(Number(port), '127.0.0.1', () => console.log('Listening on 127.0.0.1:' + port));
`;

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'coffer-journaled-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const run = (): Promise<JournaledChain> =>
  runJournaledChain({
    name: 'test',
    dir,
    journal: 'test.journal',
    unreadable: /never/,
    preferredPort: 0,
    answers: () => Promise.resolve(true),
    log: () => undefined,
    command: (journal, port) => ({ path: process.execPath, arguments: ['-e', PROGRAM, journal, `${port}`] }),
  });

describe('a development chain with a journal', () => {
  it('is new although its first try has begun the journal and found the port taken', async () => {
    const first = await run();
    await first.stop();
    expect(first.origin).toBe('new');
    const second = await run();
    await second.stop();
    expect(second.origin).toBe('restored');
  });
});

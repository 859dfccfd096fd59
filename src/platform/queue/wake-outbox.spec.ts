import { eventually } from '../../../test/support/eventually.js';
import { type JobToAdd, WakeOutbox } from './wake-outbox.js';

const SHORT_MS = 20;
const LONG_MS = 60_000;

/** An outbox over a queue that records what it is sent. */
function recorded() {
  const sent: string[] = [];
  const queue = {
    addBulk: async (jobs: readonly JobToAdd[]) => sent.push(...jobs.map(({ name }) => name)),
    close: () => Promise.resolve(),
  };
  const outbox = new WakeOutbox(queue, (error) => {
    throw error;
  });
  /** Puts a wake, and lets the outbox send it. */
  const put = async (name: string, paceMs?: number): Promise<void> => {
    outbox.put(name, { name, data: {}, opts: {} }, paceMs);
    await new Promise(setImmediate);
  };
  return { sent, outbox, put };
}

describe('a wake with a pace', () => {
  it('is sent at once; those that follow within the pace wait, and others do not', async () => {
    const { sent, outbox, put } = recorded();
    for (const name of ['paced', 'paced', 'other', 'paced', 'other'])
      await put(name, name === 'paced' ? LONG_MS : undefined);
    expect(sent).toEqual(['paced', 'other', 'other']);
    await outbox.close();
  });

  it('is sent once in each pace, however many follow', async () => {
    const { sent, outbox, put } = recorded();
    const startedAt = performance.now();
    const deadline = startedAt + 10_000;
    while (sent.length < 6 && performance.now() < deadline) await put('paced', SHORT_MS);
    expect(sent.length).toBeGreaterThanOrEqual(6);
    // A timer may be a millisecond early.
    expect(performance.now() - startedAt).toBeGreaterThan(5 * (SHORT_MS - 1));
    await outbox.close();
  });

  it('is sent at the end of its pace, though no other follows', async () => {
    const { sent, outbox, put } = recorded();
    await put('paced', SHORT_MS);
    await put('paced', SHORT_MS);
    await eventually(() => sent.length === 2);
    await outbox.close();
    expect(sent).toEqual(['paced', 'paced']);
  });

  it('is not lost when the process stops within its pace', async () => {
    const { sent, outbox, put } = recorded();
    await put('paced', LONG_MS);
    await put('paced', LONG_MS);
    await outbox.close();
    expect(sent).toEqual(['paced', 'paced']);
  });
});

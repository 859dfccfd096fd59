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

  it('is sent once for all that followed, when the pace ends', async () => {
    const { sent, outbox, put } = recorded();
    await put('paced', SHORT_MS);
    for (let n = 0; n < 3; n++) outbox.put('paced', { name: 'paced', data: {}, opts: {} }, SHORT_MS);
    await eventually(
      () => Promise.resolve(sent.length),
      (count) => count === 2,
    );
    // Sent within the pace of the second one: were there a third, it would be between them.
    await put('marker');
    await outbox.close();
    expect(sent).toEqual(['paced', 'paced', 'marker']);
  });

  it('is not lost when the process stops within its pace', async () => {
    const { sent, outbox, put } = recorded();
    await put('paced', LONG_MS);
    await put('paced', LONG_MS);
    await outbox.close();
    expect(sent).toEqual(['paced', 'paced']);
  });
});

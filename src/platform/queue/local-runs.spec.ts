import { gate } from '../../../test/support/queue-rig.js';
import { LocalRuns } from './local-runs.js';

describe('LocalRuns', () => {
  it('runs up to its limit at a time, and the rest as places become free', async () => {
    const runs = new LocalRuns(2);
    const gates = [gate(), gate(), gate()];
    const begun: number[] = [];
    gates.forEach(({ passed }, n) =>
      runs.add(`key ${n}`, () => {
        begun.push(n);
        return passed;
      }),
    );
    expect(begun).toEqual([0, 1]);
    gates[0]?.open();
    await gates[0]?.passed;
    await new Promise(setImmediate);
    expect(begun).toEqual([0, 1, 2]);
  });

  it('runs a key that is added while it runs exactly once more, and never twice at a time', async () => {
    const runs = new LocalRuns(8);
    const [held, again] = [gate(), gate()];
    let [begun, beside, most] = [0, 0, 0];
    const work = async (): Promise<void> => {
      begun++;
      most = Math.max(most, ++beside);
      if (begun === 1) await held.passed;
      else again.open();
      beside--;
    };
    for (let n = 0; n < 5; n++) runs.add('key', work);
    held.open();
    await again.passed;
    await runs.close();
    expect([begun, most]).toEqual([2, 1]);
  });

  it('starts no work after the close, and waits for running work', async () => {
    const runs = new LocalRuns(1);
    const held = gate();
    const done: string[] = [];
    const run = (name: string) => (): Promise<void> => held.passed.then(() => void done.push(name));
    runs.add('one', run('one'));
    runs.add('two', run('two'));
    const closed = runs.close();
    runs.add('three', run('three'));
    held.open();
    await closed;
    expect(done).toEqual(['one']);
  });

  it('drops work beyond 1,000 waiting keys, which a recurring job finds again', async () => {
    const runs = new LocalRuns(1);
    const held = gate();
    let ran = 0;
    for (let n = 0; n < 1_500; n++) {
      runs.add(`key ${n}`, async () => {
        await held.passed;
        ran++;
      });
    }
    held.open();
    for (let turn = 0; turn < 5_000 && ran < 1_001; turn++) await Promise.resolve();
    await new Promise(setImmediate);
    expect(ran).toBe(1_001);
  });
});

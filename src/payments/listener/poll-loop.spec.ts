import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../../test/support/eventually.js';
import { listenerPauseMs, PollLoop } from './poll-loop.js';

const NEVER_MS = 3_600_000;

describe('a poll loop', () => {
  it('works without a pause while there is more to do, and then waits to be nudged', async () => {
    let ticks = 0;
    const loop = new PollLoop({
      tick: async () => ++ticks < 5,
      pauseMs: () => NEVER_MS,
      onFailure: async () => undefined,
    });
    await eventually(
      () => ticks,
      (count) => count === 5,
    );
    loop.nudge();
    await eventually(
      () => ticks,
      (count) => count === 6,
    );
    await loop.stop();
    expect(ticks).toBe(6);
  });

  it('does not lose a nudge that comes while it works', async () => {
    let ticks = 0;
    const first = Promise.withResolvers<void>();
    const loop = new PollLoop({
      tick: async () => {
        ticks++;
        await first.promise;
        return false;
      },
      pauseMs: () => NEVER_MS,
      onFailure: async () => undefined,
    });
    loop.nudge();
    first.resolve();
    await eventually(
      () => ticks,
      (count) => count === 2,
    );
    await loop.stop();
  });

  it('goes on after failures, and reports the number of failures in a row', async () => {
    const outcomes = ['bad', 'bad', 'good', 'bad', 'good'];
    const failures: number[] = [];
    const loop = new PollLoop({
      tick: async () => {
        if (outcomes.shift() === 'bad') throw new Error('bad');
        return false;
      },
      pauseMs: () => 1,
      onFailure: async (_error, inARow) => void failures.push(inARow),
    });
    await eventually(
      () => outcomes.length,
      (left) => left === 0,
    );
    await loop.stop();
    expect(failures).toEqual([1, 2, 1]);
  });

  it('ends after the tick that is under way', async () => {
    const working = Promise.withResolvers<void>();
    let hasEnded = false;
    const loop = new PollLoop({
      tick: async () => {
        await working.promise;
        hasEnded = true;
        return true;
      },
      pauseMs: () => 1,
      onFailure: async () => undefined,
    });
    const stopped = loop.stop();
    await sleep(5);
    working.resolve();
    await stopped;
    expect(hasEnded).toBe(true);
  });
});

it('a listener waits about a block, longer after failures, and never more than 5 seconds or a slow block', () => {
  const pauses = (blockMs: number) => [0, 1, 3, 10].map((failures) => listenerPauseMs(blockMs, failures));
  expect(pauses(400)).toEqual([500, 1_000, 4_000, 5_000]);
  expect(pauses(2_000)).toEqual([2_000, 4_000, 5_000, 5_000]);
  expect(pauses(12_000)).toEqual([4_000, 5_000, 5_000, 5_000]);
});

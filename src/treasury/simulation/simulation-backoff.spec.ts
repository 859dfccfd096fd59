import { StoppedClock } from '../../../test/support/stopped-clock.js';
import { SimulationBackoff } from './simulation-backoff.js';

const HOUR_MS = 3_600_000;

let clock: StoppedClock;
let backoff: SimulationBackoff;

beforeEach(() => {
  clock = new StoppedClock();
  backoff = new SimulationBackoff();
});
afterEach(() => clock.release());

/** For how many seconds the payment is left alone. */
function pauseOf(id: string): number {
  const begun = performance.now();
  while (backoff.isPaused(id)) {
    clock.advance(500);
    if (performance.now() - begun > HOUR_MS) throw new Error(`${id} is still paused after an hour.`);
  }
  return (performance.now() - begun) / 1_000;
}

function pauses(id: string, times: number): number[] {
  return Array.from({ length: times }, () => {
    backoff.pause(id);
    return pauseOf(id);
  });
}

it('a payment without a result is paused twice as long each time, for 30 seconds at most', () => {
  expect(pauses('wd_a', 7)).toEqual([1, 2, 4, 8, 16, 30, 30]);
});

it('a payment with a result is not paused, and starts with the shortest pause again', () => {
  pauses('wd_a', 3);
  backoff.pause('wd_a');
  backoff.reset('wd_a');
  expect([pauseOf('wd_a'), ...pauses('wd_a', 2)]).toEqual([0, 1, 2]);
});

it('other payments are not paused', () => {
  backoff.pause('wd_a');
  expect(pauseOf('wd_b')).toBe(0);
});

it('of very many payments the least recently simulated one is dropped', () => {
  for (let count = 0; count <= 10_000; count++) backoff.pause(`wd_${count}`);
  expect([backoff.isPaused('wd_0'), backoff.isPaused('wd_1'), backoff.isPaused('wd_10000')]).toEqual([
    false,
    true,
    true,
  ]);
});

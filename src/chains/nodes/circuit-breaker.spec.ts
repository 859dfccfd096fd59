import * as fc from 'fast-check';
import { CircuitBreaker } from './circuit-breaker.js';

const MINUTE = 60_000;
const longest = (max: number): number => max;

describe('CircuitBreaker', () => {
  it('opens with the first failure, may be tried after its pause, and closes with a success', () => {
    const breaker = new CircuitBreaker(longest);
    expect(breaker.state(0)).toBe('closed');
    breaker.fail(0);
    expect([breaker.state(999), breaker.state(1_000)]).toEqual(['open', 'half_open']);
    breaker.succeed(1_000);
    expect(breaker.state(1_000)).toBe('closed');
  });

  it('doubles the bound of its pause up to a minute [F-73]', () => {
    const breaker = new CircuitBreaker(longest);
    let now = 0;
    const pauses = Array.from({ length: 9 }, () => {
      breaker.fail(now);
      const pause = breaker.readyAtMs - now;
      now = breaker.readyAtMs;
      return pause;
    });
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, MINUTE, MINUTE, MINUTE]);
  });

  it('draws its pause from the whole range up to the bound, and never waits longer [F-73]', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 1_200 }), (draws) => {
        let index = 0;
        const breaker = new CircuitBreaker((max) => Math.floor((draws[index++] ?? 0) * max));
        draws.forEach((_, failure) => {
          breaker.fail(0);
          const bound = Math.min(1_000 * 2 ** failure, MINUTE);
          expect(breaker.readyAtMs).toBeGreaterThanOrEqual(0);
          expect(breaker.readyAtMs).toBeLessThanOrEqual(bound);
        });
      }),
      { numRuns: 20 },
    );
  });

  it('grants the pause that the node requests, but no more than a minute [F-73]', () => {
    const breaker = new CircuitBreaker(() => 0);
    breaker.fail(0, 30_000);
    expect(breaker.readyAtMs).toBe(30_000);
    breaker.fail(0, 86_400_000);
    expect(breaker.readyAtMs).toBe(MINUTE);
  });

  it('continues the count when it fails again soon, and starts over after a minute without failures', () => {
    const breaker = new CircuitBreaker(longest);
    for (let failure = 0; failure < 3; failure++) breaker.fail(0);
    breaker.succeed(10_000);
    breaker.fail(20_000);
    expect(breaker.consecutiveFailures).toBe(4);
    breaker.succeed(40_000);
    breaker.fail(40_000 + MINUTE);
    expect(breaker.consecutiveFailures).toBe(1);
  });
});

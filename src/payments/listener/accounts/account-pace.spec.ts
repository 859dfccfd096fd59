import { AccountPace } from './account-pace.js';

const BLOCK_MS = 400;
const QUIET_MS = 2_000;

/** The pause after a round of `steps` and `further` steps of the next one. */
function pauseAfter(steps: number, further: number, recent = 0): number {
  const pace = new AccountPace(BLOCK_MS);
  for (let step = 1; step <= steps; step++) pace.note({ recent: 0, endsRound: step === steps });
  for (let step = 1; step <= further; step++) pace.note({ recent, endsRound: false });
  return pace.pauseMs;
}

it.each([
  ['nothing is known about the length of a round', 0, 5, 0, BLOCK_MS],
  ['a round has one step', 1, 0, 0, QUIET_MS],
  ['a round has 30 steps', 30, 3, 0, QUIET_MS],
  ['a round has 31 steps', 31, 3, 0, BLOCK_MS],
  ['a round has become longer', 10, 31, 0, BLOCK_MS],
  ['an address may be paid', 1, 1, 1, BLOCK_MS],
])('pauses as it should when %s', (_when, steps, further, recent, pause) => {
  expect(pauseAfter(steps, further, recent)).toBe(pause);
});

it('pauses longer again once no address may be paid', () => {
  const pace = new AccountPace(BLOCK_MS);
  pace.note({ recent: 1, endsRound: true });
  pace.note({ recent: 0, endsRound: true });
  expect(pace.pauseMs).toBe(QUIET_MS);
});

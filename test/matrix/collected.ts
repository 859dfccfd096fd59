/** The cases that `collecting.ts` runs for each asset of each network, over HTTP. */
export const COLLECTED = {
  exact: 'exact',
  parts: 'two parts',
  over: 'over',
  late: 'late',
  wrongToken: 'wrong token',
} as const;

export type CollectedCase = (typeof COLLECTED)[keyof typeof COLLECTED];

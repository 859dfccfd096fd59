import type { Source, SourceRule } from './source-rules.js';

/** A rule of the house, with sources that break it and what it then says. */
export type RuleCase = readonly [
  rule: string,
  check: SourceRule,
  broken: readonly Source[],
  findings: readonly string[],
];

export const at = (path: string, text: string): Source => ({ path: `src/${path}`, text });

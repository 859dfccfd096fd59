/** A problem that prevents some work of the service, reported at the start. */
export interface Trouble {
  /** The problem, as a sentence. */
  readonly what: string;
  /** Its consequences, and what to do. */
  readonly advice: readonly string[];
}

const RULE = '!'.repeat(78);

/** Formats the problems as a conspicuous block of lines; no lines when there are none. */
export function attentionLines(troubles: readonly Trouble[]): string[] {
  if (troubles.length === 0) return [];
  const lines = troubles.flatMap(({ what, advice }) => [`ATTENTION: ${what}`, ...advice.map((line) => `  ${line}`)]);
  return [RULE, ...lines, RULE];
}

/** Something that keeps the service from doing all its work, for the person who starts it. */
export interface Trouble {
  /** A sentence: what is wrong. */
  readonly what: string;
  /** What follows from it, and what to try. */
  readonly advice: readonly string[];
}

const RULE = '!'.repeat(78);

/** The troubles as a block of lines that is hard to overlook; no lines when there are none. */
export function attentionLines(troubles: readonly Trouble[]): string[] {
  if (troubles.length === 0) return [];
  const lines = troubles.flatMap(({ what, advice }) => [`ATTENTION: ${what}`, ...advice.map((line) => `  ${line}`)]);
  return [RULE, ...lines, RULE];
}

/** Proofs that are tried in each round before the pauses begin: a node may only be a few blocks late. */
const TRIED_AT_ONCE = 5;
const PAUSE_MS = 2_000;
const PAUSE_MAX_MS = 5 * 60_000;

/** How often a transaction had a turn, and when it may have the next one (monotonic). */
interface Turn {
  readonly count: number;
  readonly notBefore: number;
}

/**
 * Chooses which expired transactions are proven next, so that those that cannot be proven delay no others. One that had turns
 * without success pauses for a growing time: each proof reads hundreds of blocks.
 */
export class ProofTurns {
  /** By transaction, the least recent turn first. */
  private had: ReadonlyMap<string, Turn> = new Map();

  /** Returns up to `max` transactions: those that had no turn, then those whose turn was the longest ago, if not paused. */
  next<Transaction extends { readonly id: string }>(
    late: readonly Transaction[],
    max: number,
    now: number,
  ): readonly Transaction[] {
    const open = new Set(late.map(({ id }) => id));
    const turns = [...this.had].filter(([id]) => open.has(id));
    const orderOf = new Map(turns.map(([id], order) => [id, order]));
    const chosen = late
      .filter(({ id }) => (this.had.get(id)?.notBefore ?? 0) <= now)
      .toSorted((a, b) => (orderOf.get(a.id) ?? -1) - (orderOf.get(b.id) ?? -1))
      .slice(0, max);
    const ids = new Set(chosen.map(({ id }) => id));
    this.had = new Map([
      ...turns.filter(([id]) => !ids.has(id)),
      ...chosen.map(({ id }) => [id, nextTurn(this.had.get(id), now)] as const),
    ]);
    return chosen;
  }
}

function nextTurn(last: Turn | undefined, now: number): Turn {
  const count = (last?.count ?? 0) + 1;
  if (count < TRIED_AT_ONCE) return { count, notBefore: now };
  // The exponent is bounded, since 2 ** 1100 is no number.
  const pauseMs = Math.min(PAUSE_MS * 2 ** Math.min(count - TRIED_AT_ONCE, 10), PAUSE_MAX_MS);
  return { count, notBefore: now + pauseMs };
}

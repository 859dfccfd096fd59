/** Chooses which expired transactions are proven next, so that those that cannot be proven delay no others. */
export class ProofTurns {
  /** Transactions that had a turn, the least recent first. */
  private had: readonly string[] = [];

  /** Returns up to `max` transactions: those that had no turn, then those whose turn was the longest ago. */
  next<Transaction extends { readonly id: string }>(late: readonly Transaction[], max: number): readonly Transaction[] {
    const turnOf = new Map(this.had.map((id, turn) => [id, turn]));
    const chosen = late.toSorted((a, b) => (turnOf.get(a.id) ?? -1) - (turnOf.get(b.id) ?? -1)).slice(0, max);
    const ids = new Set(chosen.map(({ id }) => id));
    const open = new Set(late.map(({ id }) => id));
    this.had = [...this.had.filter((id) => open.has(id) && !ids.has(id)), ...ids];
    return chosen;
  }
}

/** SQLSTATE classes 22 and 23: the data itself is invalid, so a retry is useless. */
const DATA_FAULT = /^2[23]/;

interface Waiting<Item, Outcome> extends PromiseWithResolvers<Outcome> {
  readonly item: Item;
}

/** At most `batchMax` items per batch, and at most `batchesAtOnce` batches in flight. */
export interface GroupCommitLimits {
  readonly batchMax: number;
  readonly batchesAtOnce: number;
}

/**
 * Writes many small items in few transactions: items that arrive while batches are written form the next one. An item is
 * written at once while fewer batches are in flight than allowed, so it never waits for others.
 */
export class GroupCommit<Item, Outcome> {
  private waiting: Waiting<Item, Outcome>[] = [];
  private underWay = 0;

  /** `write` returns one outcome per item, in their order, or fails for all of them. */
  constructor(
    private readonly write: (items: readonly Item[]) => Promise<readonly Outcome[]>,
    private readonly limits: GroupCommitLimits,
  ) {}

  /** Resolves once the item's batch is committed. */
  add(item: Item): Promise<Outcome> {
    const entry = { item, ...Promise.withResolvers<Outcome>() };
    this.waiting.push(entry);
    if (this.underWay < this.limits.batchesAtOnce) void this.run();
    return entry.promise;
  }

  private async run(): Promise<void> {
    this.underWay++;
    while (this.waiting.length > 0) await this.commit(this.waiting.splice(0, this.limits.batchMax));
    this.underWay--;
  }

  private async commit(batch: readonly Waiting<Item, Outcome>[]): Promise<void> {
    try {
      const outcomes = await this.write(batch.map(({ item }) => item));
      for (const [index, { resolve, reject }] of batch.entries()) {
        const outcome = outcomes[index];
        if (outcome === undefined) reject(new Error('A batch was written without an outcome for each item.'));
        else resolve(outcome);
      }
    } catch (error) {
      // One invalid row must not fail the others. When the database is away, all fail together.
      if (batch.length > 1 && isDataFault(error)) for (const entry of batch) await this.commit([entry]);
      else for (const { reject } of batch) reject(error);
    }
  }
}

function isDataFault(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && DATA_FAULT.test(String(error.code));
}

/** SQLSTATE classes 22 and 23: this very data cannot be written, whoever asks and however often. */
const DATA_FAULT = /^2[23]/;

interface Waiting<Item, Outcome> extends PromiseWithResolvers<Outcome> {
  readonly item: Item;
}

/** How items are gathered: at most `batchMax` of them to a batch, and `batchesAtOnce` under way. */
export interface GroupCommitLimits {
  readonly batchMax: number;
  readonly batchesAtOnce: number;
}

/**
 * Writes many small things in few transactions: what comes in while batches are being written makes the next one. With
 * fewer batches under way than may be an item is written at once, so it never waits for company.
 */
export class GroupCommit<Item, Outcome> {
  private waiting: Waiting<Item, Outcome>[] = [];
  private underWay = 0;

  /** `write` answers with one outcome per item, in their order, or fails for all of them. */
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
      // One bad row must not take the others with it; when the database is away, one failure speaks for all.
      if (batch.length > 1 && isDataFault(error)) for (const entry of batch) await this.commit([entry]);
      else for (const { reject } of batch) reject(error);
    }
  }
}

function isDataFault(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && DATA_FAULT.test(String(error.code));
}

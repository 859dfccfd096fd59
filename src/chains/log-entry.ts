/** A log as a node reports it: where it stands is checked, what it says is not. */
export interface LogEntry {
  readonly blockHash: string;
  readonly txHash: string;
  /** Index over the whole block. */
  readonly logIndex: number;
  readonly address: unknown;
  readonly topics: unknown;
  readonly data: unknown;
  readonly removed: unknown;
}

/** A log as a node reports it. Its place is validated; `address`, `topics`, `data` and `removed` are not. */
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

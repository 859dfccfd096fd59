/** The statuses that a write may answer with. */
export type WriteStatus = 200 | 201 | 202;

/** An answer as it goes out: JSON that was written once and is never parsed or written again. */
export class StoredAnswer {
  constructor(
    readonly status: number,
    readonly json: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}

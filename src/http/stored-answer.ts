/** The statuses of successful writes. */
export type WriteStatus = 200 | 201 | 202;

/** An answer as it is sent: JSON that was serialised once and is never parsed or serialised again. */
export class StoredAnswer {
  constructor(
    readonly status: number,
    readonly json: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}

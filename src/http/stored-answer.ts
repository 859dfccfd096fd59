/** An answer as it is sent: JSON that was serialised once and is never parsed or serialised again. */
export class StoredAnswer {
  constructor(
    readonly status: number,
    readonly json: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}

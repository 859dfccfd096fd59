/** One line of the log. */
export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** A destination that keeps the lines of a logger. */
export class LogLines {
  readonly texts: string[] = [];

  constructor(private readonly onLine: () => void = () => undefined) {}

  write(text: string): void {
    this.texts.push(text);
    this.onLine();
  }

  get lines(): LogLine[] {
    return this.texts.map((text) => JSON.parse(text) as LogLine);
  }

  /** The lines with this message. */
  named(msg: string): LogLine[] {
    return this.lines.filter((line) => line.msg === msg);
  }
}

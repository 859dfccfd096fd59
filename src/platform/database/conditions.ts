import type { SqlParameter } from './database.js';

/** Builds the conditions of a statement with the values of their parameters. */
export class Conditions {
  readonly parameters: SqlParameter[] = [];
  private readonly texts: string[] = [];

  /** Adds a condition. Each `?` in it becomes the parameter of the next value. */
  and(condition: string, ...values: readonly SqlParameter[]): this {
    const places = values.map((value) => this.place(value));
    this.texts.push(condition.replaceAll('?', () => places.shift() ?? '?'));
    return this;
  }

  /** Adds a value and returns its parameter, for the other parts of the statement. */
  place(value: SqlParameter): string {
    return `$${this.parameters.push(value)}`;
  }

  get text(): string {
    return this.texts.length === 0 ? 'true' : this.texts.join(' and ');
  }
}

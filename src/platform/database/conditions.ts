import type { SqlParameter } from './database.js';

/** The conditions of a statement that is put together, with the values of their places. */
export class Conditions {
  readonly parameters: SqlParameter[] = [];
  private readonly texts: string[] = [];

  /** Adds a condition in which each `?` stands for the next value. */
  and(condition: string, ...values: readonly SqlParameter[]): this {
    const places = values.map((value) => this.place(value));
    this.texts.push(condition.replaceAll('?', () => places.shift() ?? '?'));
    return this;
  }

  /** The place of a value, for the parts of the statement that are no condition. */
  place(value: SqlParameter): string {
    return `$${this.parameters.push(value)}`;
  }

  get text(): string {
    return this.texts.length === 0 ? 'true' : this.texts.join(' and ');
  }
}

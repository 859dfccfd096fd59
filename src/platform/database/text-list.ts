/** Returns a list of texts for SQL's `in`, such as `('a', 'b')`. The values must be constants of the code, never input. */
export function textList(values: readonly string[]): string {
  return `(${values.map((value) => `'${value}'`).join(', ')})`;
}

/** SQL: a list of texts for `in`, such as `('a', 'b')`. The values are the code's own, never what a caller sent. */
export function textList(values: readonly string[]): string {
  return `(${values.map((value) => `'${value}'`).join(', ')})`;
}

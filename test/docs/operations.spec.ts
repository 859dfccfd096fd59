import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { readDocument } from '../support/markdown.js';

const root = new URL('../../', import.meta.url);

/** A message in backticks: a capital, some words and a full stop. */
const SENTENCE = /`([A-Z][^`\n]* [^`\n]*[^`\n.]\.)`/g;

it('quotes only messages in docs/operations.md that the sources have', async () => {
  const sources: string[] = [];
  for await (const path of glob('src/**/*.ts', { cwd: root })) {
    if (!path.endsWith('.spec.ts')) sources.push(readFileSync(new URL(path, root), 'utf8'));
  }
  const quoted = [...readDocument('docs/operations.md').matchAll(SENTENCE)].map(([, sentence = '']) => sentence);
  expect(quoted.length).toBeGreaterThan(10);
  expect(quoted.filter((sentence) => !sources.some((source) => source.includes(sentence)))).toEqual([]);
});

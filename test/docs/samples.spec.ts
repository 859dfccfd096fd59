import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { codeBlock, readDocument } from '../support/markdown.js';
import { itWith } from '../support/tools.js';

interface Vector {
  readonly name: string;
  readonly valid: boolean;
}

/** The command that runs each sample on a file of vectors, and the one that detects its language. */
const SAMPLES = [
  { file: 'verify.mjs', block: 'verify-node', program: process.execPath, args: [], version: '--version' },
  { file: 'verify.py', block: 'verify-python', program: 'python3', args: ['-B'], version: '--version' },
  { file: 'verify.php', block: 'verify-php', program: 'php', args: [], version: '--version' },
  { file: 'verify.go', block: 'verify-go', program: 'go', args: ['run'], version: 'version' },
] as const;

const root = new URL('../../', import.meta.url);
const VECTORS = 'test/vectors/webhook-signatures.json';
const vectors: readonly Vector[] = JSON.parse(readDocument(VECTORS));

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'coffer-samples-'));
});
afterAll(() => rmSync(dir, { recursive: true }));

/** Writes vectors to a file for a sample. */
function vectorFile(content: readonly Vector[]): string {
  const file = join(dir, 'vectors.json');
  writeFileSync(file, JSON.stringify(content));
  return file;
}

describe('the verification samples', () => {
  it('all run here, and docs/webhooks.md shows each verbatim', () => {
    expect(readdirSync(new URL('docs/samples', root)).toSorted()).toEqual(SAMPLES.map(({ file }) => file).toSorted());
    const document = readDocument('docs/webhooks.md');
    for (const { file, block } of SAMPLES) {
      expect(codeBlock(document, block)).toBe(readDocument(`docs/samples/${file}`));
    }
  });

  it('run on vectors of every kind: plain, in a rotation, changed, stale, early and malformed', () => {
    const names = vectors.map(({ name }) => name).join('\n');
    for (const kind of [/rotation/, /changed/, /301 seconds later/, /301 seconds before/, /far future/, /line break/]) {
      expect(names).toMatch(kind);
    }
    expect(new Set(vectors.map(({ name }) => name)).size).toBe(vectors.length);
    expect(vectors.filter(({ valid }) => valid).length).toBeGreaterThan(10);
    expect(vectors.filter(({ valid }) => !valid).length).toBeGreaterThan(30);
  });

  describe.each(SAMPLES)('$file', ({ file, program, args, version }) => {
    const run = (vectorsPath: string) =>
      spawnSync(program, [...args, fileURLToPath(new URL(`docs/samples/${file}`, root)), vectorsPath], {
        encoding: 'utf8',
      });
    const runs = itWith(program, version);

    runs('decides every vector as the service does [J-137] [spec 6.3]', () => {
      const { status, stdout, stderr, error } = run(fileURLToPath(new URL(VECTORS, root)));
      expect({ status, stdout, stderr, error }).toEqual({
        status: 0,
        stdout: `${vectors.length} of ${vectors.length} vectors agree\n`,
        stderr: '',
        error: undefined,
      });
    });

    runs('ends with an error and the name of a vector that it decides otherwise, and without any vector', () => {
      const last = { ...vectors.at(-1), name: 'a lie', valid: true };
      const misled = run(vectorFile([...vectors.slice(0, -1), last]));
      expect(misled.status).toBe(1);
      expect(misled.stderr).toContain('wrong: a lie\n');
      expect(run(vectorFile([])).status).toBe(1);
    });
  });
});

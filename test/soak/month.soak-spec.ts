import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const SCRIPT = fileURLToPath(new URL('../../scripts/screenshots.ts', import.meta.url));

it('a small month through the real services on a moved clock verifies clean', async () => {
  const args = ['--no-warnings', SCRIPT, '--intents', '30', '--no-pictures'];
  // It fails with what it printed when the books of the month do not verify.
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 16 * 1024 * 1024 });
  expect(stdout).toContain('The books verify clean.');
  expect(stdout).toMatch(/Payment intents: .*\d+ completed on/);
});

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** Returns Redocly's findings in an OpenAPI document by its recommended rules, without telemetry. */
export async function redoclyFindings(
  document: object,
): Promise<{ readonly totals: object; readonly problems: object[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'openapi-'));
  const file = join(folder, 'openapi.json');
  await writeFile(file, JSON.stringify(document));
  const cli = join(dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json')), 'bin/cli.js');
  const args = [cli, 'lint', file, '--extends=recommended', '--format=json'];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: folder,
    env: { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', HOME: folder },
  }).catch((error: { stdout: string }) => error);
  await rm(folder, { recursive: true });
  return JSON.parse(stdout);
}

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseConfig } from '../../platform/config.js';
import { writeSecretFile } from '../../platform/data-dir.js';
import { createLogger } from '../../platform/logging.js';
import { dataFilesOf } from './data-files.js';
import { type LocalStack, startLocalStack } from './local-stack.js';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'coffer-stack-'));
});
afterEach(() => rm(dataDir, { recursive: true }));

/** A stack without its own database and chains, to test its secrets. */
const start = (): Promise<LocalStack> =>
  startLocalStack(
    parseConfig({
      DATA_DIR: dataDir,
      DATABASE_URL: 'postgres://unused.invalid/coffer',
      DEV_CHAINS: '',
      VAULT_PASSPHRASE: 'correct horse battery staple',
      SECRETS_KEY: 'a'.repeat(64),
    }),
    createLogger('silent'),
  );

describe('the vault of a data directory', () => {
  it('is created at the first start and reused by the next', async () => {
    const { vault } = dataFilesOf(dataDir);
    await (await start()).stop();
    const seeds = await readFile(vault, 'utf8');
    await (await start()).stop();
    expect(await readFile(vault, 'utf8')).toBe(seeds);
  });

  it('is never replaced by a new seed: without it a directory that was in use does not start', async () => {
    const { vault, sandbox } = dataFilesOf(dataDir);
    await (await start()).stop();
    await writeSecretFile(sandbox, '{}\n');
    await rm(vault);
    await expect(start()).rejects.toThrow(
      `${vault} is missing, but ${dataDir} was in use before: that file holds the keys of its addresses. ` +
        'Restore vault.json from your backup. To start again without it, set DATA_DIR to a new directory.',
    );
    expect(await readdir(dataDir)).not.toContain('vault.json');
    await rm(sandbox);
    await (await start()).stop();
  });
});

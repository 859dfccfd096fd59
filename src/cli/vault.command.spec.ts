import { chmod, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../../test/support/cli-run.js';
import { createVaultFile } from '../vault/vault-file.js';

const PASSPHRASE = 'correct horse battery';

describe('commands about the vault', () => {
  let dir: string;
  const path = (): string => join(dir, 'vault.json');
  const environment = (): Record<string, string> => ({ DATA_DIR: dir, VAULT_PASSPHRASE: PASSPHRASE });

  beforeEach(async () => (dir = await mkdtemp(join(tmpdir(), 'coffer-vault-'))));
  afterEach(() => rm(dir, { recursive: true }));

  it('makes a vault for its owner alone, once', async () => {
    expect((await runCommand(['vault', 'status'], environment())).code).toBe(1);
    expect((await runCommand(['vault', 'init'], environment())).code).toBe(0);
    expect((await stat(path())).mode & 0o777).toBe(0o600);
    const again = await runCommand(['vault', 'init'], environment());
    expect(again.code).toBe(1);
    expect(again.err).toMatch(/already at .* and is kept\.\n$/);
  });

  it('shows by its first addresses which vault it is, and no secret', async () => {
    await createVaultFile(path(), PASSPHRASE, { scryptN: 2 ** 14 });
    const { code, out } = await runCommand(['vault', 'status'], environment());
    expect(code).toBe(0);
    expect(out).toMatch(/Opens +yes\nSandbox +m\/44'\/60'\/0'\/0\/0 0x\w{40}\nLive +m\/44'\/60'\/0'\/0\/0 0x\w{40}\n/);
    expect(out).not.toContain(PASSPHRASE);
  });

  it('finds a vault that the passphrase does not open, and one that others can read', async () => {
    await createVaultFile(path(), 'another passphrase', { scryptN: 2 ** 14 });
    const sealed = await runCommand(['vault', 'status'], environment());
    expect(sealed.code).toBe(1);
    expect(sealed.err).toContain('stays sealed');

    await chmod(path(), 0o640);
    const open = await runCommand(['vault', 'status'], { DATA_DIR: dir });
    expect(open.code).toBe(1);
    expect(open.out).toMatch(/open to others: chmod 600 .*\nOpens +not tried/);
  });
});

import { chmod, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../../../test/support/cli-run.js';
import { createVaultFile } from '../../vault/vault-file.js';

const PASSPHRASE = 'correct horse battery';

const NEW_PASSPHRASE = 'staple battery horse';

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
    expect(open.out).toMatch(/other users too: run chmod 600 .*\nOpens +not tried/);
  });

  it('changes the passphrase, prints which passphrase opens which file, and removes the previous file on request [L-157]', async () => {
    await createVaultFile(path(), PASSPHRASE, { scryptN: 2 ** 10 });
    const both = { ...environment(), NEW_VAULT_PASSPHRASE: NEW_PASSPHRASE };
    const changed = await runCommand(['vault', 'change-passphrase'], both);
    expect(changed).toMatchObject({ code: 0, err: '' });
    expect(changed.out).toMatch(/^The passphrase is changed\.\n/);
    expect(changed.out).toMatch(
      /vault\.json +opens with NEW_VAULT_PASSPHRASE\n.*previous +opens with VAULT_PASSPHRASE\n$/,
    );
    expect(changed.out).not.toMatch(new RegExp(`${PASSPHRASE}|${NEW_PASSPHRASE}`));

    const status = await runCommand(['vault', 'status'], { DATA_DIR: dir, VAULT_PASSPHRASE: NEW_PASSPHRASE });
    expect(status.out).toMatch(/Opens +yes\n[^]*\nPrevious +.*vault\.json\.previous/);
    const { out: doctor } = await runCommand(['doctor', '--json'], both);
    expect(doctor).toContain('--forget-previous');

    const forgotten = await runCommand(['vault', 'change-passphrase', '--forget-previous'], both);
    expect(forgotten.out).toMatch(/^The previous version is removed\.\n.*\n.*previous +does not exist\n$/);
  });

  it('changes no passphrase to itself, nor one that is not the one of now, and says what each file is', async () => {
    await createVaultFile(path(), 'another passphrase', { scryptN: 2 ** 10 });
    const change = (variables: Record<string, string>) =>
      runCommand(['vault', 'change-passphrase'], { DATA_DIR: dir, ...variables });
    expect((await change({ VAULT_PASSPHRASE: PASSPHRASE })).code).toBe(2);
    expect((await change({ NEW_VAULT_PASSPHRASE: PASSPHRASE })).code).toBe(2);
    expect((await change({ VAULT_PASSPHRASE: PASSPHRASE, NEW_VAULT_PASSPHRASE: PASSPHRASE })).code).toBe(2);
    const wrong = await change({ VAULT_PASSPHRASE: PASSPHRASE, NEW_VAULT_PASSPHRASE: NEW_PASSPHRASE });
    expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('stays sealed') });
    expect(wrong.out).toMatch(/opens with neither of the two\n.*previous +does not exist\n$/);
  });
});

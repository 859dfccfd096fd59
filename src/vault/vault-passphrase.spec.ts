import { spawnSync } from 'node:child_process';
import { chmod, chown, mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalVault } from './local-vault.js';
import { createVaultFile, openVaultFile, type Seeds } from './vault-file.js';
import { SCRYPT_N } from './vault-format.js';
import { changePassphrase, type ChangeStep, forgetPrevious } from './vault-passphrase.js';
import { VaultError, type VaultFailure } from './vault.js';

const BOTH = { old: 'correct horse battery staple', new: 'a passphrase that nobody has seen' };
const CHEAP = { scryptN: SCRYPT_N.min };
const MODULE = new URL('./vault-passphrase.ts', import.meta.url).href;
const HOOKS = new URL('../../test/support/typescript-hooks.mjs', import.meta.url).href;
/** The unprivileged user `nobody` of every Unix; only root can change the owner of a file. */
const NOBODY = 65_534;

let directory: string;
let path: string;
let previous: string;
let seeds: Seeds;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'coffer-passphrase-'));
  path = join(directory, 'vault.json');
  previous = `${path}.previous`;
  await createVaultFile(path, BOTH.old, CHEAP);
  seeds = await openVaultFile(path, BOTH.old);
});
afterEach(() => rm(directory, { recursive: true }));

const change = (): Promise<string> => changePassphrase(path, BOTH, CHEAP);
const files = async (): Promise<string[]> => (await readdir(directory)).toSorted();

async function failureOf(work: Promise<unknown>): Promise<VaultFailure | null> {
  try {
    await work;
    return null;
  } catch (error) {
    if (error instanceof VaultError) return error.reason;
    throw error;
  }
}

/** Runs a change in a process of its own that is killed right after a step. */
function changeKilledAfter(step: ChangeStep): NodeJS.Signals | null {
  const source = `
    import { changePassphrase } from '${MODULE}';
    const onStep = (step) => step === '${step}' && process.kill(process.pid, 'SIGKILL');
    await changePassphrase(${JSON.stringify(path)}, ${JSON.stringify(BOTH)}, { scryptN: ${CHEAP.scryptN}, onStep });`;
  const args = ['--no-warnings', '--import', HOOKS, '--input-type=module', '-e', source];
  return spawnSync(process.execPath, args, { encoding: 'utf8' }).signal;
}

/** The change is over: the new passphrase opens the same seeds, the old one those of the file from before. */
async function expectChanged(): Promise<void> {
  expect(await openVaultFile(path, BOTH.new)).toEqual(seeds);
  expect(await failureOf(openVaultFile(path, BOTH.old))).toBe('sealed');
  expect(await openVaultFile(previous, BOTH.old)).toEqual(seeds);
  expect(await files()).toEqual(['vault.json', 'vault.json.previous']);
}

describe('a change of the passphrase', () => {
  it('seals the same seeds under a fresh salt and nonces, and keeps the old file [L-157]', async () => {
    const before = await readFile(path, 'utf8');
    expect(await change()).toBe('changed');
    await expectChanged();
    expect(await readFile(previous, 'utf8')).toBe(before);
    const values = (text: string): string[] => [...text.matchAll(/[0-9a-f]{24,}/g)].map(([value]) => value);
    const known = new Set(values(before));
    expect(values(await readFile(path, 'utf8')).filter((value) => known.has(value))).toEqual([]);
  });

  it.each<[step: ChangeStep, opens: keyof typeof BOTH, then: string]>([
    ['next_written', 'old', 'changed'],
    ['next_proven', 'old', 'changed'],
    ['previous_kept', 'old', 'changed'],
    ['renamed', 'new', 'was_changed'],
  ])(
    'that is killed after %s leaves a vault that the %s one opens, and is ended by another run [L-157]',
    async (...row) => {
      const [step, opens, then] = row;
      expect(changeKilledAfter(step)).toBe('SIGKILL');
      expect(await openVaultFile(path, BOTH[opens])).toEqual(seeds);
      const other = opens === 'old' ? BOTH.new : BOTH.old;
      expect(await failureOf(openVaultFile(path, other))).toBe('sealed');
      // Killed once more at the same place, it is none the worse.
      changeKilledAfter(step);
      expect(await change()).toBe(then);
      await expectChanged();
    },
  );

  it('that left half a draft is completed by another run, which does not use it [L-157]', async () => {
    const whole = await readFile(path, 'utf8');
    await writeFile(`${path}.abcdef012345.next`, whole.slice(0, 100));
    expect(await change()).toBe('changed');
    await expectChanged();
  });

  it('keeps owner and permissions of the file', async () => {
    await chmod(path, 0o640);
    if (process.getuid?.() === 0) await chown(path, NOBODY, NOBODY);
    const { uid, gid, mode } = await stat(path);
    await change();
    expect(await stat(path)).toMatchObject({ uid, gid, mode });
  });

  it('follows a link to the file, and leaves it one', async () => {
    const linked = join(directory, 'linked.json');
    await symlink('vault.json', linked);
    expect(await changePassphrase(linked, BOTH, CHEAP)).toBe('changed');
    expect(await readlink(linked)).toBe('vault.json');
    expect(await openVaultFile(linked, BOTH.new)).toEqual(seeds);
  });

  it('changes nothing where neither passphrase opens the file, or the new one is too short', async () => {
    const before = await readFile(path, 'utf8');
    const wrong = { ...BOTH, old: 'another passphrase' };
    expect(await failureOf(changePassphrase(path, wrong, CHEAP))).toBe('sealed');
    expect(await failureOf(changePassphrase(path, { ...BOTH, new: 'elevenchars' }, CHEAP))).toBe('weak_passphrase');
    expect(await failureOf(changePassphrase(join(directory, 'none.json'), BOTH, CHEAP))).toBe('missing');
    expect([await readFile(path, 'utf8'), await files()]).toEqual([before, ['vault.json']]);
  });

  it('never replaces the version of an earlier change: that one is removed first', async () => {
    await change();
    const third = { old: BOTH.new, new: 'the passphrase after that one' };
    expect(await failureOf(changePassphrase(path, third, CHEAP))).toBe('another_previous');
    await expectChanged();
    await forgetPrevious(path, BOTH);
    expect(await changePassphrase(path, third, CHEAP)).toBe('changed');
    expect(await openVaultFile(path, third.new)).toEqual(seeds);
  });

  it('is not noticed by a vault that runs, and asks the next start for the new passphrase [L-154]', async () => {
    const running = await LocalVault.open(path, BOTH.old);
    const addresses = await running.deriveAddresses('live', 'evm', 0, 3);
    await change();
    expect(await running.deriveAddresses('live', 'evm', 0, 3)).toEqual(addresses);
    await running.close();
    expect(await failureOf(LocalVault.open(path, BOTH.old))).toBe('sealed');
    const next = await LocalVault.open(path, BOTH.new);
    expect(await next.deriveAddresses('live', 'evm', 0, 3)).toEqual(addresses);
    await next.close();
  });
});

describe('the previous version', () => {
  it('is removed once both are proven to hold the same seeds', async () => {
    await change();
    expect([await forgetPrevious(path, BOTH), await files()]).toEqual([true, ['vault.json']]);
    expect(await forgetPrevious(path, BOTH)).toBe(false);
    expect(await openVaultFile(path, BOTH.new)).toEqual(seeds);
  });

  it('stays while it may be the only one that can be opened, or holds other seeds', async () => {
    expect(await failureOf(forgetPrevious(path, BOTH))).toBe('sealed');
    await createVaultFile(previous, BOTH.old, CHEAP);
    await rm(path);
    await createVaultFile(path, BOTH.new, CHEAP);
    expect(await failureOf(forgetPrevious(path, BOTH))).toBe('other_seeds');
    expect(await failureOf(forgetPrevious(path, { ...BOTH, old: 'another passphrase' }))).toBe('sealed');
    expect(await files()).toEqual(['vault.json', 'vault.json.previous']);
  });
});

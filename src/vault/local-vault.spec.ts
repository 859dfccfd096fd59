import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { entropyToMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { HDNodeWallet } from 'ethers';
import { deriveBatch, seedOf } from './derivation.js';
import { evmDerivation } from './evm-derivation.js';
import { LocalVault } from './local-vault.js';
import { createVaultFile, openVaultFile } from './vault-file.js';
import { SCRYPT_N } from './vault-format.js';

const PASSPHRASE = 'correct horse battery staple';

let directory: string;
let path: string;
let vault: LocalVault;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'coffer-vault-'));
  path = join(directory, 'vault.json');
  await createVaultFile(path, PASSPHRASE, { scryptN: SCRYPT_N.min });
  vault = await LocalVault.open(path, PASSPHRASE);
});
afterAll(async () => {
  await vault.close();
  await rm(directory, { recursive: true });
});

describe('deriving', () => {
  it('in the worker gives what the seed gives anywhere else [L-158]', async () => {
    const { sandbox } = await openVaultFile(path, PASSPHRASE);
    const derived = await vault.deriveAddresses('sandbox', 'evm', 40, 10);
    expect(derived).toEqual(deriveBatch(evmDerivation(seedOf(sandbox)), 40, 10));
  });

  it('gives addresses that any wallet recovers from the 24 words [L-158]', async () => {
    const { live } = await openVaultFile(path, PASSPHRASE);
    const [derived] = await vault.deriveAddresses('live', 'evm', 3, 1);
    const wallet = HDNodeWallet.fromPhrase(entropyToMnemonic(live, wordlist), undefined, "m/44'/60'/0'/0/3");
    expect(derived).toMatchObject({ index: 3, path: wallet.path, address: wallet.address });
  });

  it('gives sandbox and live no address in common', async () => {
    const sandbox = await vault.deriveAddresses('sandbox', 'evm', 0, 20);
    const live = await vault.deriveAddresses('live', 'evm', 0, 20);
    expect(new Set([...sandbox, ...live].map(({ addressKey }) => addressKey)).size).toBe(40);
  });

  it('answers many callers at once, each with what it asked for', async () => {
    const batches = await Promise.all(
      Array.from({ length: 20 }, (_, i) => vault.deriveAddresses(i % 2 ? 'live' : 'sandbox', 'evm', i, 2)),
    );
    expect(batches.map((batch) => batch.map(({ index }) => index))).toEqual(batches.map((_, i) => [i, i + 1]));
  });

  it('refuses a family it has no keys for and a batch that is too large, and goes on', async () => {
    await expect(vault.deriveAddresses('sandbox', 'solana', 0, 1)).rejects.toMatchObject({ name: 'RangeError' });
    await expect(vault.deriveAddresses('sandbox', 'evm', 0, 1_001)).rejects.toMatchObject({ name: 'RangeError' });
    await expect(vault.deriveAddresses('sandbox', 'evm', 0, 1)).resolves.toHaveLength(1);
  });

  it('leaves the event loop of this thread free', async () => {
    let ticks = 0;
    const ticking = setInterval(() => ticks++, 1);
    const derived = await vault.deriveAddresses('sandbox', 'evm', 1_000, 500);
    clearInterval(ticking);
    expect(derived).toHaveLength(500);
    expect(ticks).toBeGreaterThan(3);
  });
});

describe('opening', () => {
  it('rejects with the reason why the file stays shut [L-154]', async () => {
    const none = join(directory, 'none.json');
    await expect(LocalVault.open(path, 'wrong passphrase')).rejects.toMatchObject({ reason: 'sealed' });
    await expect(LocalVault.open(none, PASSPHRASE)).rejects.toMatchObject({ reason: 'missing' });
    await expect(LocalVault.open(directory, PASSPHRASE)).rejects.toMatchObject({ reason: 'unreadable' });
  });
});

describe('ending', () => {
  it('answers what was asked before it closes, then nothing', async () => {
    const closing = await LocalVault.open(path, PASSPHRASE);
    const asked = closing.deriveAddresses('live', 'evm', 0, 5);
    await Promise.all([closing.close(), closing.close()]);
    await expect(asked).resolves.toHaveLength(5);
    await expect(closing.deriveAddresses('live', 'evm', 0, 1)).rejects.toMatchObject({ reason: 'stopped' });
  });

  it('lets nobody wait for a worker that crashed, and says what it died of', async () => {
    const dying = await LocalVault.open(path, PASSPHRASE);
    dying['worker'].postMessage(null, []);
    const asked = dying.deriveAddresses('live', 'evm', 0, 5);
    await expect(asked).rejects.toMatchObject({ reason: 'stopped', cause: { name: 'TypeError' } });
    await expect(dying.deriveAddresses('live', 'evm', 0, 1)).rejects.toMatchObject({ reason: 'stopped' });
    await dying.close();
  });
});

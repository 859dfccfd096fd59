import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serialize } from 'node:v8';
import type { Worker } from 'node:worker_threads';
import { entropyToMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { getBytes, HDNodeWallet } from 'ethers';
import { anEvmTransaction } from '../../test/support/evm-transactions.js';
import { deriveBatch, seedOf } from './derivation.js';
import { DEPOSIT_ACCOUNT, evmDerivation } from './evm/evm-derivation.js';
import type { EvmTransactionFields } from '../chains/evm/evm-transaction.js';
import { LocalVault } from './local-vault.js';
import { checkAuthorization, checkSigned } from './signed-check.js';
import { SignedMismatch } from '../domain/signed-mismatch.js';
import { createVaultFile, openVaultFile } from './vault-file.js';
import { SCRYPT_N } from './vault-format.js';
import type { VaultReply } from './vault-request.js';
import { VaultError, type SigningKey } from './vault.js';
import { addressFormOf } from '../domain/address-form.js';
import { ADDRESS_FAMILIES } from '../domain/network.js';

const PASSPHRASE = 'correct horse battery staple';
const HOT_WALLET: SigningKey = { kind: 'hot_wallet', network: 'polygon' };

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
  it('in the worker returns the same addresses as the seed elsewhere [L-158]', async () => {
    const { sandbox } = await openVaultFile(path, PASSPHRASE);
    const derived = await vault.deriveAddresses('sandbox', 'evm', 40, 10);
    expect(derived).toEqual(deriveBatch(evmDerivation(seedOf(sandbox), DEPOSIT_ACCOUNT), 40, 10));
  });

  it('returns addresses that any wallet recovers from the 24 words [L-158]', async () => {
    const { live } = await openVaultFile(path, PASSPHRASE);
    const [derived] = await vault.deriveAddresses('live', 'evm', 3, 1);
    const wallet = HDNodeWallet.fromPhrase(entropyToMnemonic(live, wordlist), undefined, "m/44'/60'/0'/0/3");
    expect(derived).toMatchObject({ index: 3, path: wallet.path, address: wallet.address });
  });

  it('returns no address in both sandbox and live', async () => {
    const sandbox = await vault.deriveAddresses('sandbox', 'evm', 0, 20);
    const live = await vault.deriveAddresses('live', 'evm', 0, 20);
    expect(new Set([...sandbox, ...live].map(({ addressKey }) => addressKey)).size).toBe(40);
  });

  it('answers many callers at once, each with its own result', async () => {
    const batches = await Promise.all(
      Array.from({ length: 20 }, (_, i) => vault.deriveAddresses(i % 2 ? 'live' : 'sandbox', 'evm', i, 2)),
    );
    expect(batches.map((batch) => batch.map(({ index }) => index))).toEqual(batches.map((_, i) => [i, i + 1]));
  });

  it.each(ADDRESS_FAMILIES)('derives addresses of %s', async (family) => {
    const [first, second] = await vault.deriveAddresses('sandbox', family, 0, 2);
    expect(addressFormOf(first?.address ?? '')).toEqual({ family, key: first?.addressKey });
    expect(second?.address).not.toBe(first?.address);
  });

  it('refuses a batch that is too large, and continues', async () => {
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

describe('hot wallets', () => {
  it.each([
    ['ethereum', 0],
    ['polygon', 1],
    ['bnb', 2],
  ] as const)("of %s are at m/44'/60'/1'/0/%d, beside all deposit addresses [L-158]", async (network, index) => {
    const { live } = await openVaultFile(path, PASSPHRASE);
    const address = await vault.hotWallet('live', network);
    const { address: known, path: knownPath } = walletAt(live, `m/44'/60'/1'/0/${index}`);
    expect(address).toEqual({ index, path: knownPath, address: known, addressKey: known.toLowerCase() });
    const deposits = await vault.deriveAddresses('live', 'evm', 0, 3);
    expect(deposits.map(({ address: deposit }) => deposit)).not.toContain(known);
  });

  it('of sandbox and live differ', async () => {
    const { address } = await vault.hotWallet('sandbox', 'ethereum');
    expect((await vault.hotWallet('live', 'ethereum')).address).not.toBe(address);
  });
});

describe('signing', () => {
  it('in the worker returns bytes of the named wallet, which pass the check [I-125]', async () => {
    const { sandbox } = await openVaultFile(path, PASSPHRASE);
    const transaction = anEvmTransaction({ data: '0xa9059cbb' });
    const { address: sender } = await vault.hotWallet('sandbox', 'polygon');
    const signed = await vault.signEvm('sandbox', HOT_WALLET, transaction);
    expect(signed.raw).toBe(await walletAt(sandbox, "m/44'/60'/1'/0/1").signTransaction({ ...transaction, type: 2 }));
    expect(() => checkSigned(signed, { ...transaction, sender })).not.toThrow();
  });

  it('carries authorizations of deposit addresses, each with its own key, the same bytes every time [I-125]', async () => {
    const fields = anEvmTransaction({ data: '0xa9059cbb' });
    const { address: sender } = await vault.hotWallet('sandbox', 'polygon');
    const deposits = await vault.deriveAddresses('sandbox', 'evm', 5, 2);
    const delegate = `0x${'de'.repeat(20)}`;
    const terms = { chainId: fields.chainId, delegate };
    const asked = deposits.map(({ index }, nonce) => ({ index, nonce }));
    const authorizations = await vault.authorizeEvm('sandbox', terms, asked);
    expect(await vault.authorizeEvm('sandbox', terms, asked)).toEqual(authorizations);
    const signed = await vault.signEvm('sandbox', HOT_WALLET, { ...fields, authorizations });
    expect(() => checkSigned(signed, { ...fields, sender, authorizations })).not.toThrow();
    const others = await vault.authorizeEvm('live', terms, asked);
    const foreign = await vault.signEvm('sandbox', HOT_WALLET, { ...fields, authorizations: others });
    const mismatch = new SignedMismatch('authorizations');
    expect(() => checkSigned(foreign, { ...fields, sender, authorizations })).toThrow(mismatch);
    for (const [place, { address: authority }] of deposits.entries()) {
      const expected = { ...terms, nonce: place, authority };
      expect(() => checkAuthorization(authorizations[place]!, expected)).not.toThrow();
      expect(() => checkAuthorization(others[place]!, expected)).toThrow(mismatch);
    }
    await expect(vault.authorizeEvm('sandbox', { ...terms, chainId: 0n }, asked)).rejects.toThrow(
      'question.terms.chainId',
    );
  });

  it('with the key of another environment or network does not pass the check [L-158]', async () => {
    const transaction = anEvmTransaction();
    const { address: sender } = await vault.hotWallet('live', 'polygon');
    const others = [
      await vault.signEvm('sandbox', HOT_WALLET, transaction),
      await vault.signEvm('live', { ...HOT_WALLET, network: 'ethereum' }, transaction),
    ];
    for (const signed of others) {
      expect(() => checkSigned(signed, { ...transaction, sender })).toThrow(new SignedMismatch('sender'));
    }
  });

  it.each<[string, Partial<EvmTransactionFields>]>([
    ['chainId', { chainId: 0n }],
    ['nonce', { nonce: -1 }],
    ['nonce', { nonce: 1.5 }],
    ['to', { to: '' }],
    ['to', { to: `0x${'0'.repeat(40)}` }],
    ['to', { to: '0x70997970c51812dc3A010C7d01b50e0d17dc79C8' }],
    ['value', { value: -1n }],
    ['value', { value: 2n ** 256n }],
    ['data', { data: '0x0' }],
    ['gasLimit', { gasLimit: 20_999n }],
    ['maxFeePerGas', { maxFeePerGas: -1n }],
    ['maxPriorityFeePerGas', { maxPriorityFeePerGas: 30_000_000_001n }],
  ])('refuses an impossible %s by its name [I-126]', async (field, impossible) => {
    const signing = vault.signEvm('sandbox', HOT_WALLET, anEvmTransaction(impossible));
    await expect(signing).rejects.toMatchObject({ name: 'TypeError', message: expect.stringContaining(`.${field}`) });
  });
});

describe('the worker', () => {
  it('answers everything in order, also what it refuses, and never dies of it', async () => {
    const heard = listenTo(vault['worker']);
    const wrong = [null, 'close', {}, { id: 'x' }, { id: 900 }, { id: 901, question: { type: 'export_seed' } }];
    for (const message of wrong) vault['worker'].postMessage(message, []);
    const key = { kind: 'path', path: "m/44'/60'/0'/0/0" };
    const question = { type: 'sign_evm', environment: 'live', key, transaction: anEvmTransaction() };
    vault['worker'].postMessage({ id: 902, question }, []);
    await vault.signEvm('live', HOT_WALLET, anEvmTransaction());
    await vault.deriveAddresses('live', 'evm', 0, 1);
    const [, , , , ...identified] = heard().map((reply) => ('id' in reply ? [reply.type, reply.id] : [reply.type]));
    const unread = { type: 'failed', id: null, error: { name: 'TypeError' } };
    expect(heard().slice(0, 4)).toMatchObject([unread, unread, unread, unread]);
    const last = vault['lastId'];
    expect(identified).toEqual([
      ...[900, 901, 902].map((id) => ['failed', id]),
      ['answered', last - 1],
      ['answered', last],
    ]);
  });

  it('says nothing that holds a key, a seed or the passphrase, answered or refused', async () => {
    const { live } = await openVaultFile(path, PASSPHRASE);
    const heard = listenTo(vault['worker']);
    const hostile = { kind: 'hot_wallet', network: 'polygon', path: "m/44'/60'/1'/0/1" };
    vault['worker'].postMessage({ id: 910, question: { type: 'sign_evm', environment: 'live', key: hostile } }, []);
    await vault.signEvm('live', HOT_WALLET, anEvmTransaction({ chainId: 0n })).catch(() => undefined);
    await vault.signEvm('live', HOT_WALLET, anEvmTransaction());
    await vault.hotWallet('live', 'polygon');
    const replies = heard();
    expect(replies).toHaveLength(4);
    const said = Buffer.concat(replies.map((reply) => serialize(reply)));
    for (const secret of secretsOf(live)) expect([secret, said.includes(secret)]).toEqual([secret, false]);
  });
});

/** Everything that must stay inside, as bytes and as text. */
function secretsOf(entropy: Buffer): (Buffer | string)[] {
  const words = entropyToMnemonic(entropy, wordlist);
  const keys = ['m', "m/44'", "m/44'/60'", "m/44'/60'/1'", "m/44'/60'/1'/0", "m/44'/60'/1'/0/1"].map((at) =>
    Buffer.from(getBytes(walletAt(entropy, at).privateKey)),
  );
  const bytes = [entropy, Buffer.from(seedOf(entropy)), ...keys];
  return [...bytes, ...bytes.map((secret) => secret.toString('hex')), words, PASSPHRASE];
}

function walletAt(entropy: Uint8Array, at: string): HDNodeWallet {
  return HDNodeWallet.fromPhrase(entropyToMnemonic(entropy, wordlist), undefined, at);
}

/** The worker's messages from now on. */
function listenTo(worker: Worker): () => VaultReply[] {
  const replies: VaultReply[] = [];
  worker.on('message', (reply: VaultReply) => replies.push(reply));
  return () => replies;
}

describe('opening', () => {
  it('rejects with the reason why the file stays sealed [L-154]', async () => {
    const none = join(directory, 'none.json');
    await expect(LocalVault.open(path, 'wrong passphrase')).rejects.toMatchObject({ reason: 'sealed' });
    await expect(LocalVault.open(none, PASSPHRASE)).rejects.toMatchObject({ reason: 'missing' });
    await expect(LocalVault.open(directory, PASSPHRASE)).rejects.toMatchObject({ reason: 'unreadable' });
  });
});

describe('ending', () => {
  it('answers earlier requests before it closes, then none', async () => {
    const closing = await LocalVault.open(path, PASSPHRASE);
    const asked = closing.deriveAddresses('live', 'evm', 0, 5);
    await Promise.all([closing.close(), closing.close()]);
    await expect(asked).resolves.toHaveLength(5);
    await expect(closing.deriveAddresses('live', 'evm', 0, 1)).rejects.toMatchObject({ reason: 'stopped' });
  });

  it('signs nothing and names no wallet any more [L-154]', async () => {
    const closed = await LocalVault.open(path, PASSPHRASE);
    await closed.close();
    await expect(closed.hotWallet('live', 'bnb')).rejects.toThrow(VaultError);
    await expect(closed.signEvm('live', HOT_WALLET, anEvmTransaction())).rejects.toThrow(VaultError);
  });

  it('rejects every caller when the worker has ended', async () => {
    const dying = await LocalVault.open(path, PASSPHRASE);
    const asked = [
      dying.deriveAddresses('live', 'evm', 0, 1_000),
      dying.signEvm('live', HOT_WALLET, anEvmTransaction()),
    ];
    await dying['worker'].terminate();
    for (const result of await Promise.allSettled(asked)) {
      expect(result).toMatchObject({ status: 'rejected', reason: { reason: 'stopped' } });
    }
    await expect(dying.hotWallet('live', 'bnb')).rejects.toMatchObject({ reason: 'stopped' });
    await dying.close();
  });

  it('reports why a worker died', async () => {
    const noPassphrase: string = JSON.parse('[]');
    const opening = LocalVault.open(path, noPassphrase);
    await expect(opening).rejects.toMatchObject({ reason: 'stopped', cause: { name: 'TypeError' } });
  });
});

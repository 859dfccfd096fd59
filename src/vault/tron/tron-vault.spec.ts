import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serialize } from 'node:v8';
import walletCore from '@trustwallet/wallet-core';
import { byTronWeb } from '../../../test/support/tron-transactions.js';
import { checkSignedTransaction } from '../../chains/tron/signed-transaction-check.js';
import { keyOfHash } from '../../chains/tron/tron-address.js';
import type { TronAction, UnsignedTronTransaction } from '../../chains/tron/unsigned-transaction.js';
import { LocalVault } from '../local-vault.js';
import { createVaultFile, openVaultFile } from '../vault-file.js';
import { SCRYPT_N } from '../vault-format.js';
import type { ExpiringSigner } from '../vault.js';

const PASSPHRASE = 'correct horse battery staple';
const RECIPIENT = keyOfHash('a1'.repeat(20));
const TOKEN = keyOfHash('b2'.repeat(20));
const HOT: ExpiringSigner = { kind: 'hot_wallet' };
const deposit = (index: number): ExpiringSigner => ({ kind: 'deposit', index });

let directory: string;
let path: string;
let vault: LocalVault;
let hotWallet: string;
let deposits: readonly string[];
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'coffer-vault-'));
  path = join(directory, 'vault.json');
  await createVaultFile(path, PASSPHRASE, { scryptN: SCRYPT_N.min });
  vault = await LocalVault.open(path, PASSPHRASE);
  hotWallet = (await vault.hotWallet('sandbox', 'tron')).address;
  deposits = (await vault.deriveAddresses('sandbox', 'tron', 0, 4)).map((one) => one.address);
});
afterAll(async () => {
  await vault.close();
  await rm(directory, { recursive: true });
});

const coins: TronAction = { kind: 'coin', to: RECIPIENT, amount: 5n };
const tokens: TronAction = { kind: 'token', to: RECIPIENT, token: TOKEN, amount: 7n };
const loan: TronAction = { kind: 'delegate', to: RECIPIENT, amount: 8_000_000_000n };
const stake: TronAction = { kind: 'stake', amount: 8_000_000_000n };
const unsigned = (owner = hotWallet, action: TronAction = tokens): UnsignedTronTransaction => ({
  family: 'tron',
  owner,
  action,
  refBlock: `000000000012d687${'d4'.repeat(24)}`,
  expiration: 1_800_000_090_000,
  timestamp: 1_799_999_940_007,
  feeLimit: action.kind === 'token' ? 26_200_000n : 0n,
});

describe('the hot wallet of tron', () => {
  it("is at m/44'/195'/1'/0/0, beside all deposit addresses, where the wallet of another vendor derives it [L-158]", async () => {
    const core = await walletCore.initWasm();
    const seeds = await openVaultFile(path, PASSPHRASE);
    for (const environment of ['sandbox', 'live'] as const) {
      const wallet = core.HDWallet.createWithEntropy(seeds[environment], '');
      const at = (derivationPath: string): string =>
        core.CoinTypeExt.deriveAddress(core.CoinType.tron, wallet.getKey(core.CoinType.tron, derivationPath));
      const known = at("m/44'/195'/1'/0/0");
      expect(await vault.hotWallet(environment, 'tron')).toEqual({
        index: 0,
        path: "m/44'/195'/1'/0/0",
        address: known,
        addressKey: known,
      });
      const addresses = (await vault.deriveAddresses(environment, 'tron', 0, 20)).map((one) => one.address);
      expect(addresses[7]).toBe(at("m/44'/195'/0'/0/7"));
      expect(addresses).not.toContain(known);
    }
    expect((await vault.hotWallet('live', 'tron')).address).not.toBe(hotWallet);
  });
});

describe('signing a transaction of tron', () => {
  it('returns the same bytes every time, of the hot wallet or of a deposit address [I-125]', async () => {
    for (const [signer, owner] of [
      [HOT, hotWallet],
      [deposit(3), deposits[3] ?? ''],
    ] as const) {
      const ofStake = [loan, { ...loan, kind: 'undelegate' } as const, stake, { ...stake, kind: 'unstake' } as const];
      const withdrawal = { kind: 'withdraw', amount: 0n } as const;
      for (const action of [coins, tokens, ...(signer === HOT ? [...ofStake, withdrawal] : [])]) {
        const transaction = unsigned(owner, action);
        const signed = await vault.signExpiring('sandbox', [signer], transaction);
        expect(await vault.signExpiring('sandbox', [signer], transaction)).toEqual(signed);
        checkSignedTransaction(signed, transaction);
        expect(signed.txHash).toBe(byTronWeb(transaction).txId);
      }
    }
  });

  it.each<[string, () => [readonly ExpiringSigner[], UnsignedTronTransaction]]>([
    ['of another owner', () => [[HOT], unsigned(deposits[1])]],
    ['of another deposit address', () => [[deposit(2)], unsigned(deposits[1])]],
    ['that is not needed', () => [[HOT, deposit(1)], unsigned()]],
    ['of a deposit address, which has no stake', () => [[deposit(1)], unsigned(deposits[1], loan)]],
    ['of a deposit address, which stakes nothing', () => [[deposit(1)], unsigned(deposits[1], stake)]],
    [
      'of a deposit address, which has nothing to withdraw',
      () => [[deposit(1)], unsigned(deposits[1], { kind: 'withdraw', amount: 0n })],
    ],
    ['that is there twice', () => [[HOT, HOT], unsigned()]],
  ])('refuses a signer %s [I-126]', async (_what, ask) => {
    const [signers, transaction] = ask();
    const signing = vault.signExpiring('sandbox', signers, transaction);
    await expect(signing).rejects.toMatchObject({ name: 'TypeError', message: expect.stringContaining('.signers') });
  });

  it('with the keys of another environment is refused [L-158]', async () => {
    await expect(vault.signExpiring('live', [HOT], unsigned())).rejects.toThrow('.signers');
  });

  it.each<[string, () => Partial<UnsignedTronTransaction>]>([
    ['owner', () => ({ owner: '' })],
    ['owner', () => ({ owner: `41${'a1'.repeat(20)}` })],
    ['action.to', () => ({ action: { ...tokens, to: `${RECIPIENT}1` } })],
    ['action.amount', () => ({ action: { ...tokens, amount: 0n } })],
    ['action.amount', () => ({ action: { kind: 'coin', to: RECIPIENT, amount: 2n ** 63n }, feeLimit: 0n })],
    ['action.amount', () => ({ action: { ...loan, amount: 999_999n }, feeLimit: 0n })],
    ['feeLimit', () => ({ action: loan })],
    ['action.amount', () => ({ action: { ...stake, amount: 999_999n }, feeLimit: 0n })],
    ['action.amount', () => ({ action: { kind: 'withdraw', amount: 1n }, feeLimit: 0n })],
    ['feeLimit', () => ({ action: stake })],
    ['refBlock', () => ({ refBlock: 'd4' })],
    ['expiration', () => ({ expiration: 1_799_999_940_007 })],
    ['expiration', () => ({ expiration: 1_800_086_340_008 })],
    ['timestamp', () => ({ timestamp: 0 })],
    ['feeLimit', () => ({ feeLimit: 0n })],
    ['feeLimit', () => ({ action: coins, feeLimit: 1n })],
    ['feeLimit', () => ({ feeLimit: 15_000_000_001n })],
  ])('refuses an impossible %s [I-126]', async (field, impossible) => {
    const signing = vault.signExpiring('sandbox', [HOT], { ...unsigned(), ...impossible() });
    await expect(signing).rejects.toMatchObject({ name: 'TypeError', message: expect.stringContaining(`.${field}`) });
  });

  it('says nothing that holds a key or a seed, answered or refused', async () => {
    const core = await walletCore.initWasm();
    const { sandbox } = await openVaultFile(path, PASSPHRASE);
    const wallet = core.HDWallet.createWithEntropy(sandbox, '');
    const keys = ["m/44'/195'/1'/0/0", "m/44'/195'/0'/0/1"].map((at) =>
      Buffer.from(wallet.getKey(core.CoinType.tron, at).data()),
    );
    const replies: unknown[] = [];
    vault['worker'].on('message', (reply: unknown) => replies.push(reply));
    await vault.signExpiring('sandbox', [HOT], unsigned());
    await vault.signExpiring('sandbox', [deposit(1)], unsigned(deposits[1]));
    await vault.signExpiring('sandbox', [HOT], unsigned(deposits[1])).catch(() => undefined);
    expect(replies).toHaveLength(3);
    const said = Buffer.concat(replies.map((reply) => serialize(reply)));
    for (const secret of [...keys, sandbox, Buffer.from(wallet.seed())]) {
      expect([said.includes(secret), said.includes(secret.toString('hex'))]).toEqual([false, false]);
    }
  });
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serialize } from 'node:v8';
import {
  address,
  getBase58Decoder,
  getBase64Encoder,
  getPublicKeyFromAddress,
  getTransactionDecoder,
  verifySignature,
} from '@solana/kit';
import walletCore from '@trustwallet/wallet-core';
import { checkSignedMoves } from '../../chains/solana/signed-moves-check.js';
import type { FundsMove, UnsignedMoves } from '../../chains/solana/unsigned-moves.js';
import { LocalVault } from '../local-vault.js';
import { createVaultFile, openVaultFile } from '../vault-file.js';
import { SCRYPT_N } from '../vault-format.js';
import type { ExpiringSigner } from '../vault.js';

const PASSPHRASE = 'correct horse battery staple';
const TOKEN = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const HOT: ExpiringSigner = { kind: 'hot_wallet' };

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
  hotWallet = (await vault.hotWallet('sandbox', 'solana')).address;
  deposits = (await vault.deriveAddresses('sandbox', 'solana', 0, 4)).map((one) => one.address);
});
afterAll(async () => {
  await vault.close();
  await rm(directory, { recursive: true });
});

const deposit = (index: number): ExpiringSigner => ({ kind: 'deposit', index });
const depositAt = (index: number): string => deposits[index] ?? '';

const payment = (): FundsMove => ({ kind: 'coin', from: hotWallet, to: TOKEN, amount: 5n });
const sweepOf = (index: number): FundsMove => {
  return {
    kind: 'token',
    from: depositAt(index),
    to: hotWallet,
    token: TOKEN,
    decimals: 6,
    amount: 9n,
    opensAccount: false,
  };
};
const unsigned = (...moves: readonly FundsMove[]): UnsignedMoves => ({
  family: 'solana',
  payer: hotWallet,
  moves,
  blockhash: TOKEN,
  computeUnitLimit: 1_000,
  computeUnitPrice: 20_000n,
});

describe('the hot wallet of solana', () => {
  it("is at m/44'/501'/0'/1', beside all deposit addresses, where the wallet of another vendor derives it [L-158]", async () => {
    const core = await walletCore.initWasm();
    const seeds = await openVaultFile(path, PASSPHRASE);
    for (const environment of ['sandbox', 'live'] as const) {
      const wallet = core.HDWallet.createWithEntropy(seeds[environment], '');
      const at = (derivationPath: string): string =>
        core.AnyAddress.createWithPublicKey(
          wallet.getKey(core.CoinType.solana, derivationPath).getPublicKeyEd25519(),
          core.CoinType.solana,
        ).description();
      const known = at("m/44'/501'/0'/1'");
      expect(await vault.hotWallet(environment, 'solana')).toEqual({
        index: 0,
        path: "m/44'/501'/0'/1'",
        address: known,
        addressKey: known,
      });
      const addresses = (await vault.deriveAddresses(environment, 'solana', 0, 20)).map((one) => one.address);
      expect(addresses[7]).toBe(at("m/44'/501'/7'/0'"));
      expect(addresses).not.toContain(known);
    }
    expect((await vault.hotWallet('live', 'solana')).address).not.toBe(hotWallet);
  });
});

describe('signing moves', () => {
  it('returns the same bytes every time, signed by the payer and by every owner [I-125]', async () => {
    const moves = unsigned(sweepOf(1), sweepOf(3), payment());
    const signed = await vault.signExpiring('sandbox', [deposit(3), HOT, deposit(1)], moves);
    expect(await vault.signExpiring('sandbox', [HOT, deposit(1), deposit(3)], moves)).toEqual(signed);
    checkSignedMoves(signed, moves);
    // Official code finds the same signers, the same id, and that every signature is right.
    const { signatures, messageBytes } = getTransactionDecoder().decode(getBase64Encoder().encode(signed.raw));
    expect(Object.keys(signatures)).toEqual([hotWallet, depositAt(1), depositAt(3)]);
    expect(getBase58Decoder().decode(signatures[address(hotWallet)] ?? new Uint8Array())).toBe(signed.txHash);
    for (const [signer, signature] of Object.entries(signatures)) {
      const key = await getPublicKeyFromAddress(address(signer));
      expect(signature !== null && (await verifySignature(key, signature, messageBytes))).toBe(true);
    }
  });

  it.each<[string, () => [readonly ExpiringSigner[], UnsignedMoves]]>([
    ['of another owner', () => [[HOT], unsigned(sweepOf(1))]],
    ['that is missing', () => [[HOT, deposit(1)], unsigned(sweepOf(1), sweepOf(2))]],
    ['that is not needed', () => [[HOT, deposit(1)], unsigned(payment())]],
    ['that is there twice', () => [[HOT, HOT], unsigned(payment())]],
    ['instead of another', () => [[HOT, deposit(2)], unsigned(sweepOf(1))]],
    ['of another payer', () => [[deposit(1)], unsigned(sweepOf(1))]],
  ])('refuses a signer %s [I-126]', async (_what, ask) => {
    const [signers, moves] = ask();
    const signing = vault.signExpiring('sandbox', signers, moves);
    await expect(signing).rejects.toMatchObject({ name: 'TypeError', message: expect.stringContaining('.signers') });
  });

  it('with the keys of another environment is refused [L-158]', async () => {
    await expect(vault.signExpiring('live', [HOT], unsigned(payment()))).rejects.toThrow('.signers');
  });

  it.each<[string, () => Partial<UnsignedMoves>]>([
    ['payer', () => ({ payer: '' })],
    ['payer', () => ({ payer: `${hotWallet}1` })],
    ['blockhash', () => ({ blockhash: '0x00' })],
    ['computeUnitLimit', () => ({ computeUnitLimit: 0 })],
    ['computeUnitLimit', () => ({ computeUnitLimit: 1_400_001 })],
    ['computeUnitLimit', () => ({ computeUnitLimit: 1.5 })],
    ['computeUnitPrice', () => ({ computeUnitPrice: -1n })],
    ['computeUnitPrice', () => ({ computeUnitPrice: 2n ** 64n })],
    ['moves', () => ({ moves: [] })],
    ['moves', () => ({ moves: Array(33).fill(payment()) })],
    ['moves.0.amount', () => ({ moves: [{ ...payment(), amount: 0n }] })],
    ['moves.0.amount', () => ({ moves: [{ ...payment(), amount: 2n ** 64n }] })],
    ['moves.0.to', () => ({ moves: [{ ...payment(), to: '0x70997970c51812dc3A010C7d01b50e0d17dc79C8' }] })],
    ['moves.0.decimals', () => ({ moves: [{ ...sweepOf(1), decimals: 256 }] })],
    ['moves.0.kind', () => ({ moves: [JSON.parse('{"kind":"bytes","data":"00"}')] })],
    ['moves.0', () => ({ moves: [{ ...payment(), data: 'ff' }] })],
  ])('refuses an impossible %s by its name [I-126]', async (field, impossible) => {
    const signing = vault.signExpiring('sandbox', [HOT], { ...unsigned(payment()), ...impossible() });
    await expect(signing).rejects.toMatchObject({ name: 'TypeError', message: expect.stringContaining(`.${field}`) });
  });

  it('refuses moves that do not fit into one transaction, and a signer that is no place in the tree [I-126]', async () => {
    const signers = [HOT, ...[0, 1, 2, 3].map(deposit)];
    const opened = [0, 1, 2, 3].map(
      (index): FundsMove => ({ ...sweepOf(index), kind: 'token', to: TOKEN }) as FundsMove,
    );
    const moves = [...opened, ...Array(20).fill(payment())];
    await expect(vault.signExpiring('sandbox', signers, unsigned(...moves))).rejects.toMatchObject({
      name: 'RangeError',
    });
    for (const index of [-1, 2 ** 31, 0.5]) {
      await expect(vault.signExpiring('sandbox', [deposit(index)], unsigned(payment()))).rejects.toThrow(
        '.signers.0.index',
      );
    }
  });

  it('says nothing that holds a key or a seed, answered or refused', async () => {
    const core = await walletCore.initWasm();
    const { sandbox } = await openVaultFile(path, PASSPHRASE);
    const wallet = core.HDWallet.createWithEntropy(sandbox, '');
    const keys = ["m/44'/501'/0'/1'", "m/44'/501'/1'/0'"].map((at) =>
      Buffer.from(wallet.getKey(core.CoinType.solana, at).data()),
    );
    const replies: unknown[] = [];
    vault['worker'].on('message', (reply: unknown) => replies.push(reply));
    await vault.signExpiring('sandbox', [HOT, deposit(1)], unsigned(sweepOf(1)));
    await vault.signExpiring('sandbox', [HOT], unsigned(sweepOf(1))).catch(() => undefined);
    await vault.hotWallet('sandbox', 'solana');
    expect(replies).toHaveLength(3);
    const said = Buffer.concat(replies.map((reply) => serialize(reply)));
    for (const secret of [...keys, sandbox, Buffer.from(wallet.seed())]) {
      expect([said.includes(secret), said.includes(secret.toString('hex'))]).toEqual([false, false]);
    }
  });
});

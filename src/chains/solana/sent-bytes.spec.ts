import {
  appendTransactionMessageInstruction,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  lamports,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { SolanaPayerLab } from '../../../test/support/solana-payer-lab.js';
import { NATIVE_COIN } from '../../domain/network.js';
import type { SweepSource } from '../expiring-sweeps.js';
import { contradictionInMoves } from './signed-order.js';
import { SolanaSweeper } from './solana-sweeper.js';
import type { SignedBytes } from '../expiring-transaction.js';
import type { FundsMove } from './unsigned-moves.js';

const sweeper = new SolanaSweeper();
let lab: SolanaPayerLab;
beforeAll(async () => {
  lab = await SolanaPayerLab.open();
});
afterAll(() => lab.close());

const newAddress = async (): Promise<string> => (await generateKeyPairSigner()).address;

async function land({ raw }: Pick<SignedBytes, 'raw'>): Promise<void> {
  await lab.client.broadcastAll([raw]);
  await lab.lab.controls.mine();
  await lab.lab.settle();
}

/** Bytes of the vault that do what no order asks for. */
async function unordered(moves: readonly FundsMove[]): Promise<SignedBytes> {
  const { unsigned } = (await lab.sign(lab.payment(await newAddress(), NATIVE_COIN, 1n))).planned;
  return lab.vault.signExpiring('sandbox', [{ kind: 'hot_wallet' }], { ...unsigned, moves });
}

/** A payment of coins in the form before versions. */
async function withoutVersion(): Promise<SignedBytes & { readonly sender: string }> {
  const payer = await generateKeyPairSigner();
  await lab.fund(payer.address, null, 1_000_000_000n);
  const { value: block } = await lab.lab.rpc.getLatestBlockhash().send();
  const destination = (await generateKeyPairSigner()).address;
  const transfer = getTransferSolInstruction({ source: payer, destination, amount: lamports(1_000_000n) });
  const empty = setTransactionMessageFeePayerSigner(payer, createTransactionMessage({ version: 'legacy' }));
  const message = setTransactionMessageLifetimeUsingBlockhash(block, empty);
  const signed = await signTransactionMessageWithSigners(appendTransactionMessageInstruction(transfer, message));
  return {
    raw: getBase64EncodedWireTransaction(signed),
    txHash: getSignatureFromTransaction(signed),
    sender: payer.address,
  };
}

describe('the bytes of a final transaction', () => {
  it.each(['SOL', 'USDC'])('are the payment that a vault signed for an order of %s', async (symbol) => {
    const token = symbol === 'SOL' ? NATIVE_COIN : lab.mints.USDC;
    const recipient = await newAddress();
    const signed = await lab.sign(lab.payment(recipient, token, 2_500_000n));
    expect(await lab.client.sentBytesOf(signed.txHash)).toBeNull();
    await lab.land(signed);
    expect(await lab.client.sentBytesOf(signed.txHash)).toBeNull();
    await lab.lab.settle();
    const sent = await lab.client.sentBytesOf(signed.txHash);
    if (sent === null || sent === 'unreadable') throw new Error('It is final.');
    const { raw, txHash, planned } = signed;
    expect(sent).toMatchObject({ raw, txHash, sender: lab.hotWallet });
    expect(sent.action).toEqual({ kind: 'payment', token, recipient, amount: 2_500_000n });
    expect([Number(sent.unitLimit), sent.unitPrice]).toEqual([
      planned.unsigned.computeUnitLimit,
      planned.unsigned.computeUnitPrice,
    ]);
    const [final] = await lab.client.finalTransactionsOf([txHash], []);
    expect(sent.expiry.after.hash).toBe(planned.unsigned.blockhash);
    expect(sent.expiry.after.height).toBeLessThan(final?.height ?? 0);
    expect(sent.expiry.until).toBeGreaterThanOrEqual(planned.expiry.until - 1);
  });

  it('are the payment also when it failed', async () => {
    const signed = await lab.sign(lab.payment(await newAddress(), NATIVE_COIN, 10n ** 15n));
    await land(signed);
    const sent = await lab.client.sentBytesOf(signed.txHash);
    expect(sent).toMatchObject({ action: { kind: 'payment', amount: 10n ** 15n } });
  });

  it('are a sweep with its items in their order, and the accounts that they open and close', async () => {
    const [one, two] = await lab.vault.deriveAddresses('sandbox', 'solana', 0, 2);
    if (one === undefined || two === undefined) throw new Error('There are addresses.');
    await lab.fund(one.address, 'USDT', 5_000_000n);
    await lab.fund(one.address, null, 7_000_000n);
    await lab.fund(two.address, 'USDT', 6_000_000n);
    const usdt = { token: lab.mints.USDT, account: null, decimals: 6 };
    const sources: readonly SweepSource[] = [
      {
        owner: one.address,
        funds: [
          { ...usdt, amount: 5_000_000n, closesAccount: true },
          { token: NATIVE_COIN, account: null, decimals: 9, amount: 7_000_000n, closesAccount: false },
        ],
      },
      { owner: two.address, funds: [{ ...usdt, amount: 6_000_000n, closesAccount: false }] },
    ];
    const target = { hotWallet: lab.hotWallet, missingAccounts: [lab.mints.USDT] };
    const terms = { strategy: 'standard', sequence: 9, costMax: null } as const;
    const { unsigned } = sweeper.plan(target, sources, terms, await lab.client.conditions());
    const signers = [
      { kind: 'hot_wallet' },
      ...[one, two].map(({ index }) => ({ kind: 'deposit', index }) as const),
    ] as const;
    const signed = await lab.vault.signExpiring('sandbox', signers, unsigned);
    await land(signed);
    const [open, closed] = [false, true].map((closesAccount) => ({ account: null, closesAccount }));
    expect(await lab.client.sentBytesOf(signed.txHash)).toMatchObject({
      sender: lab.hotWallet,
      action: {
        kind: 'sweep',
        items: [
          { owner: one.address, token: usdt.token, amount: 5_000_000n, opensAccount: true, ...closed },
          { owner: one.address, token: NATIVE_COIN, amount: 7_000_000n, opensAccount: false, ...open },
          { owner: two.address, token: usdt.token, amount: 6_000_000n, opensAccount: false, ...open },
        ],
      },
    });
  });

  it('are no payment when they do more than an order asks for', async () => {
    const [from, to, other] = [lab.hotWallet, await newAddress(), await newAddress()];
    const coins = { kind: 'coin', from, amount: 1_000_000n } as const;
    const signed = await unordered([
      { ...coins, to },
      { ...coins, to: other },
    ]);
    await land(signed);
    expect(await lab.client.sentBytesOf(signed.txHash)).toMatchObject({ action: { kind: 'other' } });
  });

  it('are read in the form before versions, which no vault signs', async () => {
    const signed = await withoutVersion();
    await land(signed);
    const { raw, sender } = signed;
    expect(await lab.client.sentBytesOf(signed.txHash)).toMatchObject({ raw, sender, action: { kind: 'other' } });
  });
});

describe('the bytes of a loss', () => {
  const loss = { payment: null, sweep: null, loss: {} };

  it('contradict nothing when its sender has signed them', async () => {
    const signed = await withoutVersion();
    expect(contradictionInMoves(signed, loss)).toBeNull();
  });

  it('are refused when they are of another sender, another id, or changed', async () => {
    const signed = await withoutVersion();
    const says = 'holds bytes that its sender has not signed';
    expect(contradictionInMoves({ ...signed, sender: lab.hotWallet }, loss)).toBe(says);
    expect(contradictionInMoves({ ...signed, txHash: (await withoutVersion()).txHash }, loss)).toBe(says);
    const bytes = Buffer.from(signed.raw, 'base64');
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    expect(contradictionInMoves({ ...signed, raw: bytes.toString('base64') }, loss)).toBe(says);
    expect(contradictionInMoves({ ...signed, raw: '' }, loss)).toBe(says);
  });
});

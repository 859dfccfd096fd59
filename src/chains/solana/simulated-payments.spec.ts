import { address, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { getCreateAccountInstruction } from '@solana-program/system';
import {
  AuthorityType,
  getInitializeAccount3Instruction,
  getSetAuthorityInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import { SolanaPayerLab } from '../../../test/support/solana-payer-lab.js';
import { NATIVE_COIN } from '../../domain/network.js';
import type { ExpiringPayment } from '../expiring.js';
import { associatedTokenAccount } from './token-account.js';

const RENT_OF_WALLET = 650_240n;

let lab: SolanaPayerLab;
beforeAll(async () => {
  lab = await SolanaPayerLab.open();
});
afterAll(() => lab.close());

async function simulated(...payments: readonly ExpiringPayment[]) {
  const at = await lab.client.conditions();
  return lab.client.simulate(payments.map((payment, place) => lab.payer.plan(payment, 'fast', place, at)));
}

/** Sends a payment whatever its simulation says. Returns whether it succeeded, and checks that it cost no more than its fee. */
async function sent(payment: ExpiringPayment): Promise<boolean> {
  const before = await lab.balances([lab.hotWallet]);
  const signed = await lab.sign(payment);
  await lab.land(signed);
  await lab.lab.settle();
  const [final] = await lab.client.finalTransactionsOf([signed.txHash], lab.tokens);
  if (final === null || final === undefined) throw new Error('It is in a block.');
  if (!final.succeeded) {
    expect(final.changes).toEqual([{ owner: lab.hotWallet, token: NATIVE_COIN, units: -final.fee }]);
    const coins = `${lab.hotWallet} ${NATIVE_COIN}`;
    expect((await lab.balances([lab.hotWallet])).get(coins)).toBe((before.get(coins) ?? 0n) - final.fee);
  }
  return final.succeeded;
}

/** A wallet with an account of USDC. */
async function holder(): Promise<KeyPairSigner> {
  const wallet = await lab.lab.newWallet();
  await lab.fund(wallet.address, 'USDC', 5n);
  return wallet;
}

const tokenAccount = ({ address: owner }: { readonly address: string }) =>
  associatedTokenAccount(owner, lab.mints.USDC);

describe('a payment that is simulated', () => {
  it('is accepted by a destination with an account, and by one without', async () => {
    const [{ address: old }, { address: fresh }] = [await holder(), await generateKeyPairSigner()];
    const payments = [old, fresh].map((to) => lab.payment(to, lab.mints.USDC, 1n));
    expect(await simulated(...payments)).toEqual(['accepts', 'accepts']);
    expect([await sent(payments[0]!), await sent(payments[1]!)]).toEqual([true, true]);
  });

  it('is rejected by a destination that is a token account with a key, or a token, although the chain would pay it', async () => {
    const [wallet, account] = [await holder(), await generateKeyPairSigner()];
    const space = 165n;
    const lamports = await lab.lab.rpc.getMinimumBalanceForRentExemption(space).send();
    const opened = getCreateAccountInstruction({
      payer: wallet,
      newAccount: account,
      lamports,
      space,
      programAddress: TOKEN_PROGRAM_ADDRESS,
    });
    const owned = getInitializeAccount3Instruction({
      account: account.address,
      mint: address(lab.mints.USDC),
      owner: wallet.address,
    });
    await lab.lab.land(await lab.lab.sign([opened, owned], { payer: wallet }));
    await lab.lab.settle();
    const payments = [lab.mints.USDC, NATIVE_COIN].map((token) => lab.payment(account.address, token, 1_000_000n));
    expect(await simulated(...payments, lab.payment(lab.mints.USDT, NATIVE_COIN, 1_000_000n))).toEqual(
      Array.from({ length: 3 }, () => 'rejects'),
    );
    expect(await sent(payments[0]!)).toBe(true);
  });

  it('is rejected by a destination whose account its issuer has frozen', async () => {
    const wallet = await holder();
    expect(await lab.client.isFrozenByIssuer(lab.mints.USDC, wallet.address)).toBe(false);
    await lab.lab.controls.freeze(await tokenAccount(wallet));
    await lab.lab.settle();
    expect(await lab.client.isFrozenByIssuer(lab.mints.USDC, wallet.address)).toBe(true);
    const payment = lab.payment(wallet.address, lab.mints.USDC, 1n);
    expect(await simulated(payment, lab.payment(wallet.address, lab.mints.USDT, 1n))).toEqual(['rejects', 'accepts']);
    expect(await sent(payment)).toBe(false);
  });

  it('is rejected by a destination whose account belongs to another owner', async () => {
    const wallet = await holder();
    const { address: newAuthority } = await generateKeyPairSigner();
    const give = getSetAuthorityInstruction({
      owned: address(await tokenAccount(wallet)),
      owner: wallet,
      authorityType: AuthorityType.AccountOwner,
      newAuthority,
    });
    await lab.lab.land(await lab.lab.sign([give], { payer: wallet }));
    await lab.lab.settle();
    const payment = lab.payment(wallet.address, lab.mints.USDC, 1n);
    expect(await simulated(payment)).toEqual(['rejects']);
    expect(await sent(payment)).toBe(false);
    expect(await lab.client.needsAccount(wallet.address, lab.mints.USDC)).toBe(false);
  });

  it('is rejected in a token that does not exist', async () => {
    const { address: mint } = await generateKeyPairSigner();
    const { address: to } = await generateKeyPairSigner();
    expect(await simulated(lab.payment(to, mint, 1n))).toEqual(['rejects']);
  });

  it('of coins is rejected below the least that the destination may hold', async () => {
    const { address: to } = await generateKeyPairSigner();
    expect(lab.payer.leastCoin(await lab.client.conditions())).toBe(RENT_OF_WALLET);
    const [enough, tooLittle] = [RENT_OF_WALLET, RENT_OF_WALLET - 1n].map((amount) =>
      lab.payment(to, NATIVE_COIN, amount),
    );
    expect(await simulated(enough!, tooLittle!)).toEqual(['accepts', 'rejects']);
    expect(await sent(enough!)).toBe(true);
    expect(await simulated(tooLittle!)).toEqual(['accepts']);
  });

  it('follows the rent when it changes', async () => {
    const { address: to } = await generateKeyPairSigner();
    await lab.lab.controls.setRent(696);
    await lab.lab.settle();
    const least = lab.payer.leastCoin(await lab.client.conditions());
    expect(least).toBe(128n * 696n);
    const payments = [least, least - 1n].map((amount) => lab.payment(to, NATIVE_COIN, amount));
    expect(await simulated(...payments)).toEqual(['accepts', 'rejects']);
    await lab.lab.controls.setRent(5_080);
    await lab.lab.settle();
  });

  describe('says nothing about the destination', () => {
    const to = async (): Promise<string> => (await generateKeyPairSigner()).address;

    it('when the hot wallet has too little', async () => {
      const payments = [
        lab.payment(await to(), NATIVE_COIN, 10n ** 15n),
        lab.payment(await to(), lab.mints.USDC, 10n ** 15n),
      ];
      expect(await simulated(...payments)).toEqual([null, null]);
    });

    it('when the hot wallet would be left with less than it must hold', async () => {
      const [, coins = 0n] = [...(await lab.balances([lab.hotWallet])).entries()][0] ?? [];
      expect(await simulated(lab.payment(await to(), NATIVE_COIN, coins - 100_000n))).toEqual([null]);
    });

    it('when there is no hot wallet yet, or it has no account of the token', async () => {
      const { address: sender } = await generateKeyPairSigner();
      const { address: poor } = await lab.lab.newWallet();
      const payment = lab.payment(await to(), lab.mints.USDC, 1n);
      expect(await simulated({ ...payment, sender }, { ...payment, sender: poor })).toEqual([null, null]);
    });

    it('when the issuer has frozen the hot wallet', async () => {
      const own = await associatedTokenAccount(lab.hotWallet, lab.mints.USDT);
      const { address: recipient } = await holder();
      await lab.lab.controls.freeze(own);
      await lab.lab.settle();
      expect(await lab.client.isFrozenByIssuer(lab.mints.USDT, lab.hotWallet)).toBe(true);
      const payment = lab.payment(recipient, lab.mints.USDT, 1n);
      expect(await simulated(payment)).toEqual([null]);
      expect(await sent(payment)).toBe(false);
      await lab.lab.controls.thaw(own);
      await lab.lab.settle();
      expect(await simulated(payment)).toEqual(['accepts']);
    });
  });
});

import { generateKeyPairSigner } from '@solana/kit';
import { changed, SolanaPayerLab } from '../../../test/support/solana-payer-lab.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { ChainUnavailable } from '../chain.js';

let lab: SolanaPayerLab;
beforeAll(async () => {
  lab = await SolanaPayerLab.open();
});
afterAll(() => lab.close());

const newAddress = async (): Promise<string> => (await generateKeyPairSigner()).address;
const tokenOf = (symbol: string): string =>
  symbol === 'SOL' ? NATIVE_COIN : symbol === 'USDC' ? lab.mints.USDC : lab.mints.USDT;

describe('payments on solana', () => {
  it.each(['SOL', 'USDC', 'USDT'])('of %s land once, and their changes are what balances differ by', async (symbol) => {
    const token = tokenOf(symbol);
    const recipient = await newAddress();
    // First to a fresh address, then to one that has an account.
    for (const opensAccount of [true, false]) {
      expect(await lab.client.needsAccount(recipient, token)).toBe(opensAccount);
      const owners = [lab.hotWallet, recipient];
      const before = await lab.balances(owners);
      const signed = await lab.sign(lab.payment(recipient, token, 2_500_000n));
      expect(await lab.client.simulate([signed.planned])).toEqual(['accepts']);
      expect(await lab.client.areKnown([signed.txHash])).toEqual([false]);
      await lab.land(signed);
      expect(await lab.client.areKnown([signed.txHash])).toEqual([true]);
      expect(await lab.client.finalTransactionsOf([signed.txHash], lab.tokens)).toEqual([null]);
      await lab.lab.settle();
      const [final] = await lab.client.finalTransactionsOf([signed.txHash], lab.tokens);
      if (final === null || final === undefined) throw new Error('It is final.');
      expect(final).toMatchObject({ txHash: signed.txHash, succeeded: true });
      expect(final.blockHash).toBe((await lab.client.headerAt(final.height))?.hash);
      expect(changed(before, final.changes)).toEqual(await lab.balances(owners));
      expect(final.changes.filter(({ owner }) => owner === recipient)).toEqual([
        { owner: recipient, token, units: 2_500_000n },
      ]);
      // All coins are accounted for: what is missing is the fee.
      const coins = final.changes.filter((change) => change.token === NATIVE_COIN);
      expect(coins.reduce((sum, { units }) => sum + units, 0n)).toBe(-final.fee);
      const cost = -(coins.find(({ owner }) => owner === lab.hotWallet)?.units ?? 0n);
      const spent = token === NATIVE_COIN ? cost - 2_500_000n : cost;
      expect(spent).toBeLessThanOrEqual(signed.planned.costMax);
      const expected = lab.payer.expectedCost(token, 'standard', opensAccount, await lab.client.conditions());
      expect(spent).toBeLessThanOrEqual(expected);
      expect(expected - spent).toBeLessThan(200n);
    }
  });

  it('that are equal have as many ids as there are payments, and all land', async () => {
    const recipient = await newAddress();
    const payments = Array.from({ length: 50 }, () => lab.payment(recipient, lab.mints.USDC, 1_000n));
    const signed = await lab.signAll(payments);
    expect(new Set(signed.map(({ planned }) => planned.unsigned.blockhash)).size).toBe(1);
    expect(new Set(signed.map(({ txHash }) => txHash)).size).toBe(50);
    await lab.land(...signed);
    await lab.lab.settle();
    expect((await lab.client.finalBalancesOf(recipient, [lab.mints.USDC], 0)).units).toEqual([50_000n]);
  });

  it('that a node refuses do not keep others from it', async () => {
    const signed = await lab.sign(lab.payment(await newAddress(), NATIVE_COIN, 1_000_000n));
    const answers = await lab.client.broadcastAll(['AAAA', signed.raw]);
    expect(answers).toEqual([
      { accepted: false, message: expect.stringContaining('sendTransaction') },
      { accepted: true },
    ]);
    await lab.lab.controls.mine();
    expect(await lab.client.areKnown([signed.txHash])).toEqual([true]);
  });

  it('are paid from balances of a final block that is not older than the one asked for', async () => {
    const { asOf } = await lab.client.finalBalancesOf(lab.hotWallet, [NATIVE_COIN], 0);
    expect(asOf).toEqual({ height: await lab.client.finalizedHeight(), hash: expect.any(String) });
    expect((await lab.client.headerAt(asOf.height))?.hash).toBe(asOf.hash);
    const later = lab.client.finalBalancesOf(lab.hotWallet, [NATIVE_COIN], asOf.height + 1);
    await expect(later).rejects.toThrow(ChainUnavailable);
  });

  it('that are sent many times pay once', async () => {
    const recipient = await newAddress();
    const signed = await lab.sign(lab.payment(recipient, lab.mints.USDC, 7n));
    for (let round = 0; round < 3; round += 1) {
      await lab.land(signed, signed);
      await lab.client.broadcastAll([signed.raw]);
    }
    await lab.lab.settle();
    expect((await lab.client.finalBalancesOf(recipient, [lab.mints.USDC], 0)).units).toEqual([7n]);
  });
});

import { initWasm, TW } from '@trustwallet/wallet-core';
import { TronPayerLab } from '../../../test/support/tron-payer-lab.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { outcomeOf } from '../../treasury/expiring/final-outcome.js';
import type { FinalTransaction } from '../expiring.js';
import { rawDataBytes } from './transaction-bytes.js';
import { hexOfKey, keyOfHash } from './tron-address.js';

let lab: TronPayerLab;
let made = 0;
const newAddress = (): string => keyOfHash((++made).toString(16).padStart(40, 'e'));

beforeAll(async () => {
  lab = await TronPayerLab.open();
});
afterAll(() => lab.close());

const tokensOf = (): readonly string[] => [lab.tokens.USDT, lab.tokens.USDC];

async function finalOf(txHash: string): Promise<FinalTransaction> {
  await lab.settle();
  const [final] = await lab.client.finalTransactionsOf([txHash], tokensOf());
  if (final === undefined || final === null) throw new Error('The transaction is not final.');
  return final;
}

/** Pays and returns how that ended. */
async function paid(recipient: string, token: string, amount: bigint) {
  const signed = await lab.sign(lab.payment(recipient, token, amount));
  await lab.land(signed);
  const final = await finalOf(signed.txHash);
  return { signed, final, outcome: outcomeOf(signed.payment, final) };
}

async function held(owner: string, token: string): Promise<bigint> {
  return (await lab.client.finalBalancesOf(owner, [token], 0)).units[0] ?? -1n;
}

describe('payments on tron', () => {
  it('cost no more than was expected, whatever the destination has', async () => {
    const { USDT, USDC } = lab.tokens;
    for (const [token, amount] of [
      [NATIVE_COIN, 2_000_000n],
      [USDT, 5_000_000n],
      [USDC, 5_000_000n],
    ] as const) {
      const recipient = newAddress();
      for (const opensAccount of [true, false]) {
        expect(await lab.client.needsAccount(recipient, token)).toBe(opensAccount);
        const expected = lab.payer.expectedCost(
          token,
          'standard',
          opensAccount,
          await lab.client.conditions(lab.hotWallet),
        );
        const { signed, outcome } = await paid(recipient, token, amount);
        expect(outcome?.succeeded).toBe(true);
        expect(outcome?.cost).toBeLessThanOrEqual(expected);
        expect(outcome?.cost).toBeLessThanOrEqual(signed.planned.costMax);
        // The free bandwidth of a day pays for the bytes of the first.
        expect(expected - (outcome?.cost ?? 0n)).toBeLessThanOrEqual(360_000n);
      }
      expect(await held(recipient, token)).toBe(2n * amount);
    }
  });

  it('that are equal have as many ids as there are payments, and all land', async () => {
    const recipient = newAddress();
    const payments = Array.from({ length: 50 }, () => lab.payment(recipient, lab.tokens.USDT, 1_000n));
    const signed = await lab.signAll(payments);
    expect(new Set(signed.map(({ planned }) => planned.unsigned.refBlock)).size).toBe(1);
    expect(new Set(signed.map(({ txHash }) => txHash)).size).toBe(50);
    await lab.land(...signed);
    await lab.settle();
    expect(await held(recipient, lab.tokens.USDT)).toBe(50_000n);
  });

  it('say by their changes and fees what the balances say', async () => {
    const recipient = newAddress();
    for (const token of [NATIVE_COIN, lab.tokens.USDT]) {
      const before = await lab.client.finalBalancesOf(lab.hotWallet, [NATIVE_COIN, token], 0);
      const { final } = await paid(recipient, token, 3_000_000n);
      const after = await lab.client.finalBalancesOf(lab.hotWallet, [NATIVE_COIN, token], before.asOf.height);
      for (const [place, asset] of [NATIVE_COIN, token].entries()) {
        const change = final.changes
          .filter(({ owner, token: of }) => owner === lab.hotWallet && of === asset)
          .reduce((sum, { units }) => sum + units, 0n);
        expect((after.units[place] ?? 0n) - (before.units[place] ?? 0n)).toBe(change);
      }
    }
  });

  it('of USDT are paid although it returns false [spec 6.2]', async () => {
    const { outcome, signed } = await paid(newAddress(), lab.tokens.USDT, 1_000_000n);
    expect(outcome).toMatchObject({ succeeded: true });
    const { result } = (await lab.rig.ask('/wallet/gettransactioninfobyid', { value: signed.txHash })) as {
      readonly result?: string;
    };
    expect(result).toBeUndefined();
  });

  it('that run out of energy fail, and cost what was burned', async () => {
    const signed = await lab.sign(lab.payment(newAddress(), lab.tokens.USDT, 1_000_000n));
    await lab.rig.controls.setEnergyPrice(1_000);
    await lab.land(signed);
    const final = await finalOf(signed.txHash);
    await lab.rig.controls.setEnergyPrice(100);
    const { feeLimit } = signed.planned.unsigned;
    expect(final.succeeded).toBe(false);
    // The last energy that it could not buy.
    expect(feeLimit - final.fee).toBeLessThan(1_000n);
    expect(outcomeOf(signed.payment, final)).toEqual({ succeeded: false, cost: final.fee, short: null });
    expect(await held(signed.payment.recipient, lab.tokens.USDT)).toBe(0n);
  });

  it('are mined when the price doubles after they are signed', async () => {
    const signed = await lab.sign(lab.payment(newAddress(), lab.tokens.USDT, 1_000_000n));
    await lab.rig.controls.setEnergyPrice(200);
    await lab.land(signed);
    const outcome = outcomeOf(signed.payment, await finalOf(signed.txHash));
    await lab.rig.controls.setEnergyPrice(100);
    expect(outcome?.succeeded).toBe(true);
    expect(outcome?.cost).toBeLessThanOrEqual(signed.planned.costMax);
  });

  it('burn a penalty that is sampled before', async () => {
    await lab.rig.controls.setEnergyFactor(hexOfKey(lab.tokens.USDT), 34_000);
    const { outcome, signed } = await paid(newAddress(), lab.tokens.USDT, 1_000_000n);
    await lab.rig.controls.setEnergyFactor(hexOfKey(lab.tokens.USDT), 0);
    expect(outcome?.succeeded).toBe(true);
    expect(2n * (outcome?.cost ?? 0n)).toBeLessThanOrEqual(signed.planned.costMax);
    expect(signed.planned.unsigned.feeLimit).toBeGreaterThan(20_000_000n);
  });

  it('have the ids that the wallet of another vendor gives them [I-125]', async () => {
    const core = await initWasm();
    for (const token of [NATIVE_COIN, lab.tokens.USDT]) {
      const { planned, txHash, payment } = await lab.sign(lab.payment(newAddress(), token, 5_000_000n));
      const { unsigned } = planned;
      const block = (await lab.rig.ask('/wallet/getblockbyid', { value: unsigned.refBlock })) as {
        block_header: { raw_data: Record<string, string | number> };
      };
      const { number, txTrieRoot, witness_address, parentHash, version, timestamp } = block.block_header.raw_data;
      const bytes = (hex: unknown): Uint8Array => Buffer.from(String(hex), 'hex');
      const ends = { ownerAddress: payment.sender, toAddress: payment.recipient };
      const input = TW.Tron.Proto.SigningInput.fromObject({
        privateKey: Buffer.alloc(32, 1),
        transaction: {
          timestamp: unsigned.timestamp,
          expiration: unsigned.expiration,
          feeLimit: Number(unsigned.feeLimit),
          blockHeader: {
            timestamp,
            txTrieRoot: bytes(txTrieRoot),
            parentHash: bytes(parentHash),
            number,
            witnessAddress: bytes(witness_address),
            version,
          },
          ...(token === NATIVE_COIN
            ? { transfer: { ...ends, amount: Number(payment.amount) } }
            : {
                transferTrc20Contract: {
                  ...ends,
                  contractAddress: token,
                  amount: bytes(payment.amount.toString(16).padStart(64, '0')),
                },
              }),
        },
      });
      const output = core.AnySigner.sign(TW.Tron.Proto.SigningInput.encode(input).finish(), core.CoinType.tron);
      const { id, json } = TW.Tron.Proto.SigningOutput.decode(output);
      if (token === NATIVE_COIN) expect(Buffer.from(id).toString('hex')).toBe(txHash);
      // In the argument of its call the version byte stands in front of the address.
      const theirs = (JSON.parse(json) as { readonly raw_data_hex: string }).raw_data_hex;
      const hash = hexOfKey(payment.recipient).slice(2);
      const ours = Buffer.from(rawDataBytes(unsigned)).toString('hex');
      expect(ours).toBe(theirs.replace(`${'0'.repeat(22)}41${hash}`, `${'0'.repeat(24)}${hash}`));
    }
  });
});

describe('a payment that is simulated', () => {
  const simulated = async (recipient: string, token: string, amount = 1_000_000n) => {
    const at = await lab.client.conditions(lab.hotWallet);
    const planned = lab.payer.plan(lab.payment(recipient, token, amount), 'standard', 0, at);
    return (await lab.client.simulate([planned]))[0];
  };

  it('is accepted by a fresh address, for coins and tokens', async () => {
    for (const token of [NATIVE_COIN, ...tokensOf()]) expect(await simulated(newAddress(), token)).toBe('accepts');
  });

  it.each(['USDT', 'USDC'] as const)(
    'of %s is rejected by a destination that its issuer has frozen',
    async (symbol) => {
      const recipient = newAddress();
      await lab.rig.controls.blacklist(symbol, recipient);
      await lab.rig.controls.mine();
      expect(await simulated(recipient, lab.tokens[symbol])).toBe('rejects');
      expect(await simulated(recipient, NATIVE_COIN)).toBe('accepts');
      expect(await lab.client.isFrozenByIssuer(lab.tokens[symbol], recipient)).toBe(true);
      expect(await lab.client.isFrozenByIssuer(lab.tokens[symbol], newAddress())).toBe(false);
    },
  );

  it('of coins is rejected by a contract, which may receive tokens', async () => {
    const { contracts } = await lab.rig.controls.info();
    expect(await simulated(contracts.PayoutBox, NATIVE_COIN)).toBe('rejects');
    expect(await simulated(contracts.PayoutBox, lab.tokens.USDT)).toBe('accepts');
  });

  it('says nothing when the wallet has too little', async () => {
    for (const token of [NATIVE_COIN, ...tokensOf()]) {
      expect(await simulated(newAddress(), token, 10n ** 15n)).toBeNull();
    }
  });

  it('says nothing when the issuer has frozen the wallet', async () => {
    await lab.rig.controls.blacklist('USDC', lab.hotWallet);
    await lab.rig.controls.mine();
    expect(await simulated(newAddress(), lab.tokens.USDC)).toBeNull();
    await lab.rig.controls.unblacklist('USDC', lab.hotWallet);
    await lab.rig.controls.mine();
    expect(await simulated(newAddress(), lab.tokens.USDC)).toBe('accepts');
  });
});

describe('a broadcast', () => {
  it('of the same bytes twice is refused as a duplicate, which says nothing', async () => {
    const signed = await lab.sign(lab.payment(newAddress(), NATIVE_COIN, 1_000_000n));
    expect(await lab.client.areKnown([signed.txHash])).toEqual([false]);
    expect(await lab.client.broadcastAll([signed.raw])).toEqual([{ accepted: true }]);
    expect(await lab.client.areKnown([signed.txHash])).toEqual([true]);
    const [again] = await lab.client.broadcastAll([signed.raw]);
    expect(again).toMatchObject({ accepted: false, message: expect.stringContaining('DUP_TRANSACTION_ERROR') });
    await lab.rig.controls.mine();
    expect(await finalOf(signed.txHash)).toMatchObject({ succeeded: true });
  });
});

import { TRON_CONDITIONS } from '../../../test/support/tron-conditions.js';
import { initWasm, TW } from '@trustwallet/wallet-core';
import { byTronWeb } from '../../../test/support/tron-transactions.js';
import { addressOfKey } from '../../vault/tron/tron-derivation.js';
import { signTronTransaction } from '../../vault/tron/tron-signing.js';
import type { EnergyMove } from '../energy-move.js';
import { keptConditions, type TronConditions } from './payment-conditions.js';
import { stakeFor } from './stake.js';
import { lentSweepCost } from './sweep-fee.js';
import { rawDataBytes } from './transaction-bytes.js';
import { keyOfHash } from './tron-address.js';
import { TronLender } from './tron-lender.js';

const KEY = Buffer.alloc(32, 7);
const OWNER = addressOfKey(KEY);
const BORROWER = keyOfHash('a1'.repeat(20));
const OTHER = keyOfHash('c3'.repeat(20));
/** As on the main network: about 9.47 energy for a TRX. */
const stake = {
  lendable: 9_000_000_000n,
  totalEnergy: 180_000_000_000n,
  totalWeight: 19_000_000_000n,
  freeBandwidth: 600n,
};
const conditions: TronConditions = { ...TRON_CONDITIONS, stake };
const at = keptConditions(conditions);
const lender = new TronLender();
/** Where the digits of the block end that the bytes name: two bytes and eight, each with a tag and a length. */
const PLACE_OF_TIMES = 2 * 14;
const move = (traits: Partial<EnergyMove> = {}): EnergyMove => ({
  kind: 'lend',
  owner: OWNER,
  borrower: BORROWER,
  stake: 8_000_000_000n,
  ...traits,
});
const BOTH = [move(), move({ kind: 'take_back' })];

describe('energy on tron', () => {
  it('can be lent as far as the conditions say, and not where they say nothing', () => {
    expect(lender.lendable(at)).toEqual({ stake: 9_000_000_000n, height: 1_234_567 });
    const { stake: _stake, ...without } = conditions;
    expect(lender.lendable(keptConditions(without))).toMatchObject({ stake: 0n });
  });

  it.each(BOTH)('is moved by a transaction that is what was planned: $kind', (one) => {
    const planned = lender.plan(one, 3, at);
    const signed = signTronTransaction([KEY], planned.unsigned);
    expect(() => lender.check(signed, planned, one)).not.toThrow();
    expect(planned.unsigned.feeLimit).toBe(0n);
    // With the 64 bytes that the chain adds for the result.
    expect(BigInt(signed.raw.length / 2 + 64)).toBeLessThanOrEqual(planned.fee.limit);
    expect(planned.costMax).toBe(620_000n);
    expect(signed.txHash).toBe(byTronWeb(planned.unsigned).txId);
  });

  it.each(BOTH)('has the bytes that the wallet of another vendor gives it: $kind [I-125]', async (one) => {
    const core = await initWasm();
    const { unsigned } = lender.plan(one, 3, at);
    const contract = { ownerAddress: OWNER, receiverAddress: BORROWER, resource: 'ENERGY', balance: 8_000_000_000 };
    const header = { timestamp: 1, number: 1_234_567, version: 34 };
    const input = TW.Tron.Proto.SigningInput.fromObject({
      privateKey: KEY,
      transaction: {
        timestamp: unsigned.timestamp,
        expiration: unsigned.expiration,
        blockHeader: header,
        ...(one.kind === 'lend' ? { delegateResource: contract } : { undelegateResource: contract }),
      },
    });
    const output = core.AnySigner.sign(TW.Tron.Proto.SigningInput.encode(input).finish(), core.CoinType.tron);
    const { json } = TW.Tron.Proto.SigningOutput.decode(output);
    const theirs = (JSON.parse(json) as { readonly raw_data_hex: string }).raw_data_hex;
    // It names a block of its own header.
    const ours = Buffer.from(rawDataBytes(unsigned)).toString('hex');
    expect(ours.slice(PLACE_OF_TIMES)).toBe(theirs.slice(PLACE_OF_TIMES));
  });

  it.each<[field: RegExp, change: Partial<EnergyMove>]>([
    [/action/, { kind: 'take_back' }],
    [/action/, { borrower: OTHER }],
    [/action/, { stake: 8_000_000_001n }],
    [/owner/, { owner: OTHER }],
  ])('that is another than ordered is refused: %s', (field, change) => {
    const planned = lender.plan(move(), 3, at);
    expect(() => lender.check(signTronTransaction([KEY], planned.unsigned), planned, move(change))).toThrow(field);
  });

  it('has another id with another number', () => {
    const ids = [0, 1].map((sequence) => signTronTransaction([KEY], lender.plan(move(), sequence, at).unsigned).txHash);
    expect(new Set(ids).size).toBe(2);
  });
});

describe('a sweep of tron with lent energy', () => {
  it.each([
    ['that was never activated needs a sun', null, 1n],
    ['with enough bytes of its own needs no coins', 600n, 0n],
    ['without them needs coins for twice its bytes', 359n, 720_000n],
  ])('of an address %s', (_what, freeBandwidth, coins) => {
    expect(lentSweepCost(30_000n, freeBandwidth, stake, conditions)).toEqual({
      stake: 3_801_000_000n,
      coins,
      // Twice its energy and its bytes.
      most: 6_720_000n,
    });
  });

  it('of an address that was never activated needs coins for its bytes on a chain that gives none', () => {
    const { coins } = lentSweepCost(30_000n, null, { ...stake, freeBandwidth: 0n }, conditions);
    expect(coins).toBe(720_000n);
  });

  it('borrows a stake that gives at least its energy', () => {
    for (const energy of [1n, 29_650n, 65_000n, 131_000n]) {
      const given = ((stakeFor(energy, stake) / 1_000_000n) * stake.totalEnergy) / stake.totalWeight;
      expect(given).toBeGreaterThanOrEqual(energy);
    }
  });
});

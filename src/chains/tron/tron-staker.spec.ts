import { TRON_CONDITIONS } from '../../../test/support/tron-conditions.js';
import { initWasm, TW } from '@trustwallet/wallet-core';
import { byTronWeb } from '../../../test/support/tron-transactions.js';
import { addressOfKey } from '../../vault/tron/tron-derivation.js';
import { signTronTransaction } from '../../vault/tron/tron-signing.js';
import type { StakeMove } from '../stake-move.js';
import { accountShape, isAccount } from './answer-shapes.js';
import { keptConditions } from './payment-conditions.js';
import { stakeStateOf } from './staked-coins.js';
import { rawDataBytes } from './transaction-bytes.js';
import { keyOfHash } from './tron-address.js';
import { TronStaker } from './tron-staker.js';

const KEY = Buffer.alloc(32, 7);
const OWNER = addressOfKey(KEY);
const at = keptConditions(TRON_CONDITIONS);
const staker = new TronStaker();
/** Where the digits of the block end that the bytes name: two bytes and eight, each with a tag and a length. */
const PLACE_OF_TIMES = 2 * 14;
const move = (traits: Partial<StakeMove> = {}): StakeMove => ({
  kind: 'stake',
  owner: OWNER,
  amount: 8_200_000_000n,
  ...traits,
});
const ALL: readonly StakeMove[] = [move(), move({ kind: 'unstake' }), move({ kind: 'withdraw', amount: 0n })];
/** As the other wallet names them. */
const CONTRACTS = {
  stake: { freezeBalanceV2: { ownerAddress: OWNER, frozenBalance: 8_200_000_000, resource: 'ENERGY' } },
  unstake: { unfreezeBalanceV2: { ownerAddress: OWNER, unfreezeBalance: 8_200_000_000, resource: 'ENERGY' } },
  withdraw: { withdrawExpireUnfreeze: { ownerAddress: OWNER } },
} as const;

describe('a stake on tron', () => {
  it.each(ALL)('is changed by a transaction that is what was planned: $kind', (one) => {
    const planned = staker.plan(one, 3, at);
    const signed = signTronTransaction([KEY], planned.unsigned);
    expect(() => staker.check(signed, planned, one)).not.toThrow();
    expect(planned.unsigned.feeLimit).toBe(0n);
    // With the 64 bytes that the chain adds for the result.
    expect(BigInt(signed.raw.length / 2 + 64)).toBeLessThanOrEqual(planned.fee.limit);
    expect(planned.costMax).toBe(580_000n);
    expect(signed.txHash).toBe(byTronWeb(planned.unsigned).txId);
  });

  it.each(ALL)('has the bytes that the wallet of another vendor gives it: $kind [I-125]', async (one) => {
    const core = await initWasm();
    const { unsigned } = staker.plan(one, 3, at);
    const input = TW.Tron.Proto.SigningInput.fromObject({
      privateKey: KEY,
      transaction: {
        timestamp: unsigned.timestamp,
        expiration: unsigned.expiration,
        blockHeader: { timestamp: 1, number: 1_234_567, version: 34 },
        ...CONTRACTS[one.kind],
      },
    });
    const output = core.AnySigner.sign(TW.Tron.Proto.SigningInput.encode(input).finish(), core.CoinType.tron);
    const { json } = TW.Tron.Proto.SigningOutput.decode(output);
    const theirs = (JSON.parse(json) as { readonly raw_data_hex: string }).raw_data_hex;
    // It names a block of its own header.
    const ours = Buffer.from(rawDataBytes(unsigned)).toString('hex');
    expect(ours.slice(PLACE_OF_TIMES)).toBe(theirs.slice(PLACE_OF_TIMES));
  });

  it.each<[field: RegExp, change: Partial<StakeMove>]>([
    [/action/, { kind: 'unstake' }],
    [/action/, { kind: 'withdraw', amount: 0n }],
    [/action/, { amount: 8_200_000_001n }],
    [/owner/, { owner: keyOfHash('c3'.repeat(20)) }],
  ])('that is another than ordered is refused: %s', (field, change) => {
    const planned = staker.plan(move(), 3, at);
    expect(() => staker.check(signTronTransaction([KEY], planned.unsigned), planned, move(change))).toThrow(field);
  });

  it('has another id with another number', () => {
    const ids = [0, 1].map((sequence) => signTronTransaction([KEY], staker.plan(move(), sequence, at).unsigned).txHash);
    expect(new Set(ids).size).toBe(2);
  });

  it('is read as a node shows it: for energy alone, and with what is on its way back of all resources', () => {
    const account = accountShape.parse({
      address: '41a1',
      balance: 5,
      frozenV2: [{ amount: 3_000_000 }, { type: 'ENERGY', amount: 7_000_000 }, { type: 'TRON_POWER' }],
      unfrozenV2: [
        { unfreeze_amount: 1_000_000, unfreeze_expire_time: 1_800_000_000_000 },
        { type: 'ENERGY', unfreeze_amount: 2_000_000, unfreeze_expire_time: 1_800_000_000_001 },
      ],
      account_resource: { delegated_frozenV2_balance_for_energy: 4_000_000 },
    });
    expect(stakeStateOf(isAccount(account) ? account : null, new Date(1_800_000_000_000))).toEqual({
      staked: 7_000_000n,
      lent: 4_000_000n,
      leaving: [{ amount: 2_000_000n, dueAt: new Date(1_800_000_000_001) }],
      due: 1_000_000n,
    });
    expect(stakeStateOf(null, new Date())).toEqual({ staked: 0n, lent: 0n, leaving: [], due: 0n });
  });
});

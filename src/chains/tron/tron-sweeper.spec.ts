import { TRON_CONDITIONS } from '../../../test/support/tron-conditions.js';
import { addressOfKey } from '../../vault/tron/tron-derivation.js';
import { signTronTransaction } from '../../vault/tron/tron-signing.js';
import { NATIVE_COIN } from '../../domain/network.js';
import type { SweepSource } from '../expiring-sweeps.js';
import { keptConditions } from './payment-conditions.js';
import { coinSweepCost, tokenSweepCost } from './sweep-fee.js';
import { keyOfHash } from './tron-address.js';
import { TronSweeper } from './tron-sweeper.js';

const KEY = Buffer.alloc(32, 7);
const OWNER = addressOfKey(KEY);
const HOT = keyOfHash('a1'.repeat(20));
const OTHER = keyOfHash('c3'.repeat(20));
const TOKEN = keyOfHash('b2'.repeat(20));
const COST_MAX = 4_000_000n;

const at = keptConditions(TRON_CONDITIONS);
const sweeper = new TronSweeper();
const target = { hotWallet: HOT, missingAccounts: [] };

const source = (token: string, amount = 5n): SweepSource => ({
  owner: OWNER,
  funds: [{ token, account: null, decimals: 6, amount, closesAccount: false }],
});
const planned = (from: SweepSource, costMax: bigint | null = COST_MAX, sequence = 0) =>
  sweeper.plan(target, [from], { strategy: 'standard', sequence, costMax }, at);

describe('a sweep of tron', () => {
  it('of a token limits its energy to what the address was funded for, less its bandwidth', () => {
    const { unsigned, costMax, sources } = planned(source(TOKEN));
    expect(unsigned).toMatchObject({ owner: OWNER, action: { kind: 'token', to: HOT, token: TOKEN, amount: 5n } });
    expect([unsigned.feeLimit, costMax, sources.length]).toEqual([COST_MAX - 720_000n, COST_MAX, 1]);
  });

  it('of coins has no limit of energy', () => {
    const { unsigned } = planned(source(NATIVE_COIN));
    expect(unsigned).toMatchObject({ owner: OWNER, action: { kind: 'coin', to: HOT, amount: 5n }, feeLimit: 0n });
  });

  it('has another id with another number', () => {
    const ids = [0, 1].map((sequence) => {
      return signTronTransaction([KEY], planned(source(TOKEN), COST_MAX, sequence).unsigned).txHash;
    });
    expect(new Set(ids).size).toBe(2);
  });

  it.each<[what: string, plan: () => unknown]>([
    ['without anything that its address pays', () => planned(source(TOKEN), null)],
    ['with too little for its bandwidth', () => planned(source(TOKEN), 720_000n)],
    ['of two tokens', () => planned({ owner: OWNER, funds: [...source(TOKEN).funds, ...source(OTHER).funds] })],
    ['of nothing', () => planned({ owner: OWNER, funds: [] })],
  ])('is not planned %s', (_what, plan) => {
    expect(plan).toThrow(RangeError);
  });

  it('is what was planned, once it is signed', () => {
    for (const from of [source(TOKEN), source(NATIVE_COIN)]) {
      const plan = planned(from);
      expect(() => sweeper.check(signTronTransaction([KEY], plan.unsigned), plan, target)).not.toThrow();
    }
  });

  it.each<[what: string, field: RegExp, change: (plan: ReturnType<typeof planned>) => ReturnType<typeof planned>]>([
    ['another amount', /amount|data|action/, (plan) => ({ ...plan, sources: [source(TOKEN, 6n)] })],
    ['another token', /token|action/, (plan) => ({ ...plan, sources: [source(OTHER)] })],
    ['another address', /owner/, (plan) => ({ ...plan, sources: [{ ...source(TOKEN), owner: OTHER }] })],
    ['more than one source', /owner/, (plan) => ({ ...plan, sources: [source(TOKEN), source(TOKEN)] })],
    ['less than its limit to pay', /costMax/, (plan) => ({ ...plan, costMax: plan.unsigned.feeLimit })],
  ])('is refused with %s', (_what, field, change) => {
    const plan = planned(source(TOKEN));
    expect(() => sweeper.check(signTronTransaction([KEY], plan.unsigned), change(plan), target)).toThrow(field);
  });

  it('is refused with another hot wallet', () => {
    const plan = planned(source(TOKEN));
    const elsewhere = { ...target, hotWallet: OTHER };
    expect(() => sweeper.check(signTronTransaction([KEY], plan.unsigned), plan, elsewhere)).toThrow(/action/);
  });
});

describe('what a sweep of tron costs its address', () => {
  it.each([
    [
      'a token: its energy and a fifth, and twice its bandwidth',
      tokenSweepCost(30_000n, TRON_CONDITIONS),
      4_320_000n,
      3_360_000n,
    ],
    ['coins without free bandwidth', coinSweepCost(284n, TRON_CONDITIONS), 570_000n, 285_000n],
    ['coins with enough of it', coinSweepCost(285n, TRON_CONDITIONS), 570_000n, 0n],
  ])('for %s', (_what, cost, most, now) => {
    expect(cost).toEqual({ most, now });
  });

  it('is never above the limit that the vault knows', () => {
    const { most } = tokenSweepCost(131_000n, TRON_CONDITIONS);
    expect(sweeper.highestCost(at)).toBeGreaterThan(most);
    expect(sweeper.expectedCost(at)).toBeLessThan(sweeper.highestCost(at));
  });
});

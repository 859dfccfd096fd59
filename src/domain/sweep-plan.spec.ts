import { coveringNeeds, SWEEP_ITEMS_MAX, type SweepCandidate, valueInCoin, worthSweeping } from './sweep-plan.js';
import { NATIVE_COIN } from './network.js';

const USDC = `0x${'a1'.repeat(20)}`;
const USDT = `0x${'a2'.repeat(20)}`;
const GWEI = 10n ** 9n;
/** The fee of an item with its authorization, at 10 gwei, and of the batch. */
const ITEM_FEE = 550_000n * GWEI;
const BATCH_FEE = 400_000n * GWEI;
const TERMS = { feePerGas: 10n * GWEI, shareBps: 100, itemsMax: SWEEP_ITEMS_MAX, gasMax: 2n ** 24n, roomWei: null };
/** The gas of a sweep of so many new addresses of one token. */
const gasFor = (items: number): bigint => 101_000n + 65_000n * BigInt(items);

let made = 0;
const holding = (valueWei: bigint | null, more: Partial<SweepCandidate> = {}): SweepCandidate => ({
  addressId: String((made += 1)),
  addressKey: `0x${String(made).padStart(40, '0')}`,
  token: USDC,
  units: valueWei ?? 1n,
  valueWei,
  isDelegated: false,
  isOpen: false,
  ...more,
});

describe('what is worth a sweep', () => {
  it('costs at most the share of its value, the batch around it included', () => {
    const enough = holding(100n * (ITEM_FEE + BATCH_FEE));
    expect(worthSweeping([enough], TERMS)).toEqual([enough]);
    expect(worthSweeping([holding(100n * (ITEM_FEE + BATCH_FEE) - 1n)], TERMS)).toEqual([]);
  });

  it('is shared: many items pay for the batch that one could not pay for, and each pays for itself', () => {
    const small = Array.from({ length: 50 }, () => holding(100n * (ITEM_FEE + BATCH_FEE / 50n)));
    const dust = holding(100n * ITEM_FEE - 1n);
    expect(worthSweeping([dust, ...small], TERMS)).toEqual(small);
    expect(worthSweeping(small.slice(0, 49), TERMS)).toEqual([]);
  });

  it('costs less if the address delegates already, and is nothing without a price', () => {
    const delegated = holding(100n * (300_000n * GWEI + BATCH_FEE), { isDelegated: true });
    expect(worthSweeping([delegated, holding(null)], TERMS)).toEqual([delegated]);
  });

  it('is the most valuable when there is more than one transaction takes', () => {
    const rich = Array.from({ length: SWEEP_ITEMS_MAX + 5 }, (_, n) => holding(10n ** 20n + BigInt(n)));
    expect(worthSweeping(rich, TERMS)).toEqual(rich.slice(5).toReversed());
  });

  it('is what there is room for, the most valuable first', () => {
    const [half, third, rest] = [50n, 30n, 20n].map((share) => holding(share * 10n ** 18n));
    const all = [half, third, rest].filter((item) => item !== undefined);
    const within = (coins: bigint) => worthSweeping(all, { ...TERMS, roomWei: coins * 10n ** 18n });
    expect(within(100n)).toEqual(all);
    expect(within(79n)).toEqual([half, rest]);
    expect(within(0n)).toEqual([]);
    expect(within(-1n)).toEqual([]);
  });
});

describe('what covers a need', () => {
  it('is the largest balances of the token, until it is covered, whatever their share', () => {
    const cents = [1n, 5n, 3n].map((units) => holding(ITEM_FEE + BATCH_FEE, { units }));
    const other = holding(ITEM_FEE, { token: USDT, units: 100n });
    expect(coveringNeeds([...cents, other], new Map([[USDC, 6n]]), TERMS)).toEqual([cents[1], cents[2]]);
  });

  it('is everything when that is not enough, but nothing that costs more than it brings', () => {
    const held = [holding(ITEM_FEE + BATCH_FEE, { units: 2n }), holding(ITEM_FEE, { units: 1n })];
    const dust = holding(ITEM_FEE - 1n, { units: 9n });
    expect(coveringNeeds([dust, ...held], new Map([[USDC, 100n]]), TERMS)).toEqual(held);
  });

  it('is nothing that costs more together with the batch around it', () => {
    const held = holding(ITEM_FEE + BATCH_FEE - 1n);
    expect(coveringNeeds([held], new Map([[USDC, 100n]]), TERMS)).toEqual([]);
  });

  it('has no item of unknown value, unless it covers the need alone', () => {
    const [small, large] = [holding(null, { units: 99n }), holding(null, { units: 100n })];
    expect(coveringNeeds([small], new Map([[USDC, 100n]]), TERMS)).toEqual([]);
    expect(coveringNeeds([small, large], new Map([[USDC, 100n]]), TERMS)).toEqual([large]);
  });

  it('is taken from each token in turn, however many units the others count', () => {
    const rich = (token: string, units: bigint) => holding(10n ** 20n, { token, units });
    const held = [rich(USDT, 10n ** 18n), rich(USDT, 10n ** 17n), rich(USDC, 5n)];
    const needs = new Map([USDC, USDT].map((token) => [token, 10n ** 30n]));
    const two = { ...TERMS, itemsMax: 2 };
    expect(coveringNeeds(held, needs, two).map(({ token }) => token)).toEqual([USDT, USDC]);
  });

  it('of the coin covers the gas of its own sweep too', () => {
    const coins = (units: bigint) => holding(units, { token: NATIVE_COIN });
    const held = [coins(10n ** 18n), coins(10n ** 17n), coins(10n ** 16n)];
    const exactly = 10n ** 18n - ITEM_FEE - BATCH_FEE;
    expect(coveringNeeds(held, new Map([[NATIVE_COIN, exactly]]), TERMS)).toEqual(held.slice(0, 1));
    expect(coveringNeeds(held, new Map([[NATIVE_COIN, exactly + 1n]]), TERMS)).toEqual(held.slice(0, 2));
  });

  it('is empty when nothing is missing', () => {
    expect(coveringNeeds([holding(10n ** 20n)], new Map([[USDC, 0n]]), TERMS)).toEqual([]);
  });
});

it.each([
  { gasMax: gasFor(3) - 1n, items: 2 },
  { gasMax: gasFor(3), items: 3 },
  { gasMax: 0n, items: 1 },
])('a gas limit of $gasMax holds $items items, one at the least', ({ gasMax, items }) => {
  const held = Array.from({ length: 5 }, (_, n) => holding(10n ** 20n - BigInt(n)));
  const terms = { ...TERMS, gasMax };
  expect(worthSweeping(held, terms)).toEqual(held.slice(0, items));
  expect(coveringNeeds(held, new Map([[USDC, 10n ** 30n]]), terms)).toEqual(held.slice(0, items));
});

it('a value is in smallest units of the coin, rounded down, and null without prices', () => {
  const usdc = { decimals: 6, price: '1' };
  expect(valueInCoin(25_000_000n, usdc, { decimals: 18, price: '2500' })).toBe(10n ** 16n);
  expect(valueInCoin(1n, usdc, { decimals: 18, price: '3' })).toBe(333_333_333_333n);
  expect(valueInCoin(25_000_000n, usdc, { decimals: 9, price: '150' })).toBe(166_666_666n);
  expect(valueInCoin(25_000_000n, usdc, { decimals: 6, price: '0.25' })).toBe(100_000_000n);
  expect(valueInCoin(1n, { decimals: 6, price: 'free' }, { decimals: 18, price: '3' })).toBeNull();
});

import {
  affordableItems,
  coveringNeeds,
  SWEEP_ITEMS_MAX,
  type SweepCandidate,
  valueInWei,
  worthSweeping,
} from './sweep-plan.js';

const USDC = `0x${'a1'.repeat(20)}`;
const USDT = `0x${'a2'.repeat(20)}`;
const GWEI = 10n ** 9n;
/** Of an item with its authorization, at 10 gwei; and of the batch around it. */
const ITEM_FEE = 480_000n * GWEI;
const BATCH_FEE = 400_000n * GWEI;
const TERMS = { feePerGas: 10n * GWEI, shareBps: 100, itemsMax: SWEEP_ITEMS_MAX };

let made = 0;
const holding = (valueWei: bigint | null, more: Partial<SweepCandidate> = {}): SweepCandidate => ({
  addressId: String((made += 1)),
  addressKey: `0x${String(made).padStart(40, '0')}`,
  token: USDC,
  units: valueWei ?? 1n,
  valueWei,
  isDelegated: false,
  ...more,
});

describe('what is worth a sweep', () => {
  it('costs at most the share of its value, the batch around it included', () => {
    const enough = holding(100n * (ITEM_FEE + BATCH_FEE));
    expect(worthSweeping([enough], TERMS)).toEqual([enough]);
    expect(worthSweeping([holding(100n * (ITEM_FEE + BATCH_FEE) - 1n)], TERMS)).toEqual([]);
  });

  it('is shared: many carry the batch together that none could carry alone, and each carries itself', () => {
    const small = Array.from({ length: 50 }, () => holding(100n * (ITEM_FEE + BATCH_FEE / 50n)));
    const dust = holding(100n * ITEM_FEE - 1n);
    expect(worthSweeping([dust, ...small], TERMS)).toEqual(small);
    expect(worthSweeping(small.slice(0, 49), TERMS)).toEqual([]);
  });

  it('is less where the address delegates already, and nothing where no price is known', () => {
    const delegated = holding(100n * (300_000n * GWEI + BATCH_FEE), { isDelegated: true });
    expect(worthSweeping([delegated, holding(null)], TERMS)).toEqual([delegated]);
  });

  it('is the most valuable when there is more than one transaction takes', () => {
    const rich = Array.from({ length: SWEEP_ITEMS_MAX + 5 }, (_, n) => holding(10n ** 20n + BigInt(n)));
    expect(worthSweeping(rich, TERMS)).toEqual(rich.slice(5).toReversed());
  });
});

describe('what covers a need', () => {
  it('is the largest balances of the token, until it is covered, whatever their share', () => {
    const cents = [1n, 5n, 3n].map((units) => holding(ITEM_FEE, { units }));
    const other = holding(ITEM_FEE, { token: USDT, units: 100n });
    expect(coveringNeeds([...cents, other], new Map([[USDC, 6n]]), TERMS)).toEqual([cents[1], cents[2]]);
  });

  it('is everything when that is not enough, but nothing that costs more than it brings', () => {
    const held = [holding(ITEM_FEE, { units: 2n }), holding(null, { units: 1n })];
    const dust = holding(ITEM_FEE - 1n, { units: 9n });
    expect(coveringNeeds([dust, ...held], new Map([[USDC, 100n]]), TERMS)).toEqual(held);
  });

  it('is nothing where nothing is missing', () => {
    expect(coveringNeeds([holding(10n ** 20n)], new Map([[USDC, 0n]]), TERMS)).toEqual([]);
  });
});

it.each([
  [0n, 1],
  [2n * (321_000n + 2n * 65_000n) - 2n, 1],
  [2n * (321_000n + 2n * 65_000n), 2],
  [10n ** 18n, SWEEP_ITEMS_MAX],
])('coins of %d wei pay at 1 wei for %d items, with as much left for withdrawals', (coins, items) => {
  expect(affordableItems(coins, 1n)).toBe(items);
});

it('a value is told in wei of the coin, rounded down, and not without prices', () => {
  expect(valueInWei(25_000_000n, 6, { token: '1', coin: '2500' })).toBe(10n ** 16n);
  expect(valueInWei(1n, 6, { token: '1', coin: '3' })).toBe(333_333_333_333n);
  expect(valueInWei(1n, 6, { token: 'free', coin: '3' })).toBeNull();
});

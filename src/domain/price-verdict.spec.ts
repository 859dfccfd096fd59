import * as fc from 'fast-check';
import { formatUnits } from './money.js';
import { fixedVerdict, isOffPeg, judgePrice, type PriceVerdict, priceRuleOf, type Reading } from './price-verdict.js';
import { parsePrice } from './quote.js';

const NOW = Date.parse('2026-01-31T12:00:00.000Z');
const MINUTE = 60_000;

const said = (source: string, value: string, ageMs = 1_000, maxAgeMs = MINUTE): Reading => ({
  source,
  value,
  observedAtMs: NOW - ageMs,
  maxAgeMs,
});

/** A verdict on ETH, or another token, by the readings of sources a, b, c... */
function judge(values: readonly (string | Reading)[], token = 'ETH', reference: Reading | null = null): PriceVerdict {
  const readings = values.map((value, index) =>
    typeof value === 'string' ? said(String.fromCharCode(97 + index), value) : value,
  );
  return judgePrice({ rule: priceRuleOf(token), readings, reference, nowMs: NOW });
}

const reasons = ({ sources }: PriceVerdict) =>
  Object.fromEntries(sources.map(({ source, used, reason }) => [source, used ? 'used' : reason]));

describe('the price of a coin', () => {
  it.each([
    [['3000', '3001', '3002'], '3001'],
    [['3000', '3001', '3002', '3003'], '3001.5'],
    [['2999.5', '3000', '3030.1'], '2999.75'],
  ])('[E-58] by %j is the median of those that agree: %s', (values, price) => {
    expect(judge(values)).toMatchObject({ price, code: 'agreed', quorum: 3 });
  });

  it.each<[what: string, liar: string | Reading, reason: string]>([
    ['reports ten times as much', '30000', 'outlier'],
    ['says 1.1 % more', '3033.5', 'outlier'],
    ['reports zero', '0', 'not_a_price'],
    ['says 0.000', '0.000', 'not_a_price'],
    ['reports a negative price', '-3000', 'not_a_price'],
    ['says NaN', 'NaN', 'not_a_price'],
    ['says null', 'null', 'not_a_price'],
    ['says infinity', 'Infinity', 'not_a_price'],
    ['says 3e3', '3e3', 'not_a_price'],
    ['says 3,000', '3,000', 'not_a_price'],
    ['says nothing', '', 'not_a_price'],
    ['reports more than any coin is worth', '1000000000000', 'not_a_price'],
    ['reports a price of two hours ago', said('d', '3000', 7_200_000), 'stale'],
    ['reports a price of 60.001 seconds ago', said('d', '3000', 60_001), 'stale'],
    ['reports a price of the future', said('d', '3000', -60_000), 'ahead_of_time'],
    ['does not answer', { source: 'd', silence: 'no_answer' }, 'no_answer'],
    ['limits our requests', { source: 'd', silence: 'rate_limited' }, 'rate_limited'],
  ])('[E-58] is unchanged when the fourth source %s', (_what, liar, reason) => {
    const verdict = judge(['3000', '3001', '3002', liar]);
    expect(verdict).toMatchObject({ price: '3001', code: 'agreed', usedSources: 3 });
    expect(reasons(verdict)).toEqual({ a: 'used', b: 'used', c: 'used', d: reason });
  });

  it.each<[what: string, values: (string | Reading)[], code: string]>([
    ['there are no sources', [], 'too_few_sources'],
    ['two sources agree and there is no third', ['3000', '3000'], 'too_few_sources'],
    ['one of three is stale', ['3000', '3001', said('c', '3001', 61_000)], 'too_few_sources'],
    ['one of three reports zero', ['3000', '3001', '0'], 'too_few_sources'],
    ['three sources report three prices', ['2900', '3000', '3100'], 'no_agreement'],
    ['two of four are far from the others', ['3000', '3001', '3300', '3301'], 'no_agreement'],
    ['two of four are wrong together', ['3000', '3001', '2700', '3300'], 'no_agreement'],
  ])('[E-58] is none when %s', (_what, values, code) => {
    expect(judge(values)).toMatchObject({ price: null, code, usedSources: 0 });
  });

  it('keeps the price of a source for its own maximum age', () => {
    const slow = said('d', '3001', 110_000, 120_000);
    expect(reasons(judge(['3000', '3001', slow]))).toEqual({ a: 'used', b: 'used', d: 'used' });
  });

  it('accepts a clock that runs 5 s ahead, as age zero', () => {
    const verdict = judge(['3000', '3001', said('c', '3002', -5_000)]);
    expect(verdict.sources[2]).toMatchObject({ used: true, ageSeconds: 0 });
  });
});

describe('the price of a stablecoin', () => {
  it.each([
    [['0.9998', '0.9999'], '0.99985'],
    [['0.996', '1'], '0.998'],
    [['0.95', '0.951', '0.952'], '0.951'],
    [['0.9998', '0.9999', '1.9'], '0.99985'],
  ])('[E-58] by %j is %s: two of its few books are enough, and it need not be 1', (values, price) => {
    expect(judge(values, 'USDC')).toMatchObject({ price, code: 'agreed', quorum: 2 });
  });

  it.each<[what: string, values: string[], code: string]>([
    ['one book is all there is', ['1'], 'too_few_sources'],
    ['two books are half a percent apart', ['0.9949', '1'], 'no_agreement'],
  ])('[E-58] is none when %s', (_what, values, code) => {
    expect(judge(values, 'USDT')).toMatchObject({ price: null, code });
  });

  it.each([
    ['USDC', '0.99', false],
    ['USDC', '1.01', false],
    ['USDT', '0.989999999999999999', true],
    ['USDT', '1.010000000000000001', true],
    ['ETH', '3000', false],
  ])('%s at %s is off its peg: %s', (token, price, isOff) => {
    expect(isOffPeg(token, price)).toBe(isOff);
  });
});

describe('a reference', () => {
  const HOUR = 3_600_000;
  const reference = (value: string, ageMs = HOUR / 2): Reading => said('chainlink', value, ageMs, HOUR);

  it.each<[what: string, token: string, reading: Reading, code: string, reason: string]>([
    ['agrees', 'ETH', reference('3000'), 'agreed', 'reference'],
    ['is 2 % away', 'ETH', reference('3060'), 'agreed', 'reference'],
    ['is more than 2 % away', 'ETH', reference('3060.000001'), 'vetoed', 'veto'],
    ['is half of it', 'ETH', reference('1500'), 'vetoed', 'veto'],
    ['is more than its heartbeat old', 'ETH', reference('1500', HOUR + 1), 'agreed', 'stale'],
    ['says nothing', 'ETH', { source: 'chainlink', silence: 'no_answer' }, 'agreed', 'no_answer'],
    ['says zero', 'ETH', reference('0'), 'agreed', 'not_a_price'],
    ['of a stablecoin is 1.1 % away', 'USDC', reference('3033'), 'vetoed', 'veto'],
  ])('[E-58] that %s: %s', (_what, token, reading, code, reason) => {
    const verdict = judge(['3000', '3000', '3000'], token, reading);
    expect(verdict.code).toBe(code);
    expect(verdict.price).toBe(code === 'agreed' ? '3000' : null);
    expect(verdict.sources.at(-1)).toMatchObject({ source: 'chainlink', used: false, reason });
  });

  it('[E-58] never makes a price: it is counted in no quorum', () => {
    expect(judge(['3000', '3000'], 'ETH', reference('3000'))).toMatchObject({
      price: null,
      code: 'too_few_sources',
      freshSources: 2,
    });
  });
});

it('reports the price, the age, the deviation and the use of every source', () => {
  expect(
    judge(['3000.10', '3002.5', said('c', '3060', 12_340), { source: 'd', silence: 'not_listed' }], 'ETH', null),
  ).toEqual({
    price: '3001.3',
    code: 'agreed',
    median: '3002.5',
    quorum: 3,
    freshSources: 3,
    usedSources: 2,
    sources: [
      {
        source: 'a',
        value: '3000.1',
        observedAt: '2026-01-31T11:59:59.000Z',
        ageSeconds: 1,
        deviationBps: -8,
        used: true,
        reason: null,
      },
      {
        source: 'b',
        value: '3002.5',
        observedAt: '2026-01-31T11:59:59.000Z',
        ageSeconds: 1,
        deviationBps: 0,
        used: true,
        reason: null,
      },
      {
        source: 'c',
        value: '3060',
        observedAt: '2026-01-31T11:59:47.660Z',
        ageSeconds: 12.4,
        deviationBps: 192,
        used: false,
        reason: 'outlier',
      },
      {
        source: 'd',
        value: null,
        observedAt: null,
        ageSeconds: null,
        deviationBps: null,
        used: false,
        reason: 'not_listed',
      },
    ],
  });
});

it('agrees with a fixed price', () => {
  expect(fixedVerdict('3000', NOW)).toMatchObject({
    price: '3000',
    code: 'fixed',
    usedSources: 1,
    sources: [{ source: 'fixed', value: '3000', ageSeconds: 0, deviationBps: 0, used: true, reason: null }],
  });
  expect(fixedVerdict(null, NOW)).toMatchObject({ price: null, code: 'too_few_sources', usedSources: 0 });
});

describe('for any readings', () => {
  const centre = fc.bigInt({ min: 10n ** 6n, max: 10n ** 29n });
  const text = (price: bigint) => formatUnits(price, 18);
  /** Prices that are at most 0.4 % apart. */
  const honest = (count: number) =>
    fc
      .tuple(centre, fc.array(fc.bigInt({ min: 0n, max: 40n }), { minLength: count, maxLength: count }))
      .map(([price, bps]) => bps.map((off) => price + (price * off) / 10_000n));
  const anything = fc.oneof(
    fc.string(),
    fc.bigInt({ min: -(10n ** 31n), max: 10n ** 31n }).map(text),
    fc.constant('0'),
  );
  const scaled = ({ price }: PriceVerdict): bigint => parsePrice(price ?? '') ?? -1n;

  it('[E-58] one wrong source among three to five cannot move the price outside the honest ones', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 4 }).chain((count) => honest(count)),
        anything,
        fc.nat(4),
        (prices, lie, place) => {
          const verdict = judge(prices.map(text).toSpliced(place % (prices.length + 1), 0, lie));
          const sorted = prices.toSorted((a, b) => (a < b ? -1 : 1));
          if (prices.length > 2) expect(verdict.code).toBe('agreed');
          if (verdict.price === null) return;
          expect(scaled(verdict)).toBeGreaterThanOrEqual(sorted.at(0) ?? 0n);
          expect(scaled(verdict)).toBeLessThanOrEqual(sorted.at(-1) ?? 0n);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('[E-58] a price is a price, lies among those it is made of, and these are more than half of the fresh ones', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            anything,
            honest(1).map(([price = 1n]) => text(price)),
          ),
          { maxLength: 6 },
        ),
        (values) => {
          const verdict = judge(values);
          const used = verdict.sources
            .filter((source) => source.used)
            .map(({ value }) => parsePrice(value ?? '') ?? -1n);
          expect(verdict.usedSources).toBe(used.length);
          if (verdict.price === null) {
            expect(used).toEqual([]);
            return;
          }
          expect(used.length * 2).toBeGreaterThan(verdict.freshSources);
          expect(verdict.freshSources).toBeGreaterThanOrEqual(verdict.quorum);
          expect(used.some((value) => value <= scaled(verdict))).toBe(true);
          expect(used.some((value) => value >= scaled(verdict))).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('[E-58] the order of the sources does not matter', () => {
    fc.assert(
      fc.property(honest(4), anything, (prices, lie) => {
        const values = [...prices.map(text), lie];
        expect(judge(values.toReversed()).price).toBe(judge(values).price);
      }),
    );
  });
});

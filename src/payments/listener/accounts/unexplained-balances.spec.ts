import { freshDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { LogLines } from '../../../../test/support/log-lines.js';
import { createLogger } from '../../../platform/logging.js';
import type { Excess } from './history-search.js';
import { UnexplainedBalances } from './unexplained-balances.js';

const REPORT = 'No transaction explains the balance of an account: nothing of it is credited.';

let db: TestDatabase;
let log: LogLines;
let nowMs: number;
let kept: { changed: string[]; explained: string[] };
let balances: UnexplainedBalances;
beforeEach(async () => {
  db = await freshDatabase();
  log = new LogLines();
  nowMs = 0;
  kept = { changed: [], explained: [] };
  const recorder = {
    keepUnexplained: async (changed: readonly { account: string }[], explained: readonly string[]) => {
      kept = { changed: changed.map(({ account }) => account), explained: [...explained] };
    },
  };
  const chain = { chainRef: 'a chain', logger: createLogger('info', { destination: log }) };
  balances = new UnexplainedBalances(db.database, recorder, chain, () => nowMs);
});
afterEach(() => db.drop());

const excess = (account: string, units: bigint): Excess => ({ account, units, asOf: 1 });

const reading = (accounts: readonly { readonly account: string }[], beganAtMs = nowMs) => ({ accounts, beganAtMs });

/** Asks the account about its excess, without an explanation. Returns whether the question was due. */
async function inVain(account: string, units: bigint): Promise<boolean> {
  const found = [excess(account, units)];
  const due = balances.due(found);
  await balances.keep(reading(found), found, due);
  return due.length > 0;
}

describe('a balance that no transaction explains', () => {
  it('is asked about at once, then ever more rarely, and at once when it changes', async () => {
    expect(await inVain('a', 5n)).toBe(true);
    expect(kept).toEqual({ changed: ['a'], explained: [] });
    const asked: number[] = [];
    for (nowMs = 100; nowMs < 20_000; nowMs += 100) if (await inVain('a', 5n)) asked.push(nowMs);
    expect(asked).toEqual([1_000, 2_000, 4_000, 8_000, 16_000]);
    expect(kept).toEqual({ changed: [], explained: [] });
    expect(await inVain('a', 6n)).toBe(true);
    expect(kept).toEqual({ changed: ['a'], explained: [] });
  });

  it('is reported once, after a minute', async () => {
    for (; nowMs <= 60_000; nowMs += 500) await inVain('a', 5n);
    expect(log.named(REPORT)).toEqual([]);
    for (; nowMs <= 600_000; nowMs += 500) await inVain('a', 5n);
    expect(log.named(REPORT)).toMatchObject([{ chainRef: 'a chain', account: 'a', units: '5' }]);
  });

  it('is forgotten when it is explained, and others stay', async () => {
    await inVain('a', 5n);
    await inVain('b', 5n);
    await balances.keep(reading([{ account: 'a' }]), [], []);
    expect(kept).toEqual({ changed: [], explained: ['a'] });
    expect(balances.due([excess('a', 5n), excess('b', 5n)])).toEqual([excess('a', 5n)]);
  });

  it('is not forgotten for a reading that began before it was found, and was compared only after that', async () => {
    const beganAtMs = nowMs;
    nowMs = 100;
    await inVain('a', 5n);
    await balances.keep(reading([{ account: 'a' }], beganAtMs), [], []);
    expect(kept).toEqual({ changed: [], explained: [] });
    // Found again, it is not older either.
    nowMs = 200;
    await balances.keep(reading([{ account: 'a' }]), [excess('a', 5n)], []);
    await balances.keep(reading([{ account: 'a' }], 150), [], []);
    expect(kept).toEqual({ changed: [], explained: [] });
    await balances.keep(reading([{ account: 'a' }]), [], []);
    expect(kept).toEqual({ changed: [], explained: ['a'] });
  });

  it('is asked about again at once after a deposit of its account was orphaned', async () => {
    await inVain('a', 5n);
    balances.suspect(['a']);
    expect(balances.due([excess('a', 5n)])).toHaveLength(1);
    await balances.keep(reading([{ account: 'a' }]), [], []);
    expect(kept.explained).toEqual(['a']);
  });
});

import type { CheckedRule } from '../../src/auditor/books-verification.js';
import { contentHashOf } from '../../src/domain/posting.js';
import { type Tx } from '../../src/platform/database/database.js';
import { expectBooksInOrder } from '../support/books.js';
import { runCommand } from '../support/cli-run.js';
import { eventually } from '../support/eventually.js';
import { query } from '../support/sql.js';
import type { World } from '../support/world.js';
import { type PaidIds, startPaidWorld } from './paid-world.js';
import { CONTRADICTIONS, type Contradiction } from './tampered/chains.js';
import { TAMPERED_HOT_WALLETS } from './tampered/hot-wallets.js';
import { TAMPERED_LEDGER } from './tampered/ledger.js';
import { TAMPERED_ORDERS } from './tampered/orders.js';
import { TAMPERED_PAYOUTS } from './tampered/payouts.js';
import { brokenBy, expectNamed, rowOf } from './tampering.js';

let world: World;
let ids: PaidIds;

beforeAll(async () => {
  ({ world, ids } = await startPaidWorld());
}, 120_000);
afterAll(() => world.stop());

/** Runs `npx coffer verify` beside the running service. */
const verify = () => runCommand(['verify'], { DATABASE_URL: world.databaseUrl, DATA_DIR: world.dataDir });

const broken = (change: (tx: Tx) => Promise<unknown>): Promise<readonly CheckedRule[]> => brokenBy(world.owner, change);

it('untouched books hold, by every rule [H-107]', async () => {
  await expectBooksInOrder(world.database);
  // The funds of the hot wallet are booked some time after their block is final; until then they are not compared.
  const { code, out, err } = await eventually(verify, (run) => !run.out.includes('NOT ASKED') || run.code !== 0);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).not.toContain('BROKEN');
  expect(out.match(/^ok +sandbox\/polygon: /gm)).toHaveLength(5);
  expect(out).toMatch(
    /\nThe books hold\. Note the head of the hash chain elsewhere: \d+:[0-9a-f]{64}\nThe audit log holds too\. .+: \d+:[0-9a-f]{64}\n$/,
  );
});

/** Returns the entry of the deposit, with its number in the hash chain and its two postings. */
async function creditOf(tx: Tx) {
  const [entry] = await query<{ id: string; sequence: string; reference: string; kind: string }>(
    tx,
    `select entry.*, sequence from entry join ledger_seal on entry_id = entry.id where reference = $1`,
    [`deposit:${ids.deposit}`],
  );
  if (entry === undefined) throw new Error('The deposit is not booked.');
  return entry;
}

describe('the hash chain reports', () => {
  it.each([
    [
      'an amount that was changed on one leg',
      `update posting set amount = amount + 1 where entry_id = $1 and amount > 0`,
    ],
    ['amounts that were changed and balance', `update posting set amount = amount * 2 where entry_id = $1`],
    ['an amount that is not a number', `update posting set amount = 'NaN' where entry_id = $1`],
    ['a posting that was deleted', `delete from posting where entry_id = $1 and amount > 0`],
    ['an entry with the reference of another fact', `update entry set reference = 'deposit:other' where id = $1`],
    ['an entry of another kind', `update entry set kind = 'withdrawal_refund' where id = $1`],
    ['an entry that was deleted', `delete from entry where id = $1`],
  ])('%s', async (_name, statement) => {
    const [row, rules] = await tampered(statement);
    expect(rowOf(rules, 'seals_hold')).toBe(row);
  });

  async function tampered(statement: string): Promise<[row: string, rules: readonly CheckedRule[]]> {
    let row = '';
    const rules = await broken(async (tx) => {
      const { id } = await creditOf(tx);
      row = `entry ${id}`;
      await query(tx, statement, [id]);
    });
    return [row, rules];
  }

  it('an entry that was changed with its content hash', async () => {
    let row = '';
    const rules = await broken(async (tx) => {
      const { id, reference, kind } = await creditOf(tx);
      row = `entry ${id}`;
      const legs = await query<{ account_id: string; asset: `polygon:${string}`; amount: string }>(
        tx,
        `update posting set amount = amount * 2 where entry_id = $1 returning account_id, asset, amount`,
        [id],
      );
      const posted = legs.map((leg) => ({ ...leg, accountId: Number(leg.account_id), amount: BigInt(leg.amount) }));
      const hash = contentHashOf({ reference, kind, legs: posted });
      await query(tx, `update entry set content_hash = $2 where id = $1`, [id, hash]);
    });
    expect(rules.find(({ name }) => name === 'seals_hold')?.finding).toEqual({
      row,
      says: 'was changed after it was sealed',
    });
  });

  it.each([
    ['an entry whose time was changed', `update entry set created_at = created_at - interval '1 day' where id = $1`],
    ['a seal that was rewritten', `update ledger_seal set hash = repeat('a', 64) where entry_id = $1`],
    ['a seal that was deleted', `delete from ledger_seal where entry_id = $1`],
  ])('%s', async (_name, statement) => {
    let row = '';
    const rules = await broken(async (tx) => {
      const { id, sequence } = await creditOf(tx);
      row = `ledger_seal ${sequence}`;
      await query(tx, statement, [id]);
    });
    expect(rowOf(rules, 'seals_hold')).toBe(row);
  });

  it('an entry that lost its seal at the end of the chain', async () => {
    let row = '';
    const rules = await broken(async (tx) => {
      const [gone] = await query<{ entry_id: string }>(
        tx,
        `delete from ledger_seal where sequence = (select max(sequence) from ledger_seal) returning entry_id`,
      );
      row = `entry ${gone?.entry_id}`;
    });
    expect(rowOf(rules, 'unsealed_entries_hold')).toBe(row);
  });

  it('an entry that the sealer skipped', async () => {
    let row = '';
    const rules = await broken(async (tx) => {
      const [passed] = await query<{ entry_id: string }>(
        tx,
        `with last as (delete from ledger_seal where sequence = (select max(sequence) from ledger_seal)
                        returning entry_id)
         insert into unsealed_entry select entry_id from last returning entry_id`,
      );
      row = `entry ${passed?.entry_id}`;
      await query(tx, `update entry set created_at = created_at - interval '11 minutes' where id = $1`, [
        passed?.entry_id ?? '',
      ]);
    });
    expect(rules.find(({ name }) => name === 'unsealed_entries_hold')?.finding).toEqual({
      row,
      says: 'was passed over when later ones were sealed',
    });
  });
});

describe('a rule of the books reports', () => {
  it.each(TAMPERED_ORDERS)('%s', async (_name, statement, id, rule, row) => {
    const rules = await broken((tx) => query(tx, statement, [ids[id]]));
    expect(rowOf(rules, rule)).toBe(row.replace('$1', ids[id]));
  });

  it.each([...TAMPERED_LEDGER, ...TAMPERED_PAYOUTS, ...TAMPERED_HOT_WALLETS])('%s', async (_name, statement, rule) => {
    await expectNamed(world.owner, statement, rule);
  });
});

it('a rule of the books reports a pocket without a balance, which no guard keeps above zero', async () => {
  let row: string | undefined;
  const rules = await broken(async (tx) => {
    await query(tx, `alter table account drop constraint account_check1`);
    const [account] = await query<{ row: string }>(
      tx,
      `update account set balance = null where id = (select min(available_account_id) from pocket)
       returning 'account ' || id as row`,
    );
    row = account?.row;
  });
  expect(rowOf(rules, 'balances_are_sums')).toBe(row);
});

describe('the chain contradicts', () => {
  it.each(CONTRADICTIONS)('$name', async ({ facts, change, back, says, saysNot }) => {
    const parameters = await factsOf(facts);
    const pattern = (text: string): RegExp =>
      new RegExp(text.replaceAll(/\$([12])/g, (_match, place: string) => parameters[Number(place) - 1] ?? ''));
    await tamper(change, parameters);
    try {
      const { code, out } = await verify();
      expect({ code, out }).toMatchObject({ code: says.length === 0 ? 0 : 1 });
      for (const text of says) expect(out).toMatch(pattern(text));
      if (saysNot !== undefined) expect(out).not.toMatch(pattern(saysNot));
    } finally {
      await tamper(back, parameters);
    }
  });

  async function factsOf(facts: Contradiction['facts']): Promise<readonly string[]> {
    if (facts === null) return [];
    const [id, statement] = facts;
    const [row] = await query<Record<string, string>>(world.database, statement, [ids[id]]);
    if (row === undefined) throw new Error(`There is no such row of ${id}.`);
    return Object.values(row);
  }

  /** Runs with all guards disabled. */
  const tamper = (statement: string, parameters: readonly string[]): Promise<unknown> =>
    world.owner.transaction(async (tx) => {
      await query(tx, `set local session_replication_role = replica`);
      await query(tx, statement, parameters);
    });
});

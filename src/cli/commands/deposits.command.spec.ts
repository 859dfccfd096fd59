import { type CliRun, runCommand } from '../../../test/support/cli-run.js';
import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import {
  aChain,
  aDeposit,
  aMerchant,
  anIntent,
  freeAddresses,
  type SeededChain,
  type SeededIntent,
} from '../../../test/support/factories.js';
import { query } from '../../../test/support/sql.js';
import { anUnattributedDeposit, aToken } from '../../../test/support/unattributed-deposits.js';

let db: TestDatabase;
let polygon: SeededChain;
let bnb: SeededChain;
let intent: SeededIntent;
/** One of each kind, the oldest first. */
const ids: string[] = [];

const coffer = (...args: string[]): Promise<CliRun> => runCommand(args, { DATABASE_URL: db.url });
const minutesAgo = (minutes: number): Date => new Date(Date.now() - minutes * 60_000);
const ago = (minutes: number) => ({ seenAt: minutesAgo(minutes), blockTime: minutesAgo(minutes) });

beforeAll(async () => {
  db = await freshDatabase();
  const { database } = db;
  const tenant = await aMerchant(database);
  polygon = await aChain(database);
  bnb = await aChain(database, { network: 'bnb', decimals: 18 });
  intent = await anIntent(database, { tenant, chain: polygon, status: 'expired' });
  const { address } = intent;
  const usdt = await aToken(database, polygon, 'USDT');
  const [free = ''] = await freeAddresses(database, 1);
  const one = 10n ** 18n;
  ids.push(
    await anUnattributedDeposit(database, { chain: bnb, address, reason: 'other_network', amount: one, ...ago(9) }),
    await anUnattributedDeposit(database, {
      chain: polygon,
      address,
      reason: 'other_token',
      contract: usdt,
      ...ago(8),
    }),
    await anUnattributedDeposit(database, { chain: polygon, address: free, reason: 'address_not_assigned', ...ago(7) }),
    await aDeposit(database, intent, { status: 'confirmed', ...ago(6) }),
    await aDeposit(database, intent, { status: 'seen', ...ago(5) }),
  );
  // What is no case for staff: paid in time, or taken back by a reorg.
  const paid = await anIntent(database, { tenant, chain: polygon });
  await aDeposit(database, paid, { status: 'confirmed' });
  await anUnattributedDeposit(database, {
    chain: polygon,
    address,
    reason: 'other_token',
    contract: usdt,
    status: 'orphaned',
  });
  await query(database, `update deposit set late = (intent_id = $1) where intent_id is not null`, [intent.id]);
});
afterAll(() => db.drop());

describe('coffer deposits mismatched', () => {
  it('counts by reason, and lists the newest first with its reason in plain words [G-95] [G-97]', async () => {
    const { code, out, err } = await coffer('deposits', 'mismatched');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const [counts = '', head = '', ...rows] = out.trimEnd().split('\n');
    expect(counts).toBe('other network: 1 · other token: 1 · address not assigned: 1 · after the end: 2');
    expect(head).toMatch(/^SEEN +CHAIN +AMOUNT +STATUS +INTENT +ADDRESS +TRANSACTION +BLOCK +REASON$/);
    for (const [index, row] of [
      /polygon +25 USDC +pending +pi_\w+ .* after the end: the intent was expired; credited once it is final$/,
      /polygon +25 USDC +confirmed +pi_\w+ .* after the end: the intent was expired; credited to the merchant's pocket$/,
      /polygon +25 USDC +confirmed +none .* address not assigned: no intent had it, and none will get it$/,
      /polygon +25 USDT +confirmed +pi_\w+ .* other token: the intent asks for USDC$/,
      /bnb +1 USDC +confirmed +pi_\w+ .* other network: the intent is to be paid on polygon$/,
    ].entries()) {
      expect(rows[index]).toMatch(row);
    }
    expect(rows).toHaveLength(ids.length);
  });

  it('prints JSON lines, and pages after a deposit until there are no more', async () => {
    const page = async (...args: string[]) => {
      const { out } = await coffer('deposits', 'mismatched', '--json', '--limit', '2', ...args);
      const [counts, ...deposits] = out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(counts).toMatchObject({ object: 'counts', other_token: 1, after_the_end: 2 });
      return deposits;
    };
    const first = await page();
    const second = await page('--after', String(first.at(-1)?.['id']));
    const third = await page('--after', String(second.at(-1)?.['id']));
    expect([...first, ...second, ...third].map(({ id }) => id)).toEqual(ids.toReversed());
    expect(await page('--after', String(third.at(-1)?.['id']))).toEqual([]);
    expect(second[1]).toMatchObject({
      reason: 'other_token',
      token: 'USDT',
      amount_decimal: '25',
      payment_intent_id: intent.id,
      merchant_id: intent.tenant.merchantId,
      blockchain_address: intent.address,
      tx_hash: expect.stringMatching(/^0x/),
    });
    expect((await coffer('deposits', 'mismatched', '--limit', '2')).err).toBe(
      `There are more: --after ${String(first.at(-1)?.['id'])}\n`,
    );
  });

  it('filters by network and environment', async () => {
    const onBnb = await coffer('deposits', 'mismatched', '--network', 'bnb');
    expect(onBnb.out).toMatch(/^other network: 1 · other token: 0 · .* after the end: 0\n/);
    expect(onBnb.out.trimEnd().split('\n')).toHaveLength(3);
    expect((await coffer('deposits', 'mismatched', '--env', 'live', '--json')).out.trimEnd().split('\n')).toHaveLength(
      1,
    );
  });

  it('refuses invalid options', async () => {
    for (const limit of ['0', '501', 'many']) {
      expect((await coffer('deposits', 'mismatched', '--limit', limit)).code).toBe(2);
    }
    expect(await coffer('deposits', 'mismatched', '--after', 'dep_unknown')).toMatchObject({
      code: 2,
      err: expect.stringContaining('coffer deposits mismatched: There is no deposit dep_unknown.'),
    });
  });
});

describe('coffer explain', () => {
  it("prints the verdict on any merchant's intent, and what to do", async () => {
    const { code, out } = await coffer('explain', intent.id);
    expect(code).toBe(0);
    expect(out).toMatch(
      new RegExp(`^Payment intent ${intent.id} is expired\\.\n\npaid_in_another_token\n  25 USDT arr`),
    );
    const codes = [...out.matchAll(/^\w+$/gm)].map(([line]) => line);
    expect(codes).toEqual(['paid_in_another_token', 'paid_on_another_network', 'paid_late', 'expired_unpaid']);
  });

  it('prints the evidence as JSON', async () => {
    const { out } = await coffer('explain', intent.id, '--json');
    expect(JSON.parse(out)).toMatchObject({ object: 'explanation', verdict: { code: 'paid_in_another_token' } });
  });

  it('refuses an id without an intent', async () => {
    expect(await coffer('explain', 'pi_unknown')).toMatchObject({
      code: 1,
      err: 'coffer explain: No such payment intent.\n',
    });
  });
});

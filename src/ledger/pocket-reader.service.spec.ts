import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { aChain, aDeposit, aMerchant, anIntent, type SeededChain } from '../../test/support/factories.js';
import { query } from '../../test/support/sql.js';
import { anUnattributedDeposit } from '../../test/support/unattributed-deposits.js';
import { NATIVE_COIN } from '../domain/network.js';
import type { Tenant } from '../domain/tenant.js';
import type { Database } from '../platform/database/database.js';
import { LedgerService } from './ledger.service.js';
import { PocketReader } from './pocket-reader.service.js';
import { PocketsService, type PocketToken } from './pockets.service.js';

let db: TestDatabase;
let database: Database;
let reader: PocketReader;
let chain: SeededChain;
let tenant: Tenant;

beforeAll(async () => {
  db = await freshDatabase();
  database = db.database;
  reader = new PocketReader(database);
  chain = await aChain(database);
});
afterAll(() => db.drop());
beforeEach(async () => {
  tenant = await aMerchant(database);
});

const POL = { symbol: 'POL', contract: NATIVE_COIN, decimals: 18, minorUnitExponent: 8 } as const;

/** Books `amount` into the tenant's pocket of USDC on polygon; `more` overrides the token. */
async function fill(reference: string, amount: bigint, more: Partial<PocketToken> = {}): Promise<void> {
  const token = { ...chain, ...more };
  await database.transaction(async (tx) => {
    const { asset, chainAccountId, availableAccountId } = await new PocketsService().depositAccounts(tx, tenant, token);
    await new LedgerService().book(tx, {
      reference: `${reference}:${tenant.merchantId}`,
      kind: 'deposit',
      environment: tenant.environment,
      legs: [
        { accountId: chainAccountId, asset, amount: -amount },
        { accountId: availableAccountId, asset, amount },
      ],
    });
  });
}

async function onlyPocket() {
  const { data } = await reader.list(tenant, { limit: 10 });
  const [pocket] = data;
  if (pocket === undefined || data.length !== 1) throw new Error('The merchant has one pocket.');
  return pocket;
}

describe('a pocket', () => {
  it('shows whole minor units, and the exact amount beside them [H-104]', async () => {
    await fill('one', 25_009_999n);
    expect(await onlyPocket()).toMatchObject({
      object: 'pocket',
      network: 'polygon',
      token: 'USDC',
      available_cents: 2500,
      available_amount: '25009999',
      pending_cents: 0,
      held_cents: 0,
      minor_unit_exponent: 2,
    });
  });

  it.each<[wei: bigint, minor: number]>([
    [10n ** 10n - 1n, 0],
    [8_333_333_333_333_334n, 833_333],
    [50n * 10n ** 18n, 5_000_000_000],
    [10n ** 27n, Number.MAX_SAFE_INTEGER],
  ])(
    "of a chain's own coin counts in its eighth digit: %s wei are %s, and no wei is lost [H-104]",
    async (wei, minor) => {
      await fill('one', wei, POL);
      expect(await onlyPocket()).toMatchObject({
        token: 'POL',
        token_decimals: 18,
        minor_unit_exponent: 8,
        available_cents: minor,
        available_amount: wei.toString(),
      });
    },
  );

  it('adds up amounts below one minor unit until they make one [H-104]', async () => {
    const shown: number[] = [];
    for (const reference of ['one', 'two', 'three']) {
      await fill(reference, 4_000_000_000n, POL);
      shown.push((await onlyPocket()).available_cents);
    }
    expect(shown).toEqual([0, 0, 1]);
    expect((await onlyPocket()).available_amount).toBe('12000000000');
  });

  it('shows deposits that are not final as pending, and to no other merchant', async () => {
    const other = tenant;
    await fill('one', 1n);
    tenant = await aMerchant(database);
    await fill('one', 1n);
    const intent = await anIntent(database, { tenant, chain });
    await aDeposit(database, intent, { amount: 7_000_000n });
    await aDeposit(database, intent, { amount: 9_000_000n, status: 'orphaned' });
    expect((await onlyPocket()).pending_cents).toBe(700);
    tenant = other;
    expect((await onlyPocket()).pending_cents).toBe(0);
  });

  it('shows pending money only in the pocket of its contract and network', async () => {
    await fill('one', 1n);
    await fill('two', 1n, { network: 'bnb' });
    const intent = await anIntent(database, { tenant, chain });
    await aDeposit(database, intent, { amount: 7_000_000n });
    const pending = async (): Promise<string[]> =>
      (await reader.list(tenant, { limit: 10 })).data
        .map(({ network, pending_cents: cents }) => `${network} ${cents}`)
        .toSorted();
    expect(await pending()).toEqual(['bnb 0', 'polygon 700']);
    await query(
      db.owner,
      `update pocket set token_contract = '0xother' where merchant_id = $1 and network = 'polygon'`,
      [tenant.merchantId],
    );
    expect(await pending()).toEqual(['bnb 0', 'polygon 0']);
  });

  it('is not found by another merchant, nor in the other environment', async () => {
    await fill('one', 1n);
    const { id } = await onlyPocket();
    expect(await reader.get(tenant, id)).toMatchObject({ id });
    for (const stranger of [await aMerchant(database), { ...tenant, environment: 'live' as const }]) {
      await expect(reader.get(stranger, id)).rejects.toMatchObject({ code: 'not_found' });
      await expect(reader.entries(stranger, id, { limit: 5 })).rejects.toMatchObject({ code: 'not_found' });
      await expect(reader.list(stranger, { limit: 5, starting_after: id })).rejects.toMatchObject({
        code: 'invalid_request',
      });
    }
  });
});

describe('the lists', () => {
  it('page through pockets without losing or repeating one', async () => {
    await fill('one', 1n);
    await fill('two', 1n, { network: 'bnb' });
    const first = await reader.list(tenant, { limit: 1 });
    expect(first).toMatchObject({ object: 'list', has_more: true });
    const second = await reader.list(tenant, { limit: 1, starting_after: first.next_cursor ?? '' });
    expect(second).toMatchObject({ has_more: false, next_cursor: null });
    expect([...second.data, ...first.data].map((pocket) => pocket.network)).toEqual(['polygon', 'bnb']);
  });

  it('page through the bookings of a pocket, newest first, with exact amounts', async () => {
    for (const [i, amount] of [1_500_000n, 2n, 300n].entries()) await fill(`fact ${i}`, amount);
    const { id } = await onlyPocket();
    const seen: string[] = [];
    let startingAfter: string | undefined;
    do {
      const page = await reader.entries(tenant, id, { limit: 2, starting_after: startingAfter });
      seen.push(...page.data.map((entry) => `${entry.amount} ${entry.amount_decimal}`));
      startingAfter = page.next_cursor ?? undefined;
    } while (startingAfter !== undefined);
    expect(seen).toEqual(['300 0.0003', '2 0.000002', '1500000 1.5']);
  });

  it('name the intent whose payment was booked, and none for other entries', async () => {
    const intent = await anIntent(database, { tenant, chain });
    const paid = await aDeposit(database, intent, { status: 'confirmed' });
    const unattributed = await anUnattributedDeposit(database, {
      chain,
      address: intent.address,
      reason: 'other_token',
    });
    for (const fact of [`deposit:${paid}`, `release:${paid}`, `resolution:${unattributed}`, 'deposit:dep_unknown']) {
      await fill(fact, 1n);
    }
    const { data } = await reader.entries(tenant, (await onlyPocket()).id, { limit: 10 });
    expect(data.map((entry) => [entry.payment_intent_id, entry.withdrawal_id])).toEqual([
      [null, null],
      [null, null],
      [intent.id, null],
      [intent.id, null],
    ]);
  });
});

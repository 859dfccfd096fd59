import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aMerchant } from '../../../test/support/factories.js';
import { query } from '../../../test/support/sql.js';
import { newId } from '../../domain/ids.js';
import type { Tenant } from '../../domain/tenant.js';
import { PolicyOperations } from './policy-operations.service.js';
import { type PocketTightening, PolicyTightening, type Tightening } from './policy-tightening.service.js';

const ADDRESS = '0x8ba1f109551bD432803012645Ac136ddd64DBA72';
const ORDER = { author: 'kim@example.com', reason: 'Unusual withdrawals.' };

let db: TestDatabase;
let policies: PolicyOperations;
let tightening: PolicyTightening;
let tenant: Tenant;
beforeAll(async () => {
  db = await freshDatabase();
  policies = new PolicyOperations(db.database);
  tightening = new PolicyTightening(policies);
});
afterAll(() => db.drop());
beforeEach(async () => {
  tenant = await aMerchant(db.database);
});

const tighten = (change: Tightening) => db.database.transaction((tx) => tightening.tighten(tx, tenant, change, ORDER));
const limit = (change: PocketTightening, of: Tenant = tenant) =>
  db.database.transaction((tx) => tightening.tightenPocket(tx, of, change, ORDER));
const disallow = () => db.database.transaction((tx) => tightening.disallow(tx, tenant, ADDRESS, ORDER));
const show = () => policies.show(tenant);
const REFUSED = { code: 'invalid_state_transition', message: expect.stringContaining('The console only tightens') };

async function aPocket(): Promise<string> {
  const { merchantId, environment } = tenant;
  const accounts = await query<{ id: string }>(
    db.database,
    `insert into account (kind, environment, asset, merchant_id, balance)
     select kind, $1, 'bnb:0xabc', $2, 0 from unnest(array['pocket_available', 'pocket_held']) kind returning id`,
    [environment, merchantId],
  );
  const id = newId('pkt_');
  await query(
    db.database,
    `insert into pocket (id, merchant_id, environment, network, token, token_contract, token_decimals,
       minor_unit_exponent, available_account_id, held_account_id)
     values ($1, $2, $3, 'bnb', 'USDC', '0xabc', 18, 2, $4, $5)`,
    [id, merchantId, environment, accounts[0]?.id ?? null, accounts[1]?.id ?? null],
  );
  return id;
}

describe('the rules of a merchant', () => {
  it('are tightened from none, and further, and refuse what does not allow less', async () => {
    await tighten({ dailyCount: 10, newDestinationHours: 24 });
    await tighten({ dailyCount: 9 });
    await tighten({ allowListOnly: true, newDestinationHours: 25 });
    const rules = { dailyCount: 9, newDestinationHours: 25, allowListOnly: true };
    expect(await show()).toMatchObject(rules);
    const looser: readonly Tightening[] = [
      { dailyCount: 9 },
      { dailyCount: 10 },
      { newDestinationHours: 25 },
      { newDestinationHours: 1 },
      { allowListOnly: true },
      // What would tighten does not carry what would loosen.
      { dailyCount: 1, newDestinationHours: 24 },
    ];
    for (const change of looser) await expect(tighten(change)).rejects.toMatchObject(REFUSED);
    await expect(tighten({})).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await show()).toMatchObject(rules);
    const audited = await db.query(
      `select actor, reason, before, after from audit_entry where action = 'policy.set' order by id desc limit 1`,
    );
    expect(audited).toEqual([
      {
        actor: ORDER.author,
        reason: ORDER.reason,
        before: { allow_list_only: 'off', new_destination_hours: '24' },
        after: { allow_list_only: 'on', new_destination_hours: '25' },
      },
    ]);
  });

  it('stay tight when two tighten at once: the looser one of them is refused or comes first', async () => {
    const outcomes = await Promise.allSettled([5, 3, 4].map((dailyCount) => tighten({ dailyCount })));
    expect(outcomes.some(({ status }) => status === 'fulfilled')).toBe(true);
    expect((await show()).dailyCount).toBe(3);
  });

  it('lose an address of the allow-list, once', async () => {
    const entry = { address: ADDRESS, isAllowed: true };
    await db.database.transaction((tx) => policies.allow(tx, tenant, entry, 'root@shell'));
    await disallow();
    expect((await show()).allowed).toEqual([]);
    await expect(disallow()).rejects.toMatchObject(REFUSED);
  });

  it('of an unknown merchant are not found', async () => {
    tenant = { merchantId: 'mer_unknown', environment: 'sandbox' };
    await expect(tighten({ dailyCount: 1 })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('the limits of a pocket', () => {
  it('are tightened from none, and further, and refuse an amount that is not less', async () => {
    const pocketId = await aPocket();
    await limit({ pocketId, daily: '1000.50', unapproved: '100' });
    await limit({ pocketId, daily: '1000.499999999999999999' });
    expect((await show()).pockets).toMatchObject([{ pocketId, daily: '1000.499999999999999999', unapproved: '100' }]);
    for (const change of [{ daily: '1000.5' }, { unapproved: '100' }, { daily: '1', unapproved: '101' }]) {
      await expect(limit({ pocketId, ...change })).rejects.toMatchObject(REFUSED);
    }
    await limit({ pocketId, unapproved: '0' });
    expect((await show()).pockets).toMatchObject([{ daily: '1000.499999999999999999', unapproved: '0' }]);
    for (const daily of ['-1', '1e3', '', '0.0000000000000000001', '1,000']) {
      await expect(limit({ pocketId, daily })).rejects.toMatchObject({ details: { param: 'daily_amount' } });
    }
    await expect(limit({ pocketId })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('of another merchant or environment are not found', async () => {
    const pocketId = await aPocket();
    for (const other of [await aMerchant(db.database), { ...tenant, environment: 'live' as const }]) {
      await expect(limit({ pocketId, daily: '1' }, other)).rejects.toMatchObject({ code: 'not_found' });
    }
  });
});

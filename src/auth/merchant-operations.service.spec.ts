import { readByPlan } from '../../test/support/query-plan.js';
import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { FLOORED_NOW, query } from '../../test/support/sql.js';
import type { Tenant } from '../domain/tenant.js';
import type { ConsoleActor } from '../platform/audit-trail.js';
import { compiled, type SqlText } from '../platform/sql/sql.js';
import { ApiKeysService } from './api-keys.service.js';
import { KeyOperations } from './key-operations.service.js';
import { keyPage, merchantPage } from './merchant-lists.sql.js';
import { MerchantOperations } from './merchant-operations.service.js';
import { MerchantsService } from './merchants.service.js';

const KIM: ConsoleActor = {
  actor: 'kim@example.com',
  address: '192.0.2.7',
  requestId: 'req_1',
  environment: 'sandbox',
  role: 'admin',
};

let db: TestDatabase;
let merchants: MerchantOperations;
let keys: KeyOperations;
beforeAll(async () => {
  db = await freshDatabase();
  merchants = new MerchantOperations(db.database, new MerchantsService());
  keys = new KeyOperations(db.database, new ApiKeysService());
});
afterAll(() => db.drop());

const create = (name: string) => db.database.transaction((tx) => merchants.create(tx, { name }, KIM));
const verify = (id: string) =>
  db.database.transaction((tx) => merchants.verify(tx, id, KIM, 'The contract is signed.'));
const aKey = ({ merchantId, environment }: Tenant, scopes: readonly string[] = ['read']) =>
  db.database.transaction((tx) => keys.createInConsole(tx, { merchantId, environment, scopes }, KIM, 'asked for'));
const revoke = (id: string, environment: Tenant['environment']) =>
  db.database.transaction((tx) => keys.revoke(tx, { id, environment }, KIM, 'lost'));
const auditOf = (subject: string) =>
  db.query<{ action: string; after: unknown }>(
    `select actor, address, request_id, environment, role, action, reason, after from audit_entry where subject = $1 order by id`,
    [subject],
  );

describe('the list of merchants', () => {
  it('has each merchant once, newest first, over its pages and by each filter', async () => {
    const made: string[] = [];
    for (const name of ['Acme', 'ACME', 'Bolt', 'Cord', 'Dash']) made.push((await create(name)).id);
    const [acme = '', other = '', bolt = ''] = made;
    await verify(bolt);
    const idsOf = async (filter = {}, after?: string) =>
      (await merchants.page('sandbox', filter, { limit: 2, after })).map(({ id }) => id);
    const newest = made.toSorted().toReversed();
    expect(await idsOf()).toEqual(newest.slice(0, 3));
    expect(await idsOf({}, newest[1])).toEqual(newest.slice(2, 5));
    expect(await idsOf({ name: 'acme' })).toEqual([acme, other].toSorted().toReversed());
    expect(await idsOf({ name: 'Acm' })).toEqual([]);
    expect(await idsOf({ verified: true })).toEqual([bolt]);
    expect(await idsOf({ verified: false, name: 'bolt' })).toEqual([]);
    await expect(idsOf({}, 'mer_unknown')).rejects.toMatchObject({ details: { param: 'starting_after' } });
  });

  it('counts the keys that work in an environment', async () => {
    const { id: merchantId } = await create('Keys');
    await verify(merchantId);
    const sandbox = { merchantId, environment: 'sandbox' } as const;
    const [, lost, over] = [await aKey(sandbox), await aKey(sandbox), await aKey(sandbox)];
    await aKey({ merchantId, environment: 'live' });
    await revoke(lost.id, 'sandbox');
    await db.query(`update api_key set expires_at = ${FLOORED_NOW} where id = $1`, [over.id]);
    expect(await merchants.get('sandbox', merchantId)).toMatchObject({ workingKeys: 1, lastUsedAt: null });
    expect(await merchants.get('live', merchantId)).toMatchObject({ workingKeys: 1 });
    const listed = await keys.page(sandbox, { limit: 10 });
    expect(listed).toHaveLength(3);
    const ended = listed.flatMap(({ id, isWorking }) => (isWorking ? [] : [id]));
    expect(new Set(ended)).toEqual(new Set([lost.id, over.id]));
    await expect(keys.page({ ...sandbox, merchantId: 'mer_unknown' }, { limit: 1 })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('and that of keys read along an index by every filter, the first page and a deep one', async () => {
    await query(
      db.owner,
      `insert into merchant (id, name, live_verified_at)
       select 'mer_' || lpad(n::text, 26, '0'), 'Shop ' || n, case when n % 100 = 0 then now() end
         from generate_series(1, 20000) n`,
    );
    await query(
      db.owner,
      `insert into api_key (id, merchant_id, environment, key_hash, last4, scopes)
       select 'key_' || lpad(n::text, 26, '0'), 'mer_' || lpad((n % 20000 + 1)::text, 26, '0'), 'sandbox', n::text, '1234', '{read}'
         from generate_series(1, 20000) n`,
    );
    await query(db.owner, `vacuum analyze merchant, api_key`);
    const after = `mer_${'10000'.padStart(26, '0')}`;
    const tenant = { merchantId: after, environment: 'sandbox' } as const;
    const filters = [
      {},
      { name: 'shop 77' },
      { verified: true },
      { verified: false },
      { name: 'Shop 5', verified: false },
    ];
    const statements: SqlText[] = [
      ...filters.flatMap((filter) => [
        merchantPage('sandbox', filter, { after: null, limit: 26 }),
        merchantPage('sandbox', filter, { after, limit: 26 }),
      ]),
      keyPage(tenant, { after: null, limit: 26 }),
    ];
    for (const statement of statements) {
      const { text, values } = compiled(statement);
      for (const mode of ['custom', 'generic'] as const) {
        const { scans, pages } = await readByPlan(mode, db.database, text, values);
        expect([text, scans.filter((scan) => scan.startsWith('Seq Scan'))]).toEqual([text, []]);
        expect([text, pages < 600]).toEqual([text, true]);
      }
    }
  });
});

describe('what staff do to merchants and keys', () => {
  it('stands in the audit with their request, and without the key', async () => {
    const { id: merchantId } = await create('Audited');
    await verify(merchantId);
    const { id, key } = await aKey({ merchantId, environment: 'live' });
    await revoke(id, 'live');
    const from = { actor: KIM.actor, address: KIM.address, request_id: 'req_1', environment: 'sandbox', role: 'admin' };
    expect(await auditOf(merchantId)).toEqual([
      { ...from, action: 'merchant.create', reason: null, after: { name: 'Audited' } },
      { ...from, action: 'merchant.verify', reason: 'The contract is signed.', after: null },
    ]);
    const after = { merchant_id: merchantId, environment: 'live', scopes: 'read', name: null, expires_at: null };
    expect(await auditOf(id)).toEqual([
      { ...from, action: 'api_key.create', reason: 'asked for', after },
      { ...from, action: 'api_key.revoke', reason: 'lost', after: null },
    ]);
    const [whole] = await db.query<{ text: string }>(`select string_agg(e::text, '') as text from audit_entry e`);
    expect(whole?.text).not.toContain(key.slice(8, -4));
  });

  it('makes no live key that can withdraw, and one for sandbox', async () => {
    const { id: merchantId } = await create('Payout');
    await verify(merchantId);
    const scopes = ['read', 'withdrawals:write'];
    await expect(aKey({ merchantId, environment: 'live' }, scopes)).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining(`npx coffer key create --merchant ${merchantId} --env live`),
    });
    expect((await aKey({ merchantId, environment: 'sandbox' }, scopes)).scopes).toEqual(scopes);
  });

  it('revokes no key of the other environment', async () => {
    const { id: merchantId } = await create('Other');
    const { id } = await aKey({ merchantId, environment: 'sandbox' });
    await expect(revoke(id, 'live')).rejects.toMatchObject({ code: 'not_found' });
    expect((await keys.page({ merchantId, environment: 'sandbox' }, { limit: 1 }))[0]).toMatchObject({
      isWorking: true,
    });
  });
});

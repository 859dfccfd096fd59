import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { aChain, aMerchant, type SeededChain } from '../../test/support/factories.js';
import { readTypedByGenericPlan } from '../../test/support/query-plan.js';
import { query } from '../../test/support/sql.js';
import { newId } from '../domain/ids.js';
import { PocketsService } from '../ledger/pockets.service.js';
import type { SqlText } from '../platform/sql/sql.js';
import { countToApprove } from './staff-steps.sql.js';
import { pageToApprove, staffWithdrawalPage } from './staff-withdrawal-page.sql.js';
import { listStaffWithdrawalsQuery } from './staff-withdrawal.schema.js';
import { StaffWithdrawals } from './staff-withdrawals.service.js';
import { WithdrawalDetailsReader } from './withdrawal-details.service.js';

const COUNT = 4_000;
const PAYEES = ['0x8ba1f109551bD432803012645Ac136ddd64DBA72', '0x00000000219ab540356cBB839Cbe05303d7705Fa'];

let db: TestDatabase;
let withdrawals: StaffWithdrawals;
let merchants: readonly string[];
let pockets: readonly string[];

async function pocketOf(merchantId: string, chain: SeededChain): Promise<string> {
  const tenant = { merchantId, environment: chain.environment };
  const { availableAccountId } = await db.database.transaction((tx) =>
    new PocketsService().depositAccounts(tx, tenant, chain),
  );
  const [pocket] = await db.query<{ id: string }>('select id from pocket where available_account_id = $1', [
    String(availableAccountId),
  ]);
  return pocket?.id ?? '';
}

/** Those of the first ten pockets need an approval, and one has it; of the last two merchants one is frozen in sandbox. */
async function waitForStaff(): Promise<void> {
  const toApprove = pockets.slice(0, 10);
  const [approved = ''] = pockets;
  const id = `(select id from withdrawal where pocket_id = $1 and status = 'broadcasting')`;
  await db.query(
    `update withdrawal set waiting_reason = 'approval_missing' where status = 'broadcasting' and pocket_id = any($1)`,
    [toApprove],
  );
  await db.query(
    `insert into audit_entry (actor, action, subject, details) values ('kim@example.com', 'withdrawal.approve', ${id}, '{}')`,
    [approved],
  );
  await db.query(
    `insert into withdrawal_approval (withdrawal_id, chain_ref, token_contract, amount, destination_key, approved_by)
     select id, chain_ref, token_contract, amount, destination_key, 'kim@example.com' from withdrawal where id = ${id}`,
    [approved],
  );
  await db.query(
    `insert into withdrawal_policy (merchant_id, environment, frozen_reason)
     select merchant_id, environment, 'a leak' from unnest($1::text[], $2::text[]) as given (merchant_id, environment)`,
    [merchants.slice(-2), ['sandbox', 'live']],
  );
}

/** 4,000 withdrawals of 8 merchants from two pockets each, several of one moment; the newest of each pocket is open. */
beforeAll(async () => {
  db = await freshDatabase();
  const { database } = db;
  withdrawals = new StaffWithdrawals(database, new WithdrawalDetailsReader(database));
  const chains = [await aChain(database), await aChain(database, { network: 'bnb', decimals: 18 })];
  const owners: string[] = [];
  const found: string[] = [];
  for (let n = 0; n < 8; n++) {
    const { merchantId } = await aMerchant(database);
    owners.push(merchantId);
    for (const chain of chains) found.push(await pocketOf(merchantId, chain));
  }
  [merchants, pockets] = [owners, found];
  await db.query(
    `insert into withdrawal (id, merchant_id, environment, pocket_id, chain_ref, network, token, token_contract,
       token_decimals, minor_unit_exponent, amount_cents, amount, network_fee_cents, fee_amount, destination,
       destination_key, fee_strategy, status, failure_code, failure_message, created_at, updated_at)
     select given.id, pocket.merchant_id, 'sandbox', pocket.id, chain.id, pocket.network, 'USDC', pocket.token_contract,
            pocket.token_decimals, 2, 100, 100, 1, 1, payee, lower(payee), 'standard', status,
            case when status = 'failed' then 'cancelled' end, case when status = 'failed' then 'Cancelled.' end,
            timestamptz '2026-01-01' + (n / 3) * interval '1 minute', now()
       from unnest($1::text[]) with ordinality as given (id, n)
       join unnest($2::text[]) with ordinality as place (pocket_id, nth) on nth = 1 + n % 16
       join pocket on pocket.id = place.pocket_id
       join chain on chain.network = pocket.network
      cross join lateral (select ($3::text[])[1 + (n / 16 % 40 = 0)::int] as payee,
                                 case when n > $4 then 'broadcasting' else 'failed' end as status) as one`,
    [Array.from({ length: COUNT }, () => newId('wd_')), found, PAYEES, COUNT - 16],
  );
  await waitForStaff();
  await query(db.owner, 'analyze');
});
afterAll(() => db.drop());

type Filter = Readonly<Record<string, string>>;

async function pages(filter: Filter): Promise<string[]> {
  const all: string[] = [];
  for (let after: string | undefined; ;) {
    const more = after === undefined ? {} : { starting_after: after };
    const page = await withdrawals.list(
      'sandbox',
      listStaffWithdrawalsQuery.parse({ ...filter, limit: '90', ...more }),
    );
    all.push(...page.slice(0, 90).map(({ withdrawal }) => withdrawal.id));
    if (page.length <= 90) return all;
    after = all.at(-1);
  }
}

const RARE = PAYEES[1] ?? '';
const NEEDS_APPROVAL = `waiting_reason = 'approval_missing' and id not in (select withdrawal_id from withdrawal_approval)`;
const FILTERS: readonly [what: string, filter: () => Filter, condition: string, values?: () => readonly string[]][] = [
  ['without a filter', () => ({}), 'true'],
  ['of a status', () => ({ status: 'broadcasting' }), `status = 'broadcasting'`],
  ['of a network', () => ({ network: 'bnb' }), `network = 'bnb'`],
  ['of a merchant', () => ({ merchant_id: merchants[1] ?? '' }), 'merchant_id = $1', () => [merchants[1] ?? '']],
  ['of a pocket', () => ({ pocket_id: pockets[3] ?? '' }), 'pocket_id = $1', () => [pockets[3] ?? '']],
  ['of a destination', () => ({ destination: RARE }), `destination = '${RARE}'`],
  ['that need an approval', () => ({ waits_for: 'approval' }), NEEDS_APPROVAL],
  [
    'that need an approval, of a network, a status and a time',
    () => ({ waits_for: 'approval', network: 'bnb', status: 'broadcasting', created_gte: '2026-01-01T12:00:00Z' }),
    `${NEEDS_APPROVAL} and network = 'bnb'`,
  ],
  [
    'of a network, a status, a destination and a time',
    () => ({ network: 'bnb', status: 'failed', destination: RARE, created_lt: '2026-01-01T12:00:00Z' }),
    `network = 'bnb' and status = 'failed' and destination = '${RARE}' and created_at < '2026-01-01T12:00:00Z'`,
  ],
];

/** Reads of the whole table of withdrawals by a statement. */
async function scansOf(statement: SqlText): Promise<readonly string[]> {
  const { scans } = await readTypedByGenericPlan(db.database, statement);
  return scans.filter((scan) => scan === 'Seq Scan on withdrawal');
}

describe('the list of withdrawals for staff', () => {
  it.each(FILTERS)(
    '%s is that of one plain query, page by page',
    async (_what, filter, condition, values = () => []) => {
      const plain = await db.query<{ id: string }>(
        `select id from withdrawal where ${condition} order by created_at desc, id desc`,
        values(),
      );
      expect(plain.length).toBeGreaterThan(2);
      expect(await pages(filter())).toEqual(plain.map(({ id }) => id));
    },
  );

  it.each(FILTERS)('%s reads withdrawals along indexes alone', async (_what, filter) => {
    const { limit: _limit, starting_after: _after, ...parsed } = listStaffWithdrawalsQuery.parse(filter());
    const page = parsed.waits_for === undefined ? staffWithdrawalPage : pageToApprove;
    expect(await scansOf(page('sandbox', parsed, { cursor: null, rows: 26 }))).toEqual([]);
  });

  it('says of each withdrawal what staff must do, and how many need an approval, along indexes alone', async () => {
    const listed = await withdrawals.list(
      'sandbox',
      listStaffWithdrawalsQuery.parse({ status: 'broadcasting', limit: '90' }),
    );
    const steps = new Map(listed.map(({ withdrawal, waitsFor }) => [withdrawal.pocketId, waitsFor]));
    expect(pockets.map((pocket) => steps.get(pocket))).toEqual([
      null,
      ...Array.from({ length: 9 }, () => 'approval'),
      ...Array.from({ length: 2 }, () => null),
      ...Array.from({ length: 2 }, () => 'unfreezing'),
      ...Array.from({ length: 2 }, () => null),
    ]);
    expect(await withdrawals.countToApprove('sandbox')).toBe(9);
    expect(await withdrawals.countToApprove('live')).toBe(0);
    expect(await scansOf(countToApprove('sandbox'))).toEqual([]);
  });

  it('refuses a cursor that is no withdrawal', async () => {
    const unknown = listStaffWithdrawalsQuery.parse({ starting_after: 'wd_unknown' });
    await expect(withdrawals.list('sandbox', unknown)).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

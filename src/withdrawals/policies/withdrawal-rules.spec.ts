import { brokenBy, rowOf } from '../../../test/auditor/tampering.js';
import { type Ordered, type OrderTraits, PayoutScene } from '../../../test/support/payout-scene.js';
import { readByGenericPlan } from '../../../test/support/query-plan.js';
import { sqlRefusalOf } from '../../../test/support/sql-refusal.js';
import { query } from '../../../test/support/sql.js';
import { checksumEvmAddress } from '../../domain/evm-address.js';
import { addressesBeginningLike } from '../../domain/look-alike.js';
import type { Tenant } from '../../domain/tenant.js';
import { compiled } from '../../platform/sql/sql.js';
import { destinationsBetween } from './similar-destinations.sql.js';
import { WithdrawalApprovals } from './withdrawal-approvals.service.js';
import { rulesOf } from './withdrawal-rules.sql.js';

const DESTINATION = `0x${'ab'.repeat(20)}`;
const STAFF = { actor: 'alice@vault-1', reason: 'confirmed by phone' };
const HOURS = 24;
/** Columns with the same values in all withdrawals of this file. */
const ALIKE = `merchant_id, environment, pocket_id, chain_ref, network, token, token_contract, token_decimals,
  minor_unit_exponent, amount_cents, amount, network_fee_cents, fee_amount, destination, fee_strategy, updated_at`;

let scene: PayoutScene;
let tenant: Tenant;

beforeAll(async () => {
  scene = await PayoutScene.open();
});
afterAll(() => scene.close());
beforeEach(async () => {
  tenant = await scene.merchant();
});

const order = (traits: OrderTraits = {}): Promise<Ordered> =>
  scene.order(tenant, { destination: DESTINATION, ...traits });
const approve = ({ id }: Ordered): Promise<unknown> =>
  scene.database.transaction((tx) => new WithdrawalApprovals().approve(tx, id, STAFF, false));

/** Has the vault sign it, and returns the reason if it waits. */
async function sign({ id }: Ordered): Promise<string | null> {
  await scene.signer.sign(scene.vault, id);
  return scene.waitsFor(id);
}

/** Writes with the triggers of the database disabled, as an attacker with its owner's role could. */
const tamper = (statement: string, parameters: readonly string[]): Promise<unknown> =>
  scene.db.owner.transaction(async (tx) => {
    await query(tx, `set local session_replication_role = replica`);
    await query(tx, statement, parameters);
  });

describe('a destination', () => {
  beforeEach(async () => {
    await scene.query(
      `insert into withdrawal_policy (merchant_id, environment, new_destination_hours) values ($1, 'sandbox', $2)`,
      [tenant.merchantId, HOURS],
    );
  });

  /** A row that names an address, created that many hours ago. */
  type Naming = (hoursAgo: number) => Promise<unknown>;
  const ordered =
    (status: 'broadcasting' | 'completed' | 'failed', traits: OrderTraits = {}): Naming =>
    async (hoursAgo) => {
      const { id } = await order({ token: 'USDT', minutesAgo: hoursAgo * 60, ...traits });
      const [code, hash, at] = status === 'failed' ? [`'cancelled'`, 'null', 'null'] : ['null', `'0xab'`, 'now()'];
      if (status === 'broadcasting') return;
      await tamper(
        `update withdrawal set status = '${status}', failure_code = ${code}, failure_message = ${code}, tx_hash = ${hash},
           completed_at = ${at} where id = $1`,
        [id],
      );
    };
  const allowed =
    (whose: () => Tenant): Naming =>
    (hoursAgo) =>
      scene.query(
        `insert into allowed_destination (merchant_id, environment, destination_key, created_at)
         values ($1, $2, $3, now() - $4 * interval '1 hour')`,
        [whose().merchantId, whose().environment, DESTINATION, hoursAgo],
      );

  it.each<[what: string, name: Naming]>([
    ['paid', ordered('completed')],
    ['paid, in other letters', ordered('completed', { destination: checksumEvmAddress(DESTINATION) })],
    ['ordered to, and still open', ordered('broadcasting')],
    ['allowed', allowed(() => tenant)],
  ])('that was %s is new until the hours have passed since, and not after [I-123]', async (_what, name) => {
    await name(HOURS - 1);
    const waiting = await order();
    expect(await sign(waiting)).toBe('new_destination');
    tenant = await scene.merchant();
    await scene.query(
      `insert into withdrawal_policy (merchant_id, environment, new_destination_hours) values ($1, 'sandbox', $2)`,
      [tenant.merchantId, HOURS],
    );
    await name(HOURS + 1);
    expect(await sign(await order())).toBeNull();
  });

  it.each<[what: string, name: Naming]>([
    ['that no row names', async () => undefined],
    ['of a withdrawal that failed: staff may have cancelled it as a theft', ordered('failed')],
    ['that was allowed in the other environment', allowed(() => ({ ...tenant, environment: 'live' }))],
    [
      'that another merchant pays',
      async (hoursAgo) => scene.order(await scene.merchant(), { destination: DESTINATION, minutesAgo: hoursAgo * 60 }),
    ],
    ['beside another that was paid', ordered('completed', { destination: `0x${'ac'.repeat(20)}` })],
  ])('%s is new [I-123]', async (_what, name) => {
    await name(10 * HOURS);
    expect(await sign(await order())).toBe('new_destination');
  });

  it('is the same on all networks [I-123]', async () => {
    const elsewhere = await scene.addChain('bnb');
    await order({ chain: elsewhere, minutesAgo: (HOURS + 1) * 60 });
    expect(await sign(await order())).toBeNull();
  });
});

describe('an approval', () => {
  let ordered: Ordered;
  beforeEach(async () => {
    ordered = await order();
    await scene.query(`insert into approval_threshold (pocket_id, amount) values ($1, 0)`, [ordered.pocketId]);
  });

  /** Inserts an approval with the terms of the withdrawal $1, except for the changed ones. */
  const forged = (change: Readonly<Record<string, string>>): string => {
    const terms = ['chain_ref', 'token_contract', 'amount', 'destination_key'].map((term) => change[term] ?? term);
    return `insert into withdrawal_approval select id, ${terms.join(', ')}, 'mallory' from withdrawal where id = $1`;
  };
  const FORGERIES = [
    ['amount', { amount: 'amount - 1' }],
    ['destination', { destination_key: `'0x${'66'.repeat(20)}'` }],
    ['token', { token_contract: `'0x${'a2'.repeat(20)}'` }],
    ['network', { chain_ref: `'live-polygon-137-00000000'` }],
  ] as const;

  it.each(FORGERIES)('of another %s does not count, however it was written [I-124]', async (_what, change) => {
    expect(await sqlRefusalOf(scene.database, forged(change), [ordered.id])).toContain('waits for no such approval');
    await tamper(forged(change), [ordered.id]);
    expect(await sign(ordered)).toBe('approval_missing');
    // An operator cannot make it valid: the writer of the row must be found first.
    await expect(approve(ordered)).rejects.toThrow('about other terms');
    expect(await sign(ordered)).toBe('approval_missing');
    const rules = await brokenBy(scene.db.owner, async () => undefined);
    expect(rowOf(rules, 'approvals_are_decided')).toMatch(/^withdrawal wd_/);
    await tamper(`delete from withdrawal_approval where withdrawal_id = $1`, [ordered.id]);
  });

  it.each([
    [
      'destination',
      { destination: `0x${'66'.repeat(20)}`, destination_key: `0x${'66'.repeat(20)}` },
      'approval_missing',
    ],
    // The books hold nothing in that token.
    ['token', { token_contract: `0x${'a2'.repeat(20)}` }, 'not_booked'],
  ])(
    'is void once the %s of the withdrawal has changed, however that happened [I-124]',
    async (_what, change, reason) => {
      await approve(ordered);
      for (const [column, value] of Object.entries(change)) {
        await tamper(`update withdrawal set ${column} = $2 where id = $1`, [ordered.id, value]);
      }
      expect(await sign(ordered)).toBe(reason);
      await tamper(`delete from withdrawal_approval where withdrawal_id = $1`, [ordered.id]);
      await tamper(`delete from audit_entry where subject = $1`, [ordered.id]);
    },
  );

  it('cannot be removed, changed, or created without an audit entry [I-124]', async () => {
    const refusal = (statement: string) => sqlRefusalOf(scene.db.owner, statement, [ordered.id]);
    expect(await refusal(forged({}))).toContain('nobody decided that withdrawal');
    await approve(ordered);
    expect(await refusal(`delete from withdrawal_approval where withdrawal_id = $1`)).toContain('append-only');
    expect(await refusal(`update withdrawal_approval set approved_by = 'bob' where withdrawal_id = $1`)).toContain(
      'append-only',
    );
    expect(await sqlRefusalOf(scene.db.owner, `truncate withdrawal_approval`)).toContain('append-only');
    expect(await sign(ordered)).toBeNull();
    const late = await order({ token: 'USDT' });
    await sign(late);
    expect(await sqlRefusalOf(scene.database, forged({}), [late.id])).toContain('waits for no such approval');
  });

  it.each([
    ['without its audit entry', `delete from audit_entry where subject = $id`],
    [
      'that was decided twice',
      `insert into audit_entry (actor, action, subject, details)
                                values ('bob', 'withdrawal.approve', $id, '{}')`,
    ],
    ['of another operator', `update withdrawal_approval set approved_by = 'bob' where withdrawal_id = $id`],
    ['of another amount', `update withdrawal_approval set amount = amount + 1 where withdrawal_id = $id`],
    ['that is missing beside its audit entry', `delete from withdrawal_approval where withdrawal_id = $id`],
  ])('%s is found by the proof of the books [H-107] [I-124]', async (_what, statement) => {
    await approve(ordered);
    expect(rowOf(await brokenBy(scene.db.owner, async () => undefined), 'approvals_are_decided')).toBeUndefined();
    const id = `'${ordered.id}'`;
    const rules = await brokenBy(scene.db.owner, (tx) => query(tx, statement.replaceAll('$id', id)));
    expect(rowOf(rules, 'approvals_are_decided')).toBe(`withdrawal ${ordered.id}`);
  });
});

it('the rules are read by indexes alone, also for a destination with many payments [I-123]', async () => {
  const { database } = scene;
  const { id } = await order();
  await query(
    database,
    `insert into withdrawal_policy (merchant_id, environment, new_destination_hours, daily_count)
     values ($1, 'sandbox', $2, 5)`,
    [tenant.merchantId, HOURS],
  );
  // As many to this destination as to all others, which have one each.
  await tamper(
    `insert into withdrawal (id, status, tx_hash, completed_at, created_at, destination_key, ${ALIKE})
     select id || n, 'completed', '0x', now(), created_at - n * interval '1 minute',
            case when n % 2 = 0 then destination_key else '0x' || md5(n::text) || '00000000' end, ${ALIKE}
       from withdrawal, generate_series(1, 4000) n where id = $1`,
    [id],
  );
  await query(scene.db.owner, `analyze withdrawal`);
  const byDestination = expect.stringMatching(/^Index .*Scan on withdrawal by withdrawal_destination$/);
  const wholeTable = expect.stringContaining('Seq Scan on withdrawal');
  const rules = compiled(rulesOf([id]));
  const verdict = await readByGenericPlan(database, rules.text, rules.values);
  const range = addressesBeginningLike('evm', `0x${'cd'.repeat(20)}`);
  const between = compiled(destinationsBetween(tenant, ...range));
  const similar = await readByGenericPlan(database, between.text, between.values);
  for (const { scans, pages } of [verdict, similar]) {
    expect(scans).toContainEqual(byDestination);
    expect(scans).not.toContainEqual(wholeTable);
    expect(pages).toBeLessThan(60);
  }
});

import { type Ordered, PayoutScene } from '../../../test/support/payout-scene.js';
import { sqlRefusalOf } from '../../../test/support/sql-refusal.js';
import { query } from '../../../test/support/sql.js';
import type { Tenant } from '../../domain/tenant.js';
import type { WaitingReason } from '../../domain/outgoing-payment.js';
import { type Tx } from '../../platform/database/database.js';
import { WithdrawalPolicies } from './withdrawal-policies.service.js';
import { Withdrawal } from '../withdrawal.entity.js';

/** The amount of each order, in smallest units. */
const AMOUNT = 25_000_000n;

let scene: PayoutScene;
let tenant: Tenant;

beforeAll(async () => {
  scene = await PayoutScene.open();
});
afterAll(() => scene.close());
beforeEach(async () => {
  tenant = await scene.merchant();
});

const ask = (
  { id }: Ordered,
  meanwhile: () => Promise<void> = () => Promise.resolve(),
): Promise<WaitingReason | null> =>
  scene.database.transaction(async (tx: Tx) => {
    const decisions = await new WithdrawalPolicies().decisions(tx, [await tx.findOneOrFail(Withdrawal, id)]);
    await meanwhile();
    return decisions.decisionOn(id);
  });

/** Marks it as signed some time ago and paid since, so that the pocket accepts the next order. */
const markSigned = ({ id }: Ordered, hoursAgo = 0): Promise<unknown> =>
  scene.db.owner.transaction(async (tx) => {
    await query(tx, `set local session_replication_role = replica`);
    await query(
      tx,
      `update withdrawal set status = 'completed', completed_at = now(), tx_hash = '0x',
              signed_at = now() - $2 * interval '1 hour' where id = $1`,
      [id, hoursAgo],
    );
  });

const allowADay = (count: number): Promise<unknown> =>
  scene.query(
    `insert into withdrawal_policy (merchant_id, environment, daily_count) values ($1, $2, $3)
     on conflict (merchant_id, environment) do update set daily_count = excluded.daily_count`,
    [tenant.merchantId, tenant.environment, count],
  );

describe('the daily count of a merchant', () => {
  it('allows exactly that many [I-124]', async () => {
    await allowADay(2);
    const verdicts: (WaitingReason | null)[] = [];
    for (let n = 0; n < 3; n++) {
      const ordered = await scene.order(tenant);
      verdicts.push(await ask(ordered));
      if (verdicts.at(-1) === null) await markSigned(ordered);
    }
    expect(verdicts).toEqual([null, null, 'over_limit']);
  });

  it('of zero allows none', async () => {
    await allowADay(0);
    expect(await ask(await scene.order(tenant))).toBe('over_limit');
  });

  it('counts withdrawals that were signed within the last 24 hours, and none from before', async () => {
    await allowADay(1);
    const earlier = await scene.order(tenant);
    await markSigned(earlier, 23);
    const ordered = await scene.order(tenant);
    expect(await ask(ordered)).toBe('over_limit');
    await markSigned(earlier, 24);
    expect(await ask(ordered)).toBeNull();
  });

  it('counts only withdrawals of the merchant', async () => {
    await allowADay(1);
    await markSigned(await scene.order(await scene.merchant()));
    expect(await ask(await scene.order(tenant))).toBeNull();
  });
});

describe('the daily amount of a pocket', () => {
  const allow = (pocketId: string, units: bigint): Promise<unknown> =>
    scene.query(
      `insert into pocket_limit (pocket_id, daily_amount) values ($1, $2)
       on conflict (pocket_id) do update set daily_amount = excluded.daily_amount`,
      [pocketId, units],
    );

  it('allows exactly its amount, including earlier withdrawals, and not one unit more [I-124]', async () => {
    const first = await scene.order(tenant);
    await allow(first.pocketId, AMOUNT - 1n);
    expect(await ask(first)).toBe('over_limit');
    await allow(first.pocketId, AMOUNT);
    expect(await ask(first)).toBeNull();
    await markSigned(first);
    const second = await scene.order(tenant);
    await allow(first.pocketId, 2n * AMOUNT - 1n);
    expect(await ask(second)).toBe('over_limit');
    await allow(first.pocketId, 2n * AMOUNT);
    expect(await ask(second)).toBeNull();
  });
});

describe('the rules of a merchant', () => {
  it('are locked until the signature commits: two signers cannot both use the last of a limit [I-124]', async () => {
    const ordered = await scene.order(tenant);
    const other = `select from withdrawal_policy where merchant_id = $1 and environment = $2 for no key update nowait`;
    const said: string[] = [];
    // The first attempt creates the row, the second one finds it.
    await ask(ordered);
    await ask(ordered, async () => {
      said.push(await sqlRefusalOf(scene.database, other, [tenant.merchantId, tenant.environment]));
    });
    expect(said).toEqual([expect.stringContaining('could not obtain lock')]);
  });
});

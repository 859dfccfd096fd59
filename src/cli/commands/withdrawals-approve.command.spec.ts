import { type CliRun, inCommand, runCommand } from '../../../test/support/cli-run.js';
import { eventually } from '../../../test/support/eventually.js';
import { type Ordered, type OrderTraits, PayoutScene } from '../../../test/support/payout-scene.js';
import { query } from '../../../test/support/sql.js';
import { withdrawalOperationsOn } from '../../../test/support/withdrawal-operations.js';
import { checksumEvmAddress } from '../../domain/evm-address.js';
import type { Tenant } from '../../domain/tenant.js';
import { SweepOperationsModule } from '../../treasury/sweeps/sweep-operations.module.js';
import { SweepOperations } from '../../treasury/sweeps/sweep-operations.service.js';
import { PayoutHealthReader } from '../../withdrawals/payouts/payout-health-reader.service.js';
import { PayoutHealthModule } from '../../withdrawals/payouts/payout-health.module.js';
import { checkPayouts } from '../doctor/doctor-payouts.js';

/** The amount of an order of the scene, in minor units. */
const PAID = 2500;
const DESTINATION = checksumEvmAddress(`0x${'7a'.repeat(20)}`);
const HOUR = 60;

let scene: PayoutScene;
let tenant: Tenant;

beforeAll(async () => {
  scene = await PayoutScene.open();
});
afterAll(() => scene.close());
beforeEach(async () => {
  await scene.query(`update withdrawal set status = 'failed', failure_code = 'cancelled', failure_message = ''
      where status = 'broadcasting' and signed_at is null`);
  tenant = await scene.merchant();
});

const coffer = (...args: string[]): Promise<CliRun> => runCommand(args, { DATABASE_URL: scene.db.url });
const approve = ({ id }: Ordered, ...more: string[]): Promise<CliRun> =>
  coffer('withdrawals', 'approve', id, '--reason', 'confirmed by phone', ...more);
const order = (traits: OrderTraits = {}): Promise<Ordered> =>
  scene.order(tenant, { destination: DESTINATION, ...traits });
const approvalAbove = ({ pocketId }: Ordered, amount: string): Promise<CliRun> =>
  coffer('policy', 'approval-above', pocketId, amount);
const newDestinationHours = (hours: string): Promise<CliRun> =>
  coffer('policy', 'set', '--merchant', tenant.merchantId, '--env', 'sandbox', '--new-destination-hours', hours);

/** Lets the vault check it. Returns why it waits then. */
async function sign({ id }: Ordered): Promise<string | null> {
  await scene.signer.sign(scene.vault, id);
  return scene.waitsFor(id);
}

async function nextNonce(): Promise<number> {
  const [wallet] = await scene.query<{ next_nonce: string }>(`select next_nonce from hot_wallet where chain_ref = $1`, [
    scene.chain.chainRef,
  ]);
  return Number(wallet?.next_nonce);
}

async function somebodyWaitsForALock(): Promise<boolean> {
  const waiting = await scene.query(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return waiting.length > 0;
}

describe('a withdrawal above the amount of its pocket', () => {
  it('waits until an operator approves it, takes no nonce meanwhile, and delays no other [I-124]', async () => {
    const ordered = await order({ minutesAgo: 5 });
    expect((await approvalAbove(ordered, String(PAID - 1))).out).toBe(
      `Largest withdrawal from pocket ${ordered.pocketId} without an approval: 24.99 USDC.\n`,
    );
    const others = [await order({ token: 'USDT' }), await scene.order(await scene.merchant())];
    const before = await nextNonce();
    await scene.signer.signWaiting(scene.vault);
    const waiting = await Promise.all([ordered, ...others].map(({ id }) => scene.waitsFor(id)));
    expect(waiting).toEqual(['approval_missing', null, null]);
    expect(await nextNonce()).toBe(before + 2);

    const { code, out, err } = await approve(ordered);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toBe(`Withdrawal ${ordered.id} is approved: 25 USDC on polygon (sandbox) to ${DESTINATION}.\n`);
    await scene.signer.signWaiting(scene.vault);
    expect(await scene.waitsFor(ordered.id)).toBeNull();
    expect(await nextNonce()).toBe(before + 3);
  });

  it('is approved once, by the operator in the audit; a second approval changes nothing [I-124]', async () => {
    const ordered = await order();
    expect((await approve(ordered)).code).toBe(0);
    const again = await approve(ordered);
    const repeated = new RegExp(`^Withdrawal ${ordered.id} is approved already, by .+@.+ at 20.+Z: 25 USDC on polygon`);
    expect(again).toMatchObject({ code: 0, err: '', out: expect.stringMatching(repeated) });
    const rows = await scene.query(
      `select action, reason, details, actor = approved_by as is_named
         from audit_entry join withdrawal_approval on withdrawal_id = subject where subject = $1`,
      [ordered.id],
    );
    const details = { money: '25 USDC on polygon (sandbox)', to: DESTINATION };
    expect(rows).toEqual([{ action: 'withdrawal.approve', reason: 'confirmed by phone', details, is_named: true }]);
    expect((await coffer('withdrawals', 'show', ordered.id)).out).toMatch(/withdrawal\.approve +confirmed by phone\n$/);
  });

  it('is checked against the limit at its signature, and an equal amount needs no approval [I-124]', async () => {
    const ordered = await order();
    await approvalAbove(ordered, '0');
    expect(await sign(ordered)).toBe('approval_missing');
    await approvalAbove(ordered, String(PAID));
    const policy = await coffer('policy', 'show', '--merchant', tenant.merchantId, '--env', 'sandbox');
    expect(policy.out).toMatch(/above 25 USDC on polygon only with an approval\n/);
    await approvalAbove(ordered, String(PAID - 1));
    expect(await sign(ordered)).toBe('approval_missing');
    await approvalAbove(ordered, String(PAID));
    expect(await sign(ordered)).toBeNull();

    const other = await order({ token: 'USDT' });
    await approvalAbove(other, '0');
    expect(await sign(other)).toBe('approval_missing');
    expect((await approvalAbove(other, 'off')).out).toMatch(/without an approval: off\.\n$/);
    expect(await sign(other)).toBeNull();
  });

  it('is not approved if its row shows another destination than the vault would pay [I-124]', async () => {
    const ordered = await order({ destination: checksumEvmAddress(`0x${'7c'.repeat(20)}`) });
    await scene.db.owner.transaction(async (tx) => {
      await query(tx, `set local session_replication_role = replica`);
      await query(tx, `update withdrawal set destination = $2 where id = $1`, [ordered.id, DESTINATION]);
    });
    expect(await approve(ordered)).toMatchObject({
      code: 1,
      err: expect.stringContaining(`It shows ${DESTINATION} and would pay 0x7c7c`),
    });
  });

  it('is held by every other rule, approved or not [I-124]', async () => {
    const ordered = await order();
    await approvalAbove(ordered, '0');
    await coffer('policy', 'pocket-limit', ordered.pocketId, String(PAID - 1));
    expect(await sign(ordered)).toBe('approval_missing');
    expect((await approve(ordered)).code).toBe(0);
    expect(await sign(ordered)).toBe('over_limit');
    await coffer('policy', 'pocket-limit', ordered.pocketId, 'off');
    expect(await sign(ordered)).toBeNull();
  });

  it('is counted and reported, is never overdue, and has its 10 minutes once it is approved [I-124]', async () => {
    const ordered = await order({ minutesAgo: 5 * HOUR });
    await approvalAbove(ordered, '0');
    await sign(ordered);
    const listed = await coffer('withdrawals', 'waiting');
    expect(listed).toMatchObject({
      code: 0,
      out: expect.stringMatching(`${ordered.id} .* The amount needs approval`),
    });
    const needs = { modules: [PayoutHealthModule, SweepOperationsModule] };
    const findings = () =>
      inCommand({ DATABASE_URL: scene.db.url }, needs, async ({ get }) => {
        const found = await checkPayouts(get(PayoutHealthReader), get(SweepOperations));
        return found.map(({ detail }) => detail);
      });
    expect(await findings()).toContain('1 wait for an approval, the oldest for 5 h');
    expect(await findings()).not.toContainEqual(expect.stringContaining('has been waiting'));

    await scene.hold(0n, 10n ** 21n);
    await approve(ordered);
    expect(await sign(ordered)).toBe('coins_missing');
    expect((await coffer('withdrawals', 'waiting')).code).toBe(0);
    expect(await findings()).not.toContainEqual(expect.stringMatching('approval|has been waiting'));
    await scene.query(`update withdrawal set released_at = now() - interval '11 minutes' where id = $1`, [ordered.id]);
    expect((await coffer('withdrawals', 'waiting')).code).toBe(1);
    await scene.hold(10n ** 12n, 10n ** 21n);
    expect(await sign(ordered)).toBeNull();
  });

  it('cannot be approved once it is signed or cancelled, nor while it is being cancelled [I-124]', async () => {
    const signed = await order();
    await sign(signed);
    expect(await approve(signed)).toMatchObject({ code: 1, err: expect.stringContaining('signed already') });

    const cancelled = await order({ token: 'USDT' });
    await scene.countOnChain();
    let meanwhile: Promise<CliRun> | undefined;
    await scene.database.transaction(async (tx) => {
      await withdrawalOperationsOn(scene.database).cancel(
        tx,
        cancelled.id,
        { actor: 'spec', reason: 'not theirs' },
        [],
      );
      let isOver = false;
      meanwhile = approve(cancelled).finally(() => {
        isOver = true;
      });
      await eventually(async () => isOver || (await somebodyWaitsForALock()));
    });
    const refused = { code: 1, err: expect.stringContaining('The withdrawal is already failed.') };
    expect(await meanwhile).toMatchObject(refused);
    expect(await approve(cancelled)).toMatchObject(refused);
    expect(await coffer('withdrawals', 'approve', 'wd_unknown', '--reason', 'x')).toMatchObject({
      code: 1,
      err: 'coffer withdrawals approve: No such withdrawal.\n',
    });
    expect(await coffer('withdrawals', 'approve', signed.id)).toMatchObject({ code: 2 });
    expect(
      await scene.query(`select from withdrawal_approval where withdrawal_id = any($1)`, [[signed.id, cancelled.id]]),
    ).toEqual([]);
  });
});

describe('a withdrawal to a new destination', () => {
  it('waits for the hours of the rule, shows until when, and is signed earlier once it is approved [I-123]', async () => {
    await newDestinationHours('24');
    const [ordered, aged] = [await order({ minutesAgo: HOUR }), await order({ token: 'USDT', minutesAgo: 25 * HOUR })];
    // Both pay the same address, which is not new since the older one.
    expect([await sign(ordered), await sign(aged)]).toEqual([null, null]);

    tenant = await scene.merchant();
    expect((await newDestinationHours('24')).out).toMatch(/New destinations +wait for 24 hours\n/);
    const fresh = await order({ minutesAgo: HOUR });
    expect(await sign(fresh)).toBe('new_destination');
    const [{ created_at: at } = { created_at: '' }] = await scene.query<{ created_at: string }>(
      `select created_at from withdrawal where id = $1`,
      [fresh.id],
    );
    const until = new Date(new Date(at).getTime() + 24 * 3_600_000).toISOString();
    const reason = `unless it is approved. Until ${until}.`;
    expect((await coffer('withdrawals', 'show', fresh.id)).out).toContain(reason);
    expect(await coffer('withdrawals', 'waiting')).toMatchObject({ code: 0, out: expect.stringContaining(reason) });
    expect((await approve(fresh)).code).toBe(0);
    expect(await sign(fresh)).toBeNull();
  });

  it('is signed once the rule is shorter, or off [I-123]', async () => {
    await newDestinationHours('3');
    const [one, other] = [
      await order({ minutesAgo: 2 * HOUR }),
      await order({ token: 'USDT', destination: `0x${'6b'.repeat(20)}` }),
    ];
    expect([await sign(one), await sign(other)]).toEqual(['new_destination', 'new_destination']);
    await newDestinationHours('2');
    expect([await sign(one), await sign(other)]).toEqual([null, 'new_destination']);
    expect((await newDestinationHours('off')).out).toMatch(/New destinations +are paid at once\n/);
    expect(await sign(other)).toBeNull();
    for (const wrong of ['0', '8761', '1.5', 'on']) expect((await newDestinationHours(wrong)).code).toBe(2);
  });

  it('that resembles another is shown with it, and approved only after they were compared [I-123]', async () => {
    const imitated = checksumEvmAddress(`0x7a7a${'00'.repeat(16)}7a7a`);
    await order({ token: 'USDT', destination: imitated });
    const ordered = await order();
    const shown = (await coffer('withdrawals', 'show', ordered.id)).out;
    expect(shown).toMatch(new RegExp(`\nTo +${DESTINATION}\nLooks like +${imitated}, another destination`));
    const refused = await approve(ordered);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain(`It pays ${DESTINATION}, which looks like ${imitated}, and is another address.`);
    expect(refused.err).toContain('What to try: pass --look-alike-checked once you have compared them.');
    expect(await scene.query(`select from withdrawal_approval where withdrawal_id = $1`, [ordered.id])).toEqual([]);
    expect((await approve(ordered, '--look-alike-checked')).code).toBe(0);
  });

  it('that resembles an address on the allow-list is noticed too, but not one of another merchant [I-123]', async () => {
    const imitated = checksumEvmAddress(`0x7a7a${'11'.repeat(16)}7a7a`);
    const elsewhere = await scene.merchant();
    await coffer('policy', 'allow', imitated, '--merchant', elsewhere.merchantId, '--env', 'sandbox');
    const ordered = await order();
    expect((await coffer('withdrawals', 'show', ordered.id)).out).not.toContain('Looks like');
    await coffer('policy', 'allow', imitated, '--merchant', tenant.merchantId, '--env', 'sandbox');
    expect((await approve(ordered)).err).toContain(imitated);
  });
});

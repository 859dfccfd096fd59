import { type CliRun, runCommand } from '../../../test/support/cli-run.js';
import { type Ordered, PayoutScene } from '../../../test/support/payout-scene.js';
import { query } from '../../../test/support/sql.js';
import { checksumEvmAddress } from '../../domain/evm-address.js';
import type { Tenant } from '../../domain/tenant.js';

const ALLOWED = checksumEvmAddress(`0x${'ab'.repeat(20)}`);

let scene: PayoutScene;
let tenant: Tenant;
let who: string[];

beforeAll(async () => {
  scene = await PayoutScene.open();
});
afterAll(() => scene.close());
beforeEach(async () => {
  tenant = await scene.merchant();
  who = ['--merchant', tenant.merchantId, '--env', 'sandbox'];
});

const coffer = (...args: string[]): Promise<CliRun> => runCommand(args, { DATABASE_URL: scene.db.url });

/** Lets the vault check both at once. Returns why each waits then. */
async function signAll(...orders: readonly Ordered[]): Promise<(string | null)[]> {
  await Promise.all(orders.map(({ id }) => scene.signer.sign(scene.vault, id)));
  return Promise.all(orders.map(({ id }) => scene.waitsFor(id)));
}

describe('coffer policy', () => {
  it('signs one of two simultaneous withdrawals, and the other when the count is raised [I-124]', async () => {
    expect((await coffer('policy', 'set', ...who, '--daily-count', '1')).out).toMatch(
      /Withdrawals in 24 hours +0 signed, of 1\n/,
    );
    const orders = [await scene.order(tenant), await scene.order(tenant, { token: 'USDT' })];
    expect(new Set(await signAll(...orders))).toEqual(new Set([null, 'over_limit']));
    expect(new Set(await signAll(...orders))).toEqual(new Set([null, 'over_limit']));
    await coffer('policy', 'set', ...who, '--daily-count', '2');
    expect(await signAll(...orders)).toEqual([null, null]);
    expect((await coffer('policy', 'set', ...who, '--daily-count', 'off')).out).toContain('2 signed, of any number');
  });

  it('applies a count that is set while two are being signed for the first time', async () => {
    const orders = [await scene.order(tenant), await scene.order(tenant, { token: 'USDT' })];
    await Promise.all([signAll(...orders), coffer('policy', 'set', ...who, '--daily-count', '0')]);
    const { out } = await coffer('policy', 'show', ...who);
    // Anything signed was signed before the rule, and nothing is signed after it.
    const before = await Promise.all(orders.map(({ id }) => scene.waitsFor(id)));
    expect(out).toContain(`${before.filter((reason) => reason === null).length} signed, of 0`);
    await signAll(...orders);
    expect(await Promise.all(orders.map(({ id }) => scene.waitsFor(id)))).toEqual(
      before.map((reason) => (reason === null ? null : 'over_limit')),
    );
  });

  it('pays only to the allow-list while it applies [I-123] [I-124]', async () => {
    await coffer('policy', 'set', ...who, '--allow-list-only', 'on');
    const ordered = await scene.order(tenant, { destination: ALLOWED });
    expect(await signAll(ordered)).toEqual(['destination_not_allowed']);
    expect((await coffer('policy', 'allow', ALLOWED, ...who)).out).toBe(`${ALLOWED} is on the allow-list.\n`);
    expect((await coffer('policy', 'allow', ALLOWED.toLowerCase(), ...who)).out).toContain('as it was before');
    expect((await coffer('policy', 'show', ...who)).out).toMatch(
      new RegExp(`Destinations +only those below\nAllowed +${ALLOWED}\n`),
    );
    expect(await signAll(ordered)).toEqual([null]);
    expect((await coffer('policy', 'disallow', ALLOWED, ...who)).code).toBe(0);
    expect(await signAll(await scene.order(tenant, { token: 'USDT', destination: ALLOWED }))).toEqual([
      'destination_not_allowed',
    ]);
    expect((await coffer('policy', 'allow', ALLOWED.replace('B', 'b'), ...who)).code).toBe(2);
  });

  it('limits a pocket to its amount in 24 hours, to the cent [I-124]', async () => {
    const ordered = await scene.order(tenant);
    expect((await coffer('policy', 'pocket-limit', ordered.pocketId, '2499')).out).toBe(
      `Limit of pocket ${ordered.pocketId} in 24 hours: 24.99 USDC.\n`,
    );
    expect(await signAll(ordered)).toEqual(['over_limit']);
    await coffer('policy', 'pocket-limit', ordered.pocketId, '2500');
    expect((await coffer('policy', 'show', ...who)).out).toMatch(/25 USDC on polygon in 24 hours\n/);
    expect(await signAll(ordered)).toEqual([null]);
    await coffer('policy', 'pocket-limit', ordered.pocketId, 'off');
    expect((await coffer('policy', 'show', ...who)).out).not.toContain(ordered.pocketId);
  });

  it('is audited with the operator and the rule', async () => {
    const rules = ['--daily-count', '3', '--allow-list-only', 'on', '--new-destination-hours', '24'];
    await coffer('policy', 'set', ...who, ...rules);
    await coffer('policy', 'allow', ALLOWED, ...who);
    const audited = (subject: string) =>
      scene.query(`select action, details, before, after from audit_entry where subject = $1 order by id`, [subject]);
    expect(await audited(`${tenant.merchantId}/sandbox`)).toEqual([
      {
        action: 'policy.set',
        details: {},
        before: { daily_count: 'off', allow_list_only: 'off', new_destination_hours: 'off' },
        after: { daily_count: '3', allow_list_only: 'on', new_destination_hours: '24' },
      },
      { action: 'policy.allow', details: { address: ALLOWED }, before: null, after: null },
    ]);
    const { pocketId } = await scene.order(tenant);
    await coffer('policy', 'pocket-limit', pocketId, '500');
    await coffer('policy', 'approval-above', pocketId, 'off');
    expect(await audited(pocketId)).toMatchObject([
      { action: 'policy.pocket_limit', before: { daily: 'off' }, after: { daily: '5 USDC' } },
      { action: 'policy.approval_threshold', before: { above: 'off' }, after: { above: 'off' } },
    ]);
    await expect(query(scene.db.owner, `update audit_entry set actor = 'mallory'`)).rejects.toThrow('append-only');
    await expect(query(scene.db.owner, `truncate audit_entry cascade`)).rejects.toThrow('append-only');
  });

  it('refuses what it cannot read, and knows no merchant or pocket that there is not', async () => {
    expect((await coffer('policy', 'set', ...who)).code).toBe(2);
    expect((await coffer('policy', 'set', ...who, '--daily-count', '-1')).code).toBe(2);
    expect((await coffer('policy', 'set', ...who, '--allow-list-only', 'yes')).code).toBe(2);
    expect((await coffer('policy', 'pocket-limit', 'pkt_1', '12.50')).code).toBe(2);
    expect((await coffer('policy', 'approval-above', 'pkt_1', '-1')).code).toBe(2);
    const missing = ['--merchant', 'mer_1', '--env', 'live'];
    for (const args of [
      ['policy', 'show', ...missing],
      ['policy', 'set', ...missing, '--daily-count', '1'],
      ['policy', 'allow', ALLOWED, ...missing],
    ]) {
      expect(await coffer(...args)).toMatchObject({ code: 1, err: expect.stringContaining('No such merchant.') });
    }
    for (const rule of ['pocket-limit', 'approval-above']) {
      expect(await coffer('policy', rule, 'pkt_1', '1')).toMatchObject({
        code: 1,
        err: `coffer policy ${rule}: No such pocket.\n`,
      });
    }
  });
});

import { type CliRun, runCommand } from '../../../test/support/cli-run.js';
import { PayoutScene } from '../../../test/support/payout-scene.js';
import { aPlannedSweep } from '../../../test/support/sweep-scene.js';
import { formatUnits } from '../../domain/money.js';

let scene: PayoutScene;

beforeAll(async () => {
  scene = await PayoutScene.open();
});
afterAll(() => scene.close());

const coffer = (...args: string[]): Promise<CliRun> => runCommand(args, { DATABASE_URL: scene.db.url });

it('coffer sweeps lists open sweeps and balances set aside, retries these, and records the operator', async () => {
  const { id, addresses } = await aPlannedSweep(scene, scene.chain);
  const [{ address } = { address: '' }] = addresses;
  expect(await coffer('sweeps', 'list')).toMatchObject({ code: 0, err: '' });
  await scene.query(
    `update deposit_balance set failures = 3, set_aside_reason = 'Frozen, it seems.'
      where address_id = (select id from pool_address where address = $1)`,
    [address],
  );
  const listed = await coffer('sweeps', 'list');
  expect(listed.code).toBe(1);
  expect(listed.out).toMatch(
    new RegExp(`${id} +\\d+ +sandbox/polygon +threshold +2 +no open vault has checked it yet`),
  );
  expect(listed.out).toMatch(new RegExp(`sandbox/polygon +USDC +0.000005 +${address} +Frozen, it seems.`));
  expect((await coffer('doctor')).out).toContain('Balances that could not be swept are set aside: 1.');

  const other = await coffer('sweeps', 'retry', '--address', `0x${'ab'.repeat(20)}`, '--reason', 'a look');
  expect(other.out).toBe('Balances to be swept again: 0.\n');
  const retried = await coffer('sweeps', 'retry', '--address', address, '--reason', 'the issuer gave in');
  expect(retried).toMatchObject({ code: 0, out: 'Balances to be swept again: 1.\n' });
  expect((await coffer('sweeps', 'list')).code).toBe(0);
  const actions = await scene.query(
    `select action, subject, reason from audit_entry where action = 'sweep.retry' order by id desc limit 1`,
  );
  expect(actions).toEqual([{ action: 'sweep.retry', subject: address.toLowerCase(), reason: 'the issuer gave in' }]);
});

it('coffer withdrawals show names the sweep that brings the funds for a withdrawal, and waiting counts them', async () => {
  const { id } = await scene.order(await scene.merchant());
  await scene.hold(0n, 10n ** 21n);
  expect(await scene.signer.sign(scene.vault, id)).toBe('coins_missing');
  const sweep = await aPlannedSweep(scene, scene.chain);
  expect((await coffer('withdrawals', 'show', id)).out).toMatch(
    new RegExp(`Sweep +${sweep.id} brings 0.00001 USDC \\(planned\\)`),
  );
  const [row] = await scene.query<{ units: string }>(
    `select sum(expected) as units from sweep_item where swept is null`,
  );
  const coming = formatUnits(BigInt(row?.units ?? 0), 6);
  expect((await coffer('withdrawals', 'waiting')).out).toMatch(new RegExp(`USDC +0 +\\S+ +${coming} +25 +0x`));
});

it('coffer sweeps retry requires a reason and a valid address', async () => {
  expect((await coffer('sweeps', 'retry')).err).toContain('--reason');
  expect((await coffer('sweeps', 'retry', '--address', 'here', '--reason', 'why not')).err).toContain('--address');
});

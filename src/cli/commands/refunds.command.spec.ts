import { auditEntriesOf } from '../../../test/support/audit-entries.js';
import { RefundScene, type SceneRefund } from '../../../test/support/refund-scene.js';
import { query } from '../../../test/support/sql.js';
import { RefundReader } from '../../suspense/refunds/refund-reader.service.js';

const WHY = ['--reason', 'ticket 7'] as const;
const RECEIVER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const UNITS = '25000000';

let scene: RefundScene;

beforeAll(async () => {
  scene = await RefundScene.open();
});
afterAll(() => scene.close());

describe('a deposit that is being refunded', () => {
  let order: SceneRefund;
  beforeEach(async () => {
    order = await scene.anOrder(RECEIVER);
  });

  it('is listed with its refund', async () => {
    const listed = await scene.coffer('deposits', 'list', '--returning', '--limit', '500');
    expect(listed.out).toMatch(
      new RegExp(`${order.depositId} +returning .* on its way to ${RECEIVER} by ${order.id}\n`),
    );
    expect((await scene.coffer('deposits', 'list', '--limit', '500')).out).not.toContain(order.depositId);
    expect((await scene.coffer('deposits', 'unattributed', '--limit', '500')).out).toMatch(
      /on its way out to an address\n/,
    );
  });

  it.each<[action: string, args: readonly string[], answer: RegExp]>([
    ['given to a merchant', ['resolve', '--merchant', 'mer_x'], /It is on its way out to 0x/],
    ['released', ['release'], /It was never frozen/],
    ['kept', ['keep'], /It was never frozen/],
  ])('is not %s', async (_action, [action = '', ...more], answer) => {
    const { code, err } = await scene.coffer('deposits', action, order.depositId, ...more, ...WHY);
    expect(code).toBe(1);
    expect(err).toMatch(answer);
    expect(await scene.facts(order.id)).toMatchObject({ heldAs: 'returning' });
  });

  it('is back in suspense once the refund is cancelled, and can be refunded again', async () => {
    const { code, out } = await scene.coffer('refunds', 'cancel', order.id, ...WHY);
    expect({ code, out }).toEqual({
      code: 0,
      out: `Refund ${order.id} is cancelled. Deposit ${order.depositId} is in suspense again.\n`,
    });
    expect(await scene.facts(order.id)).toMatchObject({
      status: 'failed',
      failureCode: 'cancelled',
      heldAs: 'suspense',
      balances: { chain: `-${UNITS}`, suspense: UNITS },
    });
    expect(await auditEntriesOf(scene.database, order.id)).toMatchObject([
      { action: 'return.cancel', reason: 'ticket 7' },
    ]);
    const again = await scene.coffer('refunds', 'cancel', order.id, ...WHY);
    expect(again.err).toContain('The refund is already failed.');
    expect((await scene.coffer('refunds', 'cancel', 'ret_unknown', ...WHY)).err).toContain('No such refund');
    expect((await scene.resolve(order.depositId, RECEIVER)).code).toBe(0);
    expect((await scene.ordersOf(order.depositId)).map(({ status }) => status)).toEqual(['failed', 'broadcasting']);
  });

  it('is not cancelled once it is signed, nor while the wallet has unrecorded transactions', async () => {
    const { chainRef } = scene.chain;
    await query(scene.database, `update hot_wallet set chain_nonce = next_nonce + 1 where chain_ref = $1`, [chainRef]);
    expect((await scene.coffer('refunds', 'cancel', order.id, ...WHY)).err).toContain('npx coffer treasury unrecorded');
    await scene.payouts.countOnChain();
    await scene.signer.sign(scene.vault, order.id);
    expect((await scene.coffer('refunds', 'cancel', order.id, ...WHY)).err).toContain(
      'A transaction is signed for this refund and may be mined at any time: it cannot be cancelled any more.',
    );
  });
});

describe('coffer refunds', () => {
  it('lists unsigned refunds as candidates for what an unrecorded transaction may have paid', async () => {
    const [unsigned, signed] = [await scene.anOrder(RECEIVER), await scene.anOrder()];
    await scene.signer.sign(scene.vault, signed.id);
    const unsignedOrders = await new RefundReader(scene.database).unsignedOn(scene.chain.chainRef, 500);
    expect(unsignedOrders.map(({ id }) => id)).toContain(unsigned.id);
    expect(unsignedOrders.map(({ id }) => id)).not.toContain(signed.id);
    expect(await new RefundReader(scene.database).unsignedOn('chain_other', 500)).toEqual([]);
  });

  it('waiting shows why each waits, and exits 1 once one has waited too long', async () => {
    const { id, depositId } = await scene.anOrder(RECEIVER);
    const waiting = await scene.coffer('refunds', 'waiting');
    expect(waiting).toMatchObject({ code: 0, err: '' });
    expect(waiting.out).toMatch(
      new RegExp(`${id} +\\d+ s +${depositId} +sandbox/polygon +25 USDC +${RECEIVER} +none +No open vault`),
    );
    const lines = (await scene.coffer('refunds', 'waiting', '--json')).out.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({
        object: 'return',
        id,
        deposit_id: depositId,
        waits_for: 'not_looked_at',
        overdue: false,
      }),
    );
    await scene.signer.sign(scene.vault, id);
    await query(scene.database, `update hot_wallet set frozen_reason = 'x'`);
    await query(
      scene.database,
      `insert into deposit_return (id, deposit_id, destination, destination_key, status, created_at)
       values ('ret_old', $1, '0x', '0x', 'broadcasting', now() - interval '11 minutes')`,
      [await scene.aDeposit()],
    );
    expect((await scene.coffer('refunds', 'waiting')).code).toBe(1);
    await query(
      scene.database,
      `update deposit_return set status = 'failed', failure_code = 'cancelled', ended_at = now()
                                 where id = 'ret_old'`,
    );
    await query(scene.database, `update hot_wallet set frozen_reason = null`);
  });

  it('show prints a refund by its id or its deposit: its operator, its signatures and its end', async () => {
    const { id, depositId } = await scene.anOrder(RECEIVER);
    await scene.signer.sign(scene.vault, id);
    const signed = await scene.coffer('refunds', 'show', depositId);
    expect(signed.out).toMatch(/Status +broadcasting: not_sent \(It is signed, and no node has accepted it yet\.\)/);
    const hash = await scene.ends(id, true);
    const { code, out } = await scene.coffer('refunds', 'show', id);
    expect(code).toBe(0);
    for (const line of [
      /Refund +ret_/,
      /Status +completed\n/,
      new RegExp(`Deposit +${depositId} \\(sandbox\\)`),
      /Amount +25 USDC on polygon/,
      new RegExp(`To +${RECEIVER}`),
      new RegExp(`Mined +${hash} in block 7`),
      /vault +signed attempt 1/,
      /\S+@\S+ +deposit\.return +sent by mistake/,
    ])
      expect(out).toMatch(line);
    expect((await scene.coffer('refunds', 'show', 'ret_unknown')).err).toContain('No such refund');
  });
});

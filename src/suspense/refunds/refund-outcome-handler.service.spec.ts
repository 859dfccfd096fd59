import { expectBooksInOrder } from '../../../test/support/books.js';
import { RecordingQueue } from '../../../test/support/recording-queue.js';
import { RefundScene, type SceneRefund } from '../../../test/support/refund-scene.js';
import { sqlRefusalOf } from '../../../test/support/sql-refusal.js';
import { query } from '../../../test/support/sql.js';
import { listAddress } from '../../../test/support/listed-address.js';
import { vaultServices } from '../../../test/support/vault-services.js';
import { Transaction } from 'ethers';
import { readTransferCall } from '../../chains/evm/transfer-call.js';

const UNITS = '25000000';
const WHY = ['--reason', 'ticket 7'] as const;

let scene: RefundScene;

beforeAll(async () => {
  scene = await RefundScene.open();
});
afterAll(() => scene.close());
beforeEach(async () => {
  scene.chain = await scene.payouts.addChain('polygon');
});

async function signed(): Promise<SceneRefund> {
  const order = await scene.anOrder();
  expect(await scene.signer.sign(scene.vault, order.id)).toBeNull();
  return order;
}

const setReorged = (depositId: string, isReorged: boolean): Promise<unknown> =>
  query(scene.database, `update deposit set gone_at = case when $2 then now() end where id = $1`, [
    depositId,
    isReorged,
  ]);

describe('a mined refund', () => {
  it('books the deposit out once it succeeded, with the hash that was mined [I-108]', async () => {
    const { id } = await signed();
    const txHash = await scene.ends(id, true);
    expect(await scene.facts(id)).toEqual({
      status: 'completed',
      waitingReason: null,
      isSigned: true,
      failureCode: null,
      txHash,
      heldAs: null,
      balances: {},
    });
    await expect(scene.ends(id, true)).rejects.toThrow();
    await expectBooksInOrder(scene.database);
  });

  it('moves it back to suspense when it was reverted, where it can be resolved once [I-116]', async () => {
    const { id, depositId } = await signed();
    const txHash = await scene.ends(id, false);
    expect(await scene.facts(id)).toMatchObject({
      status: 'failed',
      failureCode: 'transaction_reverted',
      txHash,
      heldAs: 'suspense',
      balances: { chain: `-${UNITS}`, suspense: UNITS },
    });
    const { merchantId } = await scene.payouts.merchant();
    const given = await scene.coffer('deposits', 'resolve', depositId, '--merchant', merchantId, ...WHY);
    expect(given).toMatchObject({ code: 0 });
    expect(await scene.balances(depositId)).toEqual({ chain: `-${UNITS}`, pocket_available: UNITS });
    expect((await scene.resolve(depositId, `0x${'7c'.repeat(20)}`)).err).toContain('It is resolved already');
    await expectBooksInOrder(scene.database);
  });
});

it('a stuck refund is replaced with the same nonce and payment at a higher fee, and not once its receiver is listed', async () => {
  const order = await signed();
  const { replacements } = vaultServices(scene.database, new RecordingQueue().queue);
  const attempts = async () => {
    await query(
      scene.database,
      `update chain_transaction set replace_wanted_at = now() where purpose_id = $1 and status = 'signed'`,
      [order.id],
    );
    await replacements.signWanted(scene.vault);
    const rows = await query<{ raw_transaction: string }>(
      scene.database,
      `select raw_transaction from transaction_attempt join chain_transaction on id = transaction_id
        where purpose_id = $1 order by number`,
      [order.id],
    );
    return rows.map((row) => Transaction.from(row.raw_transaction));
  };
  // Also when the deposit was reorged: the nonce has to be used.
  await setReorged(order.depositId, true);
  const [first, second, ...more] = await attempts();
  expect(more).toEqual([]);
  expect(second?.nonce).toBe(first?.nonce);
  const { to, value, data } = second ?? {};
  expect(readTransferCall({ to: to ?? '', value: value ?? 0n, data: data ?? '' })).toEqual({
    token: scene.chain.contract,
    recipient: order.destination.toLowerCase(),
    amount: BigInt(UNITS),
  });
  await listAddress(scene.database, order.destination);
  expect(await attempts()).toHaveLength(2);
});

it('when a development chain is replaced, signed refunds are abandoned and every deposit is in suspense', async () => {
  const [sent, unsigned] = [await signed(), await scene.anOrder()];
  scene.chain = await scene.payouts.addChain('polygon');
  await scene.outcomes.failOnReplacedChains();
  await scene.outcomes.failOnReplacedChains();
  const ended = { status: 'failed', failureCode: 'chain_gone', heldAs: 'suspense' };
  expect([await scene.facts(sent.id), await scene.facts(unsigned.id)]).toMatchObject([ended, ended]);
  const rows = await query(scene.database, `select status from chain_transaction where purpose_id = $1`, [sent.id]);
  expect(rows).toEqual([{ status: 'abandoned' }]);
  await expectBooksInOrder(scene.database);
});

describe('a deposit that was reorged during its refund', () => {
  const reverse = (id: string) => scene.coffer('deposits', 'reverse', id, ...WHY);

  it('is not booked out before the refund has ended, and then as a loss when it was paid out [F-64]', async () => {
    const { id, depositId, destination } = await signed();
    await setReorged(depositId, true);
    expect((await reverse(depositId)).err).toContain(
      `It is on its way out to ${destination} by ${id}: cancel that first (npx coffer refunds cancel), or wait`,
    );
    expect((await scene.coffer('deposits', 'reorged')).out).toContain(depositId);
    await scene.ends(id, true);
    expect(await reverse(depositId)).toMatchObject({ code: 0 });
    expect(await scene.balances(depositId)).toEqual({ chain: UNITS, receivable: `-${UNITS}` });
    await setReorged(depositId, false);
    expect(await scene.coffer('deposits', 'restore', depositId, ...WHY)).toMatchObject({ code: 0 });
    expect(await scene.balances(depositId)).toEqual({});
    await expectBooksInOrder(scene.database);
  });

  it('is booked out of suspense once the refund was cancelled, and nothing is lost [F-64]', async () => {
    const { id, depositId } = await scene.anOrder();
    await setReorged(depositId, true);
    expect((await reverse(depositId)).code).toBe(1);
    expect(await scene.coffer('refunds', 'cancel', id, ...WHY)).toMatchObject({ code: 0 });
    expect(await reverse(depositId)).toMatchObject({ code: 0 });
    expect(await scene.balances(depositId)).toEqual({});
    await expectBooksInOrder(scene.database);
  });
});

describe('the database refuses', () => {
  const refusalOf = (text: string, ...values: string[]) => sqlRefusalOf(scene.payouts.db.owner, text, values);
  const TERMS = 'a return keeps its terms, and ends once';

  it.each(['id', 'deposit_id', 'destination', 'destination_key'])('another %s of a refund [I-125]', async (column) => {
    const { id } = await scene.anOrder();
    expect(await refusalOf(`update deposit_return set ${column} = 'x' where id = $1`, id)).toContain(TERMS);
  });

  it('to sign it again, to remove it, and a second one beside it [I-108]', async () => {
    const { id, depositId } = await signed();
    expect(
      await refusalOf(`update deposit_return set signed_at = now() + interval '1 second' where id = $1`, id),
    ).toContain(TERMS);
    expect(await refusalOf(`delete from deposit_return where id = $1`, id)).toContain(TERMS);
    expect(await refusalOf(`truncate deposit_return`)).toContain('TRUNCATE on deposit_return is refused');
    const again = `insert into deposit_return (id, deposit_id, destination, destination_key, status)
                   values ('ret_again', $1, '0x', '0x', 'broadcasting')`;
    expect(await refusalOf(again, depositId)).toContain('deposit_return_once');
    await scene.ends(id, true);
    expect(await refusalOf(again, depositId)).toContain('deposit_return_once');
  });

  it('to fail it while its transaction may be mined, and to complete it with the hash of another one [I-111]', async () => {
    const { id } = await signed();
    const failed = `update deposit_return set status = 'failed', failure_code = 'cancelled', ended_at = now() where id = $1`;
    expect(await refusalOf(failed, id)).toContain('may be paid already');
    const completed = `update deposit_return set status = 'completed', tx_hash = '0xab', ended_at = now() where id = $1`;
    expect(await refusalOf(completed, id)).toContain('was not paid by 0xab');
  });

  it('to move its deposit without the end of the refund [H-100]', async () => {
    const { id, depositId } = await scene.anOrder();
    const hold = (value: string): Promise<string> =>
      refusalOf(`update deposit set held_as = ${value} where id = $1`, depositId);
    expect(await hold('null')).toContain('from returning to nothing');
    expect(await hold(`'suspense'`)).toContain('from returning to suspense');
    expect(
      await refusalOf(
        `update deposit set gone_at = now(), reversed_at = now(), held_as = null where id = $1`,
        depositId,
      ),
    ).toContain('from returning to nothing');
    await scene.coffer('refunds', 'cancel', id, ...WHY);
    expect(await hold(`'returning'`)).toContain('from suspense to returning');
  });
});

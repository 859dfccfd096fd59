import { expectBooksInOrder } from '../support/books.js';
import { RefundScene } from '../support/refund-scene.js';
import { query } from '../support/sql.js';
import { brokenBy, expectNamed, rowOf } from './tampering.js';

const THIEF = `0x${'66'.repeat(20)}`;

let scene: RefundScene;
/** The refunds by their state; `deposits` has the deposit of each. */
let ids: Readonly<Record<'ordered' | 'signed' | 'paid' | 'reverted' | 'cancelled', string>>;
let deposits: typeof ids;

/** A refund in every state. */
beforeAll(async () => {
  scene = await RefundScene.open();
  const orders = {
    ordered: await scene.anOrder(),
    signed: await scene.anOrder(),
    paid: await scene.anOrder(),
    reverted: await scene.anOrder(),
    cancelled: await scene.anOrder(),
  };
  await scene.coffer('refunds', 'cancel', orders.cancelled.id, '--reason', 'for this test');
  for (const place of ['signed', 'paid', 'reverted'] as const) await scene.signer.sign(scene.vault, orders[place].id);
  await scene.ends(orders.paid.id, true);
  await scene.ends(orders.reverted.id, false);
  const of = (part: 'id' | 'depositId'): typeof ids => ({
    ordered: orders.ordered[part],
    signed: orders.signed[part],
    paid: orders.paid[part],
    reverted: orders.reverted[part],
    cancelled: orders.cancelled[part],
  });
  ids = of('id');
  deposits = of('depositId');
});
afterAll(() => scene.close());

it('books with refunded deposits hold [H-107]', async () => {
  await expectBooksInOrder(scene.database);
});

type Place = keyof typeof ids;

const CHANGED = `returning 'deposit_return ' || id as row`;
const ATTEMPT = `(select 'transaction_attempt ' || id || '/1' from chain_transaction where purpose_id = $id) as row`;

it.each<[name: string, statement: string, place: Place, rule: string]>([
  [
    'a refund that staff ordered to another address',
    `update deposit_return set destination = '${THIEF}', destination_key = '${THIEF}' where id = $id ${CHANGED}`,
    'ordered',
    'returns_are_ordered',
  ],
  [
    'a refund whose shown and paid addresses differ',
    `update deposit_return set destination_key = '${THIEF}' where id = $id ${CHANGED}`,
    'ordered',
    'returns_are_ordered',
  ],
  [
    'a refund without an order of staff',
    `delete from audit_entry where subject = $deposit returning 'deposit_return ' || $id as row`,
    'paid',
    'returns_are_ordered',
  ],
  [
    'an order of staff without a refund',
    `delete from deposit_return where id = $id returning 'deposit ' || deposit_id as row`,
    'cancelled',
    'returns_are_ordered',
  ],
  [
    'bytes that pay another address than the order',
    `update deposit_return set destination_key = '${THIEF}' where id = $id returning ${ATTEMPT}`,
    'paid',
    'payments_are_ordered',
  ],
  [
    'bytes that pay another amount than the deposit',
    `update deposit set amount = amount + 1 where id = $deposit returning ${ATTEMPT}`,
    'signed',
    'payments_are_ordered',
  ],
  [
    'bytes without an order',
    `update chain_transaction set purpose_id = 'ret_other' where purpose_id = $id
     returning 'transaction_attempt ' || id || '/1' as row`,
    'signed',
    'payments_are_ordered',
  ],
  [
    'a waiting refund that is recorded as paid',
    `update deposit_return set status = 'completed', tx_hash = '0xab', signed_at = now(), ended_at = now()
      where id = $id ${CHANGED}`,
    'ordered',
    'returns_are_paid_once',
  ],
  [
    'a paid refund that is recorded as failed',
    `update deposit_return set status = 'failed', failure_code = 'cancelled' where id = $id ${CHANGED}`,
    'paid',
    'returns_are_paid_once',
  ],
  [
    'a refund that names another transaction',
    `update deposit_return set tx_hash = '0xab' where id = $id ${CHANGED}`,
    'paid',
    'returns_are_paid_once',
  ],
  [
    'a failed refund that is recorded as pending',
    `update deposit_return set status = 'broadcasting', failure_code = null, ended_at = null where id = $id ${CHANGED}`,
    'reverted',
    'returns_end_with_their_transactions',
  ],
  [
    'a signed refund that is recorded as unsigned',
    `update deposit_return set signed_at = null where id = $id ${CHANGED}`,
    'signed',
    'returns_end_with_their_transactions',
  ],
  [
    'a failed refund that was not put back into suspense',
    `with undone as (delete from posting where entry_id = (select id from entry where kind = 'return_undone'
                       and reference like '%' || $id || '%'))
     delete from entry where kind = 'return_undone' and reference like '%' || $id || '%'
     returning 'deposit_return ' || $id as row`,
    'cancelled',
    'returns_are_booked',
  ],
  [
    'a refunded deposit that is booked out once more',
    `with again as (insert into entry (id, reference, kind, content_hash)
                    select 'ent_again', reference || ':again', kind, 'x' from entry
                     where kind = 'return_paid' and reference like '%' || $id || '%' returning id),
          legs as (insert into posting (entry_id, account_id, asset, environment, amount)
                   select again.id, account_id, asset, environment, amount from again, posting
                    where entry_id = (select id from entry where kind = 'return_paid' and reference like '%' || $id || '%'))
     select 'entry ' || id as row from again`,
    'paid',
    'returns_are_booked',
  ],
  [
    'a deposit with a pending refund that is recorded as in suspense',
    `update deposit set held_as = 'suspense' where id = $deposit returning 'deposit ' || id as row`,
    'signed',
    'held_deposits_lie_there',
  ],
  [
    'a refunded deposit that is recorded as in suspense',
    `update deposit set held_as = 'suspense' where id = $deposit returning 'deposit ' || id as row`,
    'paid',
    'held_deposits_lie_there',
  ],
])('a rule reports %s', async (_name, statement, place, rule) => {
  const named = statement.replaceAll('$deposit', `'${deposits[place]}'`).replaceAll('$id', `'${ids[place]}'`);
  await expectNamed(scene.payouts.db.owner, named, rule);
});

it('a rule reports a deposit that has two refunds', async () => {
  const rules = await brokenBy(scene.payouts.db.owner, async (tx) => {
    await query(tx, `drop index deposit_return_once`);
    await query(
      tx,
      `insert into deposit_return (id, deposit_id, destination, destination_key, status)
       values ('ret_0', $1, '0x', '0x', 'broadcasting')`,
      [deposits.paid],
    );
  });
  expect(rowOf(rules, 'returns_are_paid_once')).toBe('deposit_return ret_0');
});

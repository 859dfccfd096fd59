import { sql } from '../../src/platform/database/database.js';
import { expectBooksInOrder } from '../support/books.js';
import { ReturnScene } from '../support/return-scene.js';
import { brokenBy, expectNamed, rowOf } from './tampering.js';

const THIEF = `0x${'66'.repeat(20)}`;

let scene: ReturnScene;
/** By where each return stands; `deposits` are theirs. */
let ids: Readonly<Record<'ordered' | 'signed' | 'paid' | 'reverted' | 'cancelled', string>>;
let deposits: typeof ids;

/** A return in every place that one can stand at. */
beforeAll(async () => {
  scene = await ReturnScene.open();
  const orders = {
    ordered: await scene.anOrder(),
    signed: await scene.anOrder(),
    paid: await scene.anOrder(),
    reverted: await scene.anOrder(),
    cancelled: await scene.anOrder(),
  };
  await scene.coffer('returns', 'cancel', orders.cancelled.id, '--reason', 'for this test');
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

it('books in which deposits are returned hold [H-107]', async () => {
  await expectBooksInOrder(scene.database);
});

type Place = keyof typeof ids;

const CHANGED = `returning 'deposit_return ' || id as row`;
const ATTEMPT = `(select 'transaction_attempt ' || id || '/1' from chain_transaction where purpose_id = $id) as row`;

it.each<[name: string, statement: string, place: Place, rule: string]>([
  [
    'a return that staff ordered to somebody else',
    `update deposit_return set destination = '${THIEF}', destination_key = '${THIEF}' where id = $id ${CHANGED}`,
    'ordered',
    'returns_are_ordered',
  ],
  [
    'a return whose two spellings differ',
    `update deposit_return set destination_key = '${THIEF}' where id = $id ${CHANGED}`,
    'ordered',
    'returns_are_ordered',
  ],
  [
    'a return that nobody ordered',
    `delete from audit_entry where subject = $deposit returning 'deposit_return ' || $id as row`,
    'paid',
    'returns_are_ordered',
  ],
  [
    'an order of which there is no return',
    `delete from deposit_return where id = $id returning 'deposit ' || deposit_id as row`,
    'cancelled',
    'returns_are_ordered',
  ],
  [
    'bytes that pay somebody else than the order',
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
    'bytes behind which there is no order',
    `update chain_transaction set purpose_id = 'ret_other' where purpose_id = $id
     returning 'transaction_attempt ' || id || '/1' as row`,
    'signed',
    'payments_are_ordered',
  ],
  [
    'a return that waits and says it was paid',
    `update deposit_return set status = 'completed', tx_hash = '0xab', signed_at = now(), ended_at = now()
      where id = $id ${CHANGED}`,
    'ordered',
    'returns_are_paid_once',
  ],
  [
    'a return that was paid and says it failed',
    `update deposit_return set status = 'failed', failure_code = 'cancelled' where id = $id ${CHANGED}`,
    'paid',
    'returns_are_paid_once',
  ],
  [
    'a return that names another transaction',
    `update deposit_return set tx_hash = '0xab' where id = $id ${CHANGED}`,
    'paid',
    'returns_are_paid_once',
  ],
  [
    'a return that failed and says it is under way',
    `update deposit_return set status = 'broadcasting', failure_code = null, ended_at = null where id = $id ${CHANGED}`,
    'reverted',
    'returns_end_with_their_transactions',
  ],
  [
    'a return that denies that it was signed',
    `update deposit_return set signed_at = null where id = $id ${CHANGED}`,
    'signed',
    'returns_end_with_their_transactions',
  ],
  [
    'a return that failed and was put back nowhere',
    `with undone as (delete from posting where entry_id = (select id from entry where kind = 'return_undone'
                       and reference like '%' || $id || '%'))
     delete from entry where kind = 'return_undone' and reference like '%' || $id || '%'
     returning 'deposit_return ' || $id as row`,
    'cancelled',
    'returns_are_booked',
  ],
  [
    'a deposit that was paid out and is let go once more',
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
    'a deposit on its way that says it is in suspense',
    `update deposit set held_as = 'suspense' where id = $deposit returning 'deposit ' || id as row`,
    'signed',
    'held_deposits_lie_there',
  ],
  [
    'a deposit that was paid out and says it is in suspense',
    `update deposit set held_as = 'suspense' where id = $deposit returning 'deposit ' || id as row`,
    'paid',
    'held_deposits_lie_there',
  ],
])('a rule names %s', async (_name, statement, place, rule) => {
  const named = statement.replaceAll('$deposit', `'${deposits[place]}'`).replaceAll('$id', `'${ids[place]}'`);
  await expectNamed(scene.payouts.db.owner, named, rule);
});

it('a rule names a deposit that has two returns', async () => {
  const rules = await brokenBy(scene.payouts.db.owner, async (tx) => {
    await sql(tx, `drop index deposit_return_once`);
    await sql(
      tx,
      `insert into deposit_return (id, deposit_id, destination, destination_key, status)
       values ('ret_0', $1, '0x', '0x', 'broadcasting')`,
      [deposits.paid],
    );
  });
  expect(rowOf(rules, 'returns_are_paid_once')).toBe('deposit_return ret_0');
});

import { type CliRun } from '../support/cli-run.js';
import { expectBooksInOrder } from '../support/books.js';
import { query } from '../support/sql.js';
import { SuspenseScene } from '../support/suspense-scene.js';
import { expectNamed } from './tampering.js';

const WHY = ['--reason', 'for this test'] as const;

let scene: SuspenseScene;
let ids: Readonly<Record<'suspense' | 'resolved' | 'frozen' | 'released' | 'reversed' | 'restored', string>>;

/** A deposit in every state that staff decide about. */
beforeAll(async () => {
  scene = await SuspenseScene.open();
  const intent = await scene.anIntent();
  const coffer = async (...args: string[]): Promise<void> => {
    const run: CliRun = await scene.coffer(...args, ...WHY);
    expect(run).toMatchObject({ code: 0, err: '' });
  };
  const setReorged = (id: string, isReorged: boolean): Promise<unknown> =>
    query(scene.database, `update deposit set gone_at = case when $2 then now() end where id = $1`, [id, isReorged]);
  const resolved = await scene.aWrongToken(intent);
  await coffer('resolve', resolved, '--merchant', intent.tenant.merchantId);
  const released = await scene.aFrozenPayment(await scene.anIntent());
  await coffer('release', released);
  const reversed = await scene.aWrongToken(intent);
  await setReorged(reversed, true);
  await coffer('reverse', reversed);
  const restored = await scene.aWrongToken(intent);
  await setReorged(restored, true);
  await coffer('reverse', restored);
  await setReorged(restored, false);
  await coffer('restore', restored);
  const frozen = await scene.aFrozenPayment(await scene.anIntent());
  ids = { suspense: await scene.aWrongToken(intent), resolved, frozen, released, reversed, restored };
});
afterAll(() => scene.close());

it('books with held, resolved, reversed and restored deposits hold [H-107] [G-98]', async () => {
  await expectBooksInOrder(scene.database);
});

type Place = keyof typeof ids;

const CHANGED = `returning 'deposit ' || id as row`;
const DECIDED = `returning 'deposit ' || subject as row`;

it.each<[name: string, statement: string, place: Place, rule: string]>([
  [
    'money in suspense of another amount',
    `update deposit set amount = amount + 1 where id = $id ${CHANGED}`,
    'suspense',
    'deposits_are_booked',
  ],
  [
    'frozen money whose sender is recorded as clean',
    `update deposit set listed_sender_id = null, held_as = null where id = $id ${CHANGED}`,
    'frozen',
    'deposits_are_booked',
  ],
  [
    'an unattributed deposit that is not booked',
    `update deposit set credited_at = null, held_as = null, confirmed_at = now() - interval '2 hours'
      where id = $id ${CHANGED}`,
    'suspense',
    'final_deposits_are_credited',
  ],
  [
    'money that was credited without a decision',
    `delete from audit_entry where subject = $id
     returning (select 'entry ' || entry.id from entry where reference = 'resolution:' || subject) as row`,
    'resolved',
    'decisions_are_booked',
  ],
  [
    'money that was decided for another pocket',
    `update audit_entry set details = '{"pocket": "pkt_other"}' where subject = $id ${DECIDED}`,
    'resolved',
    'decisions_are_booked',
  ],
  [
    'a release that was not booked',
    `insert into audit_entry (actor, action, subject, details)
     values ('somebody', 'deposit.release', $id, '{"to": "suspense"}') ${DECIDED}`,
    'frozen',
    'decisions_are_booked',
  ],
  [
    'money that was released to a pocket, but to suspense by the audit',
    `update audit_entry set details = '{"to": "suspense"}' where subject = $id ${DECIDED}`,
    'released',
    'decisions_are_booked',
  ],
  [
    'money that was credited twice',
    `with again as (insert into entry (id, reference, kind, content_hash)
                    select 'ent_again', reference || ':again', kind, 'x' from entry where reference = 'resolution:' || $id
                    returning id),
          legs as (insert into posting (entry_id, account_id, asset, environment, amount)
                   select again.id, account_id, asset, environment, amount from again, posting
                    where entry_id = (select id from entry where reference = 'resolution:' || $id))
     select 'entry ' || id as row from again`,
    'resolved',
    'decisions_are_booked',
  ],
  [
    'money in suspense that is recorded as resolved',
    `update deposit set held_as = null where id = $id ${CHANGED}`,
    'suspense',
    'held_deposits_lie_there',
  ],
  [
    'resolved money that is recorded as in suspense',
    `update deposit set held_as = 'suspense' where id = $id ${CHANGED}`,
    'resolved',
    'held_deposits_lie_there',
  ],
  [
    'frozen money that is recorded as released',
    `update deposit set held_as = null where id = $id ${CHANGED}`,
    'frozen',
    'held_deposits_lie_there',
  ],
  [
    'an intent that completes with money on hold',
    `with paid as (select * from deposit where id = $id)
     update payment_intent set status = 'completed', completed_at = now(), received_crypto_amount = paid.amount,
            received_amount_cents = amount_cents
       from paid where payment_intent.id = paid.intent_id
     returning 'payment_intent ' || payment_intent.id as row`,
    'frozen',
    'completed_intents_are_paid',
  ],
  [
    'a reversal that is not recorded',
    `update deposit set reversed_at = null where id = $id ${CHANGED}`,
    'reversed',
    'reversals_are_decided',
  ],
  [
    'a restoration that staff did not decide',
    `update deposit set restored_at = now() where id = $id ${CHANGED}`,
    'reversed',
    'reversals_are_decided',
  ],
  [
    'a reversal out of another account',
    `update audit_entry set details = '{"from": "receivable"}' where action = 'deposit.reverse' and subject = $id ${DECIDED}`,
    'restored',
    'decisions_are_booked',
  ],
])('a rule reports %s', async (_name, statement, place, rule) => {
  await expectNamed(scene.db.owner, statement.replaceAll('$id', `'${ids[place]}'`), rule);
});

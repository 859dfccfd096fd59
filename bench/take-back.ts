import { newId, place } from './compiled.ts';
import type { Stage } from './stage.ts';

const { contentHashOf, assetOf }: typeof import('../src/domain/posting.js') = await import(place('domain/posting.js'));

interface OpenOrder {
  readonly id: string;
  readonly network: 'polygon';
  readonly contract: string;
  readonly total: string;
  readonly available: number;
  readonly held: number;
}

/**
 * Cancels every unsigned withdrawal, as staff may: each ends as failed, and an entry returns amount and fee to its pocket.
 * All guards of the database are on, and the books hold afterwards; only the events are missing.
 */
export async function takeBackOrders(stage: Stage): Promise<void> {
  await stage.query('begin');
  const orders = await stage.query<OpenOrder>(
    `update withdrawal
        set status = 'failed', failure_code = 'cancelled', failure_message = 'Taken back.', updated_at = now()
       from pocket
      where withdrawal.status = 'broadcasting' and signed_at is null and pocket.id = pocket_id
     returning withdrawal.id, pocket.network, pocket.token_contract as contract, amount + fee_amount as total,
               available_account_id::int as available, held_account_id::int as held`,
  );
  const refunds = orders.map(({ id, network, contract, total, available, held }) => {
    const asset = assetOf(network, contract);
    const legs = [
      { accountId: held, asset, amount: -BigInt(total) },
      { accountId: available, asset, amount: BigInt(total) },
    ];
    const booking = { reference: `withdrawal:${id}:refund`, kind: 'withdrawal_refund', legs };
    return { ...booking, entryId: newId('ent_'), hash: contentHashOf(booking) };
  });
  await stage.query(
    `insert into entry (id, reference, kind, content_hash)
     select id, reference, 'withdrawal_refund', hash from unnest($1::text[], $2::text[], $3::text[]) as e (id, reference, hash)`,
    [refunds.map(({ entryId }) => entryId), refunds.map(({ reference }) => reference), refunds.map(({ hash }) => hash)],
  );
  const legs = refunds.flatMap(({ entryId, legs: ofEntry }) => ofEntry.map((leg) => ({ ...leg, entryId })));
  await stage.query(
    `insert into posting (entry_id, account_id, asset, environment, amount)
     select entry_id, account_id, asset, 'sandbox', amount
       from unnest($1::text[], $2::bigint[], $3::text[], $4::numeric[]) as leg (entry_id, account_id, asset, amount)
      order by account_id`,
    [
      legs.map(({ entryId }) => entryId),
      legs.map(({ accountId }) => accountId),
      legs.map(({ asset }) => asset),
      legs.map(({ amount }) => String(amount)),
    ],
  );
  await stage.query('commit');
}

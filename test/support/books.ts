import type { Database } from '../../src/platform/database/database.js';
import { eventually } from './eventually.js';

/** Rows that break a rule of the books; all of these queries must find none. */
const VIOLATIONS: Readonly<Record<string, string>> = {
  'entries that do not sum to zero': `
    select entry_id, asset, sum(amount) from posting group by entry_id, asset having sum(amount) <> 0`,
  'assets whose postings do not sum to zero': `
    select environment, asset, sum(amount) from posting group by environment, asset having sum(amount) <> 0`,
  'accounts whose balance is not the sum of their postings': `
    select account.id, account.balance from account left join posting on posting.account_id = account.id
     where account.balance is not null
     group by account.id having account.balance <> coalesce(sum(posting.amount), 0)`,
  'final attributed deposits without their one entry of that very amount': `
    select deposit.id from deposit
      left join entry on entry.reference = 'deposit:' || deposit.id
      left join posting on posting.entry_id = entry.id and posting.amount > 0
     where deposit.status = 'confirmed' and deposit.intent_id is not null
     group by deposit.id, deposit.amount, deposit.credited_at
    having count(posting.id) <> 1 or sum(posting.amount) <> deposit.amount or deposit.credited_at is null`,
  'entries for a deposit that is not final or not attributed': `
    select entry.reference from entry left join deposit on entry.reference = 'deposit:' || deposit.id
     where entry.kind = 'deposit' and (deposit.status is distinct from 'confirmed' or deposit.intent_id is null)`,
  'final unattributed deposits without their one entry of that very amount, and entries of others': `
    select deposit.id, entry.reference
      from (select * from deposit where status = 'confirmed' and intent_id is null) deposit
      full join (select * from entry where kind = 'unattributed') entry on entry.reference = 'suspense:' || deposit.id
      left join posting on posting.entry_id = entry.id and posting.amount > 0
     where deposit.id is null or entry.id is null or posting.amount is distinct from deposit.amount
        or deposit.credited_at is null`,
  'held accounts that do not hold what the deposits say': `
    select account.kind, account.asset, account.balance, held.amount
      from (select * from account where kind in ('suspense', 'frozen')) account
      full join (
        select chain.environment, chain.network || ':' || deposit.token_contract as asset,
               case deposit.held_as when 'suspense' then 'suspense' else 'frozen' end as kind, sum(amount) as amount
          from deposit join chain on chain.id = deposit.chain_ref where held_as is not null group by 1, 2, 3) held
        using (environment, asset, kind)
     where coalesce(account.balance, 0) <> coalesce(held.amount, 0)`,
  'restored deposits without their one entry of that very amount, and entries of others': `
    select deposit.id, entry.reference
      from (select * from deposit where restored_at is not null) deposit
      full join (select * from entry where kind = 'restoration') entry on entry.reference = 'restoration:' || deposit.id
      left join posting on posting.entry_id = entry.id and posting.amount > 0
     where deposit.id is null or entry.id is null or posting.amount is distinct from deposit.amount`,
  'reversed deposits without their one entry of that very amount, and entries of others': `
    select deposit.id, entry.reference
      from (select * from deposit where reversed_at is not null) deposit
      full join (select * from entry where kind = 'reversal') entry on entry.reference = 'reversal:' || deposit.id
      left join posting on posting.entry_id = entry.id and posting.amount > 0
     where deposit.id is null or entry.id is null or posting.amount is distinct from deposit.amount`,
  'completed intents without exactly one event of it, and events without their state': `
    select intent.id, intent.status, event.type, count(event.id) from payment_intent intent
      left join event on event.resource_id = intent.id
       and event.type in ('payment_intent.completed', 'payment_intent.failed', 'payment_intent.expired')
     group by intent.id, intent.status, event.type
    having (intent.status in ('completed', 'failed', 'expired')) <> (count(event.id) = 1)
        or event.type <> 'payment_intent.' || intent.status`,
  'ended withdrawals without exactly one event of it, and events without their state': `
    select withdrawal.id, withdrawal.status, event.type, count(event.id) from withdrawal
      left join event on event.resource_id = withdrawal.id and event.type in ('withdrawal.completed', 'withdrawal.failed')
     group by withdrawal.id, withdrawal.status, event.type
    having (withdrawal.status in ('completed', 'failed')) <> (count(event.id) = 1)
        or event.type <> 'withdrawal.' || withdrawal.status`,
  'withdrawals of which the chain says otherwise': `
    select withdrawal.id, withdrawal.status, withdrawal.tx_hash, payout.status as payout, payout.mined_hash
      from withdrawal left join chain_transaction payout
        on payout.purpose = 'withdrawal' and payout.purpose_id = withdrawal.id
     where (withdrawal.status = 'completed') <> (payout.status is not distinct from 'succeeded')
        or (payout.status = 'reverted' and withdrawal.status <> 'failed')
        or (payout.mined_hash is not null and payout.mined_hash is distinct from withdrawal.tx_hash)
        or (payout.id is null) <> (withdrawal.signed_at is null)`,
  'held accounts that are not the sum of the withdrawals in flight': `
    select pocket.id, account.balance from pocket join account on account.id = pocket.held_account_id
      left join withdrawal on withdrawal.pocket_id = pocket.id and withdrawal.status = 'broadcasting'
     group by pocket.id, account.balance
    having account.balance <> coalesce(sum(withdrawal.amount + withdrawal.fee_amount), 0)`,
  'outgoing transactions that ended and whose gas is not booked, and gas of none': `
    select payout.id, gas.reference from (select * from chain_transaction where fee_paid > 0) payout
      full join (select * from entry where kind = 'network_fee') gas on gas.reference = 'gas:' || payout.id
     where payout.id is null or gas.id is null`,
  'sequences with a gap': `
    select merchant_id, environment from event where sequence is not null
     group by merchant_id, environment having max(sequence) <> count(*) or min(sequence) <> 1`,
  'addresses of more than one intent': `
    select address from payment_intent where address is not null group by lower(address), address having count(*) > 1`,
  'blocks that do not link': `
    select block.chain_ref, block.height from chain_block block
      join chain_block parent on parent.chain_ref = block.chain_ref and parent.height = block.height - 1
     where block.parent_hash <> parent.hash`,
};

/** Waits until nothing is left to settle or to book, and asserts what must hold then (reliability: invariants L, D, E, A). */
export async function expectBooksInOrder(database: Database): Promise<void> {
  await eventually(async () => {
    const waiting = await database.query(
      `select from dirty_intent where quarantined_at is null
        union all select from deposit where status = 'confirmed' and intent_id is null and credited_at is null`,
    );
    return waiting.length === 0;
  });
  const found: Record<string, unknown[]> = {};
  for (const [rule, query] of Object.entries(VIOLATIONS)) {
    const rows = await database.query<Record<string, unknown>>(query);
    if (rows.length > 0) found[rule] = rows;
  }
  expect(found).toEqual({});
}

/** What a merchant's pocket of a network holds, in smallest units. */
export async function pocketOf(database: Database, merchantId: string, network: string): Promise<bigint> {
  const [row] = await database.query<{ balance: string }>(
    `select account.balance from pocket join account on account.id = pocket.available_account_id
      where pocket.merchant_id = $1 and pocket.network = $2 and pocket.token = 'USDC'`,
    [merchantId, network],
  );
  return BigInt(row?.balance ?? 0);
}

/** Types of the events of an intent, oldest first, without their prefix. */
export async function eventsOf(database: Database, intentId: string): Promise<string[]> {
  const rows = await database.query<{ type: string }>(
    `select type from event where resource_id = $1 order by position`,
    [intentId],
  );
  return rows.map(({ type }) => type.replace('payment_intent.', ''));
}

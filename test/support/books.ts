import { checkRules } from '../../src/auditor/books-verification.js';
import { type Database } from '../../src/platform/database/database.js';
import { eventually } from './eventually.js';
import { query } from './sql.js';

/** Rules beyond those of the auditor; all of these queries must find no rows. */
const VIOLATIONS: Readonly<Record<string, string>> = {
  'assets whose postings do not sum to zero': `
    select environment, asset, sum(amount) from posting group by environment, asset having sum(amount) <> 0`,
  'final attributed deposits that are not credited': `
    select id from deposit
     where status = 'confirmed' and intent_id is not null and credited_at is null and gone_at is null`,
  'intents that ended without exactly one event of it, and events without their state': `
    select intent.id, intent.status, event.type, count(event.id) from payment_intent intent
      left join event on event.resource_id = intent.id
       and event.type in ('payment_intent.failed', 'payment_intent.expired')
     group by intent.id, intent.status, event.type
    having (intent.status in ('failed', 'expired')) <> (count(event.id) = 1)
        or event.type <> 'payment_intent.' || intent.status`,
  'withdrawals of which the chain says otherwise': `
    select withdrawal.id, withdrawal.status, withdrawal.tx_hash, payout.status as payout, payout.mined_hash
      from withdrawal left join chain_transaction payout
        on payout.purpose = 'withdrawal' and payout.purpose_id = withdrawal.id and payout.status not in ('superseded', 'expired')
     where (payout.status = 'reverted' and withdrawal.status <> 'failed')
        or (payout.mined_hash is not null and payout.mined_hash is distinct from withdrawal.tx_hash)
        or (payout.id is null) <> (withdrawal.signed_at is null)`,
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

/** What still waits for its settlement. */
const UNSETTLED = `
  select from dirty_intent where quarantined_at is null
  union all select from deposit
   where status = 'confirmed' and intent_id is null and credited_at is null and gone_at is null`;

/** Waits until all intents are settled, and asserts every rule of the auditor and those above. */
export async function expectBooksInOrder(database: Database): Promise<void> {
  expect(await eventually(() => brokenRules(database))).toEqual({});
}

/** Returns what breaks each broken rule; null while something is not settled. Both are read from one snapshot. */
async function brokenRules(database: Database): Promise<Record<string, unknown> | null> {
  return database.transaction(async (tx) => {
    await query(tx, `set transaction isolation level repeatable read`);
    if ((await query(tx, UNSETTLED)).length > 0) return null;
    const { rules } = await checkRules(tx);
    const broken = rules.filter(({ finding }) => finding !== null);
    const rows: Record<string, unknown> = Object.fromEntries(broken.map(({ name, finding }) => [name, finding]));
    for (const [rule, statement] of Object.entries(VIOLATIONS)) {
      const violations = await query<Record<string, unknown>>(tx, statement);
      if (violations.length > 0) rows[rule] = violations;
    }
    return rows;
  });
}

/** The balance of a merchant's pocket of a token on a network, in smallest units. */
export async function pocketOf(
  database: Database,
  merchantId: string,
  network: string,
  token = 'USDC',
): Promise<bigint> {
  const [row] = await query<{ balance: string }>(
    database,
    `select account.balance from pocket join account on account.id = pocket.available_account_id
      where pocket.merchant_id = $1 and pocket.network = $2 and pocket.token = $3`,
    [merchantId, network, token],
  );
  return BigInt(row?.balance ?? 0);
}

/** Types of the events of an intent, oldest first, without their prefix. */
export async function eventsOf(database: Database, intentId: string): Promise<string[]> {
  const rows = await query<{ type: string }>(
    database,
    `select type from event where resource_id = $1 order by position`,
    [intentId],
  );
  return rows.map(({ type }) => type.replace('payment_intent.', ''));
}

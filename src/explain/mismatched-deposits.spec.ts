import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { aChain, aMerchant, anIntent, type SeededChain } from '../../test/support/factories.js';
import { query } from '../../test/support/sql.js';
import { compiled } from '../platform/sql/sql.js';
import { type MismatchedDepositsFilter, mismatchedPage } from './mismatched-deposits.sql.js';

const PAID = 20_000;
const ODD_EVERY = 100;

let db: TestDatabase;
beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(() => db.drop());

/** Many deposits on a chain that paid as they should, and few of another token. */
async function fill(chain: SeededChain): Promise<void> {
  const { id, address } = await anIntent(db.database, { tenant: await aMerchant(db.database), chain });
  await db.query(
    `insert into deposit (id, chain_ref, token_contract, tx_hash, position, from_address, to_address, amount,
       block_height, block_hash, block_time, seen_at, status, confirmed_at, address_id, intent_id, merchant_id,
       unattributed_reason, late)
     select 'dep_' || $1 || n, $1, 'token', 'tx' || n, 0, '0xaa', address.address, 1, n, 'block', now(),
            now() - n * interval '1 second', 'confirmed', now(), address.id,
            case when n % $4 > 0 then intent.id end, case when n % $4 > 0 then intent.merchant_id end,
            case when n % $4 = 0 then 'other_token' end, case when n % $4 > 0 then false end
       from generate_series(1, $5::int) as n, pool_address address, payment_intent intent
      where address.address = $2 and intent.id = $3`,
    [chain.chainRef, address, id, ODD_EVERY, PAID],
  );
}

/** The generic plan of a page that begins `secondsAgo`, with the rows that were read. */
async function planOf(filter: Partial<MismatchedDepositsFilter>, secondsAgo: number): Promise<string> {
  const seenAt = new Date(Date.now() - secondsAgo * 1000).toISOString();
  const page = mismatchedPage({ environment: 'sandbox', network: null, ...filter }, { seenAt, id: 'dep_' }, 10);
  const { text, values } = compiled(page);
  const plan = await db.database.transaction(async (tx) => {
    await query(tx, `set local plan_cache_mode = force_generic_plan`);
    return query<{ 'QUERY PLAN': string }>(tx, `explain (analyze, buffers off, timing off) ${text}`, values);
  });
  return plan.map((line) => line['QUERY PLAN']).join('\n');
}

describe('the list of unattributed and late deposits', () => {
  beforeAll(async () => {
    await fill(await aChain(db.database));
    await fill(await aChain(db.database, { network: 'bnb' }));
    await db.query(
      `insert into acknowledgement (subject_id, subject_kind, environment, author, note)
       select case when n % 2 = 0 then 'pi_' else 'dep_' end || n, 'deposit', 'sandbox', 'author', 'seen'
         from generate_series(1, 20000) as n`,
    );
    await query(db.owner, `analyze deposit, acknowledgement`);
  });

  it('reads the index of such deposits alone, from where the page begins [N-175]', async () => {
    const text = await planOf({}, PAID - 2 * ODD_EVERY);
    expect(text).toContain('using deposit_odd');
    expect(text).not.toContain('Seq Scan on deposit');
    // Neither the deposits before the page nor other deposits are read and thrown away.
    expect(text).not.toMatch(/Rows Removed by Filter: [1-9]\d{2}/);
  });

  it.each([true, false])(
    'looks up whether a late deposit was acknowledged one by one: %s',
    async (lateAcknowledged) => {
      const text = await planOf({ lateAcknowledged }, 0);
      expect(text).toMatch(/Scan using acknowledgement_pkey/);
      expect(text).not.toMatch(/hashed SubPlan|Seq Scan on acknowledgement/);
    },
  );
});

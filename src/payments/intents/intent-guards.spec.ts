import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import {
  aChain,
  aDeposit,
  aMerchant,
  anIntent,
  moveDeposit,
  type SeededChain,
  type SeededIntent,
} from '../../../test/support/factories.js';
import { readByGenericPlan } from '../../../test/support/query-plan.js';
import { sqlRefusalOf } from '../../../test/support/sql-refusal.js';
import { query } from '../../../test/support/sql.js';
import { INTENT_STATUSES, INTENT_TRANSITIONS, type IntentStatus, isTerminal } from '../../domain/intent-state.js';
import type { Tenant } from '../../domain/tenant.js';
import { moveOpenIntents } from '../../offers/replaced-chains.js';
import type { Database } from '../../platform/database/database.js';

// The database alone: raw SQL, no service in between.

let db: TestDatabase;
let database: Database;
let tenant: Tenant;
let chain: SeededChain;

beforeAll(async () => {
  db = await freshDatabase();
  database = db.database;
  tenant = await aMerchant(database);
  chain = await aChain(database);
});
afterAll(() => db.drop());

const open = (status: IntentStatus = 'requires_action'): Promise<SeededIntent> =>
  anIntent(database, { tenant, chain, status });

const move = `
  update payment_intent set status = $2, failure_code = case when $2 = 'failed' then 'underpaid' end,
         received_amount_cents = 1, completed_at = case when $2 = 'completed' then now() end
   where id = $1`;

const refusal = ({ id }: SeededIntent, change: string): Promise<string> =>
  sqlRefusalOf(database, `update payment_intent set ${change} where id = $1`, [id]);

describe('the status of an intent [spec 3.1 created requires_action, created cancelled, created expired]', () => {
  const pairs = INTENT_STATUSES.flatMap((from) => INTENT_STATUSES.map((to) => [from, to] as const));
  const legal = pairs.filter(([from, to]) => INTENT_TRANSITIONS[from].includes(to));
  const illegal = pairs.filter(([from, to]) => from !== to && !INTENT_TRANSITIONS[from].includes(to));

  it.each(legal)('goes from %s to %s [spec 3.1]', async (from, to) => {
    const { id } = await open(from);
    await query(database, move, [id, to]);
    expect(await query(database, `select status from payment_intent where id = $1`, [id])).toEqual([{ status: to }]);
  });

  it.each(illegal)('never goes from %s to %s [spec 3.1] [E-57]', async (from, to) => {
    const { id } = await open(from);
    expect(await sqlRefusalOf(database, move, [id, to])).toMatch(/terminal|cannot go from/);
  });
});

describe('a payment intent that is over', () => {
  it.each(INTENT_STATUSES.filter(isTerminal))('and %s is frozen in every column [E-57]', async (status) => {
    const intent = await open(status);
    for (const change of ['received_amount_cents = 1', 'updated_at = now()', `reference = 'x'`, 'due_at = now()']) {
      expect(await refusal(intent, change)).toContain('terminal');
    }
    expect(await sqlRefusalOf(db.owner, 'delete from payment_intent where id = $1', [intent.id])).toContain('terminal');
  });
});

describe('a quote', () => {
  it.each([
    `address = '0x1'`,
    'crypto_amount = crypto_amount + 1',
    `token_price = '2'`,
    'token_price_cents = 200',
    `token_contract = '0x2'`,
    'token_decimals = 18',
    `address = null, crypto_amount = null, token_price = null, token_price_cents = null, token_contract = null,
     token_decimals = null, price_round_id = null, chain_ref = null`,
  ])('is locked with the address: %s is refused [E-61] [spec 2.1]', async (change) => {
    expect(await refusal(await open(), change)).toContain('is locked');
  });

  it('moves from a replaced chain to its successor, and to no other chain', async () => {
    const intent = await open();
    const replaced = await aChain(database, { network: 'bnb' });
    const moving = await anIntent(database, { tenant, chain: replaced });
    const over = await anIntent(database, { tenant, chain: replaced, status: 'expired' });
    await query(database, `update chain set active = false where id = $1`, [replaced.chainRef]);
    const successor = await aChain(database, { network: 'bnb' });
    expect(await refusal(intent, `chain_ref = '${successor.chainRef}'`)).toContain('is locked');
    expect(await refusal(moving, `chain_ref = '${chain.chainRef}'`)).toContain('is locked');
    expect(await refusal(over, `chain_ref = '${successor.chainRef}'`)).toContain('terminal');
    await query(database, `update payment_intent set chain_ref = $2 where id = $1`, [moving.id, successor.chainRef]);
    expect(await refusal(moving, `chain_ref = '${replaced.chainRef}'`)).toContain('is locked');
  });

  it('of a live intent never moves, not even to a chain that looks like a successor', async () => {
    const replaced = await aChain(database, { environment: 'live' });
    const intent = await anIntent(database, { tenant: { ...tenant, environment: 'live' }, chain: replaced });
    await query(database, `update chain set active = false where id = $1`, [replaced.chainRef]);
    const successor = await aChain(database, { environment: 'live' });
    await query(db.owner, `update chain_token set contract = $2 where chain_ref = $1`, [
      successor.chainRef,
      replaced.contract,
    ]);
    await moveOpenIntents(database.em());
    expect(await query(database, `select chain_ref from payment_intent where id = $1`, [intent.id])).toEqual([
      { chain_ref: replaced.chainRef },
    ]);
    expect(await refusal(intent, `chain_ref = '${successor.chainRef}'`)).toContain('is locked');
  });

  it('is there as a whole or not at all [spec 2.1]', async () => {
    const { id } = await open();
    const half = sqlRefusalOf(
      database,
      `insert into payment_intent (id, merchant_id, environment, status, amount_cents, currency, settlement_currency,
         network, token, address, created_at, updated_at, expires_at, due_at)
       select id || 'x', merchant_id, environment, status, amount_cents, currency, settlement_currency, network, token,
         address || 'x', created_at, updated_at, expires_at, due_at from payment_intent where id = $1`,
      [id],
    );
    expect(await half).toContain('payment_intent_check');
  });
});

describe('what a payment intent was created with', () => {
  it.each(['amount_cents = 1', `network = 'bnb'`, `token = 'DAI'`, `environment = 'live'`, 'created_at = now()'])(
    'never changes: %s is refused',
    async (change) => {
      expect(await refusal(await open(), change)).toContain('immutable');
    },
  );
});

describe('what an intent received', () => {
  it.each(['received_amount_cents = amount_cents + 1', 'received_amount_cents = -1', 'overpaid_amount_cents = -1'])(
    'is never more than was asked for, and never negative: %s is refused',
    async (change) => {
      expect(await refusal(await open('processing'), change)).toContain('check constraint');
    },
  );
});

describe('a deposit that is final', () => {
  it.each([
    `update deposit set status = 'seen', confirmed_at = null where id = $1`,
    `update deposit set status = 'orphaned', confirmed_at = null where id = $1`,
    'update deposit set amount = amount + 1 where id = $1',
    'update deposit set intent_id = null, unattributed_reason = $$other_token$$ where id = $1',
    'delete from deposit where id = $1',
  ])('stays so: %s is refused', async (statement) => {
    const deposit = await aDeposit(database, await open());
    await moveDeposit(database, deposit, 'confirmed');
    expect(await sqlRefusalOf(db.owner, statement, [deposit])).toContain('final');
  });

  it('is credited once', async () => {
    const deposit = await aDeposit(database, await open(), { status: 'confirmed' });
    await query(database, `update deposit set credited_at = now() where id = $1`, [deposit]);
    const again = `update deposit set credited_at = now() + interval '1 second' where id = $1`;
    expect(await sqlRefusalOf(database, again, [deposit])).toContain('credited already');
  });
});

describe('a deposit', () => {
  it('that is not final is not credited', async () => {
    const deposit = await aDeposit(database, await open());
    const credit = `update deposit set credited_at = now() where id = $1`;
    expect(await sqlRefusalOf(database, credit, [deposit])).toContain('check constraint');
  });

  it('is always one transfer: chain, transaction and position [F-65]', async () => {
    const deposit = await aDeposit(database, await open());
    expect(await sqlRefusalOf(database, `update deposit set tx_hash = '0x1' where id = $1`, [deposit])).toContain(
      'immutable',
    );
    const twin = `
      insert into deposit (id, chain_ref, token_contract, tx_hash, position, from_address, to_address, amount,
        block_height, block_hash, block_time, status, address_id, intent_id, merchant_id)
      select id || 'x', chain_ref, token_contract, tx_hash, position, from_address, to_address, amount,
        block_height + 1, 'other block', block_time, status, address_id, intent_id, merchant_id from deposit where id = $1`;
    expect(await sqlRefusalOf(database, twin, [deposit])).toContain('deposit_chain_ref_tx_hash_position_key');
  });
});

describe('the end of an intent', () => {
  it('asks for money on hold by an index that holds payments of listed senders alone', async () => {
    const intent = await open('processing');
    const original = await aDeposit(database, intent);
    await query(
      database,
      `insert into deposit
       select (jsonb_populate_record(deposit, jsonb_build_object('id', 'dep_dust_' || n, 'tx_hash', '0x' || n))).*
         from deposit cross join generate_series(1, 2000) n where deposit.id = $1`,
      [original],
    );
    await query(db.owner, 'analyze deposit');
    const [guard] = await query<{ body: string }>(
      database,
      `select prosrc as body from pg_proc where proname = 'payment_intent_end'`,
    );
    const asked =
      /exists \(\s*(?<query>select from deposit\s+where intent_id = new\.id and listed_sender_id is not null)\)/;
    const statement = asked.exec(guard?.body ?? '')?.groups?.['query'] ?? '';
    const { scans } = await readByGenericPlan(database, statement.replace('new.id', '$1'), [intent.id]);
    expect(scans).toEqual(['Index Only Scan on deposit by deposit_of_listed']);
  });
});

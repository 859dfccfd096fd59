import type { CheckedRule } from '../../src/auditor/books-verification.js';
import { CHAIN_RULES_COUNT } from '../../src/auditor/chain-checks.js';
import { contentHashOf } from '../../src/domain/posting.js';
import { Sealer } from '../../src/ledger/sealer.service.js';
import { writeSandboxFile } from '../../src/start/first-run.js';
import { sql, type Tx } from '../../src/platform/database/database.js';
import { addressOf, intentWithAddress, untilStatus } from '../http/intents.js';
import { FINAL_DEPTH } from '../http/paying.js';
import { expectBooksInOrder } from '../support/books.js';
import { runCommand } from '../support/cli-run.js';
import { eventually } from '../support/eventually.js';
import { startWorld, type World } from '../support/world.js';
import {
  fillHotWallet,
  filledPocket,
  freezeMerchant,
  pocketOn,
  untilEnded,
  withdraw,
} from '../withdrawals/withdrawals.js';
import { brokenBy, expectNamed, rowOf } from './tampering.js';

let world: World;
let ids: Readonly<Record<'deposit' | 'intent' | 'completed' | 'failed' | 'waiting', string>>;

/** Payments that completed, and withdrawals that completed, failed and wait: rows of every kind that money leaves. */
beforeAll(async () => {
  world = await startWorld();
  const { api, database, databaseUrl, merchantId } = world;
  await filledPocket(world);
  const intent = await intentWithAddress(api);
  const polygon = world.chain('polygon');
  await polygon.pay({ to: addressOf(intent), token: 'USDC', amount: BigInt(intent.crypto_amount ?? 0) });
  await polygon.mine(FINAL_DEPTH);
  await untilStatus(api, intent.id, 'completed');
  await fillHotWallet(world);
  const pocket = await pocketOn(api, 'polygon');
  const completed = (await withdraw(api, pocket.id)).body.id;
  await untilEnded(api, completed, 'completed');
  await freezeMerchant(database, merchantId, 'for this test');
  const failed = (await withdraw(api, pocket.id)).body.id;
  const chains = world.service.stack?.devChains ?? [];
  await writeSandboxFile(world.dataDir, { apiUrl: world.url, apiKey: world.apiKey, merchantId, chains, pockets: {} });
  const beside = { DATABASE_URL: databaseUrl, DATA_DIR: world.dataDir };
  await runCommand(['withdrawals', 'cancel', failed, '--reason', 'for this test'], beside);
  await untilEnded(api, failed, 'failed');
  const waiting = (await withdraw(api, pocket.id)).body.id;
  const [deposit] = await database.query<{ id: string }>(`select id from deposit where intent_id = $1`, [intent.id]);
  ids = { deposit: deposit?.id ?? '', intent: intent.id, completed, failed, waiting };
  await eventually(async () => (await database.query(`select from event where sequence is null`)).length === 0);
  await world.service.get(Sealer).seal();
}, 120_000);
afterAll(() => world.stop());

it('books that nobody touched hold, by every rule [H-107]', async () => {
  await expectBooksInOrder(world.database);
  const { code, out, err } = await verify();
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).not.toMatch(/BROKEN|NOT ASKED/);
  expect(out.match(/^ok +sandbox\/polygon: /gm)).toHaveLength(CHAIN_RULES_COUNT);
  expect(out).toMatch(/\nThe books hold\. Head of the chain, to be noted elsewhere: \d+:[0-9a-f]{64}\n$/);
});

/** `npx coffer verify`, beside the running service. */
const verify = () => runCommand(['verify'], { DATABASE_URL: world.databaseUrl, DATA_DIR: world.dataDir });

const broken = (change: (tx: Tx) => Promise<unknown>): Promise<readonly CheckedRule[]> =>
  brokenBy(world.owner, change);

/** The entry of the deposit, with its number in the chain and the two postings. */
async function creditOf(tx: Tx) {
  const [entry] = await sql<{ id: string; sequence: string; reference: string; kind: string }>(
    tx,
    `select entry.*, sequence from entry join ledger_seal on entry_id = entry.id where reference = $1`,
    [`deposit:${ids.deposit}`],
  );
  if (entry === undefined) throw new Error('The deposit is not booked.');
  return entry;
}

describe('the hash chain names', () => {
  it.each([
    [
      'an amount that was changed on one leg',
      `update posting set amount = amount + 1 where entry_id = $1 and amount > 0`,
    ],
    ['amounts that were changed and balance', `update posting set amount = amount * 2 where entry_id = $1`],
    ['a posting that is gone', `delete from posting where entry_id = $1 and amount > 0`],
    ['an entry that tells of another fact', `update entry set reference = 'deposit:other' where id = $1`],
    ['an entry of another kind', `update entry set kind = 'withdrawal_refund' where id = $1`],
    ['an entry that is gone', `delete from entry where id = $1`],
  ])('%s', async (_name, statement) => {
    const [row, rules] = await tampered(statement);
    expect(rowOf(rules, 'seals_hold')).toBe(row);
  });

  async function tampered(statement: string): Promise<[row: string, rules: readonly CheckedRule[]]> {
    let row = '';
    const rules = await broken(async (tx) => {
      const { id } = await creditOf(tx);
      row = `entry ${id}`;
      await sql(tx, statement, [id]);
    });
    return [row, rules];
  }

  it('an entry that was changed with its content hash', async () => {
    let row = '';
    const rules = await broken(async (tx) => {
      const { id, reference, kind } = await creditOf(tx);
      row = `entry ${id}`;
      const legs = await sql<{ account_id: string; asset: `polygon:${string}`; amount: string }>(
        tx,
        `update posting set amount = amount * 2 where entry_id = $1 returning account_id, asset, amount`,
        [id],
      );
      const posted = legs.map((leg) => ({ ...leg, accountId: Number(leg.account_id), amount: BigInt(leg.amount) }));
      const hash = contentHashOf({ reference, kind, legs: posted });
      await sql(tx, `update entry set content_hash = $2 where id = $1`, [id, hash]);
    });
    expect(rules.find(({ name }) => name === 'seals_hold')?.finding).toEqual({
      row,
      says: 'was changed after it was sealed',
    });
  });

  it.each([
    ['an entry whose time was changed', `update entry set created_at = created_at - interval '1 day' where id = $1`],
    ['a seal that was rewritten', `update ledger_seal set hash = repeat('a', 64) where entry_id = $1`],
    ['a seal that is gone', `delete from ledger_seal where entry_id = $1`],
  ])('%s', async (_name, statement) => {
    let row = '';
    const rules = await broken(async (tx) => {
      const { id, sequence } = await creditOf(tx);
      row = `ledger_seal ${sequence}`;
      await sql(tx, statement, [id]);
    });
    expect(rowOf(rules, 'seals_hold')).toBe(row);
  });

  it('an entry that lost its seal at the end of the chain', async () => {
    let row = '';
    const rules = await broken(async (tx) => {
      const [gone] = await sql<{ entry_id: string }>(
        tx,
        `delete from ledger_seal where sequence = (select max(sequence) from ledger_seal) returning entry_id`,
      );
      row = `entry ${gone?.entry_id}`;
    });
    expect(rowOf(rules, 'unsealed_entries_hold')).toBe(row);
  });

  it('an entry that the sealer passed over', async () => {
    let row = '';
    const rules = await broken(async (tx) => {
      const [passed] = await sql<{ entry_id: string }>(
        tx,
        `with last as (delete from ledger_seal where sequence = (select max(sequence) from ledger_seal)
                        returning entry_id)
         insert into unsealed_entry select entry_id from last returning entry_id`,
      );
      row = `entry ${passed?.entry_id}`;
      await sql(tx, `update entry set created_at = created_at - interval '11 minutes' where id = $1`, [
        passed?.entry_id ?? '',
      ]);
    });
    expect(rules.find(({ name }) => name === 'unsealed_entries_hold')?.finding).toEqual({
      row,
      says: 'was passed over when later ones were sealed',
    });
  });
});

type Id = keyof typeof ids;

describe('a rule of the books names', () => {
  it.each<[name: string, statement: string, id: Id, rule: string, row: string]>([
    [
      'a deposit of another amount',
      `update deposit set amount = amount + 1 where id = $1`,
      'deposit',
      'deposits_are_booked',
      'deposit $1',
    ],
    [
      'a deposit that was given to another merchant',
      `update deposit set merchant_id = 'mer_other' where id = $1`,
      'deposit',
      'deposits_are_booked',
      'deposit $1',
    ],
    [
      'a final deposit that is not credited',
      `update deposit set credited_at = null where id = $1`,
      'deposit',
      'final_deposits_are_credited',
      'deposit $1',
    ],
    [
      'an intent that says it received more',
      `update payment_intent set received_crypto_amount = received_crypto_amount + 1 where id = $1`,
      'intent',
      'completed_intents_are_paid',
      'payment_intent $1',
    ],
    [
      'an intent that completed for less',
      `update payment_intent set received_amount_cents = received_amount_cents - 1 where id = $1`,
      'intent',
      'completed_intents_are_paid',
      'payment_intent $1',
    ],
    [
      'a completion that nobody was told of',
      `delete from event where resource_id = $1 and type = 'payment_intent.completed'`,
      'intent',
      'completions_are_told_once',
      'payment_intent $1',
    ],
    [
      'a withdrawal of another amount',
      `update withdrawal set amount = amount + 1 where id = $1`,
      'completed',
      'withdrawals_are_booked',
      'withdrawal $1',
    ],
    [
      'a withdrawal that failed and says it completed',
      `update withdrawal set status = 'completed', completed_at = now(), failure_code = null, failure_message = null,
              tx_hash = '0xab' where id = $1`,
      'failed',
      'completed_are_paid_once',
      'withdrawal $1',
    ],
    [
      'a withdrawal that waits and says it failed',
      `update withdrawal set status = 'failed', failure_code = 'cancelled', failure_message = 'x' where id = $1`,
      'waiting',
      'withdrawals_are_booked',
      'withdrawal $1',
    ],
    [
      'a withdrawal that names another transaction',
      `update withdrawal set tx_hash = '0xab' where id = $1`,
      'completed',
      'completed_are_paid_once',
      'withdrawal $1',
    ],
    [
      'an end that was told twice',
      `insert into event (id, merchant_id, environment, type, resource_id, data, created_at)
       select id || 'x', merchant_id, environment, type, resource_id, data, created_at from event
        where resource_id = $1 and type = 'withdrawal.completed'`,
      'completed',
      'endings_are_told_once',
      'withdrawal $1',
    ],
  ])('%s', async (_name, statement, id, rule, row) => {
    const rules = await broken((tx) => sql(tx, statement, [ids[id]]));
    expect(rowOf(rules, rule)).toBe(row.replace('$1', ids[id]));
  });

  /** Each statement gives the row that is to be named. */
  it.each<[name: string, statement: string, rule: string]>([
    [
      'an account whose balance was changed',
      `update account set balance = balance + 1 from pocket
        where account.id = pocket.available_account_id and pocket.token = 'USDC' and network = 'polygon'
        returning 'account ' || account.id as row`,
      'balances_are_sums',
    ],
    [
      'money that is held for nothing',
      `update withdrawal set pocket_id = 'pkt_other' where status = 'broadcasting'
       returning (select 'pocket ' || id from pocket where id = (select pocket_id from withdrawal where status = 'completed')) as row`,
      'held_is_on_its_way',
    ],
    [
      'a pocket that uses the account of another',
      `update pocket set available_account_id = held_account_id
        where token = 'USDC' and network = 'polygon' returning 'pocket ' || id as row`,
      'pockets_own_accounts',
    ],
    [
      'a posting in another asset than its account',
      `update posting set asset = 'polygon:0xother' where id = (select max(id) from posting)
       returning 'posting ' || id as row`,
      'postings_fit_accounts',
    ],
    [
      'a booking whose withdrawal is gone',
      `delete from withdrawal where status = 'broadcasting'
       returning (select 'entry ' || entry.id from entry where reference = 'withdrawal:' || withdrawal.id) as row`,
      'withdrawals_are_booked',
    ],
    [
      'bytes that were signed for another order',
      `update withdrawal set amount = amount + 1 where status = 'completed'
       returning (select 'transaction_attempt ' || transaction_id || '/1' from transaction_attempt limit 1) as row`,
      'payments_are_ordered',
    ],
    [
      'bytes of another transaction',
      `update transaction_attempt set tx_hash = overlay(tx_hash placing 'ffff' from 3)
       returning 'transaction_attempt ' || transaction_id || '/' || number as row`,
      'payments_are_ordered',
    ],
    [
      'bytes that were changed',
      `update transaction_attempt set raw_transaction = overlay(raw_transaction placing 'ff' from 60)
       returning 'transaction_attempt ' || transaction_id || '/' || number as row`,
      'payments_are_ordered',
    ],
    [
      'money that was made of nothing, in an entry that balances',
      `with gift as (insert into entry (id, reference, kind, content_hash)
                     values ('ent_gift', 'gift:1', 'gift', 'x') returning id),
            legs as (insert into posting (entry_id, account_id, asset, environment, amount)
                     select gift.id, account.id, account.asset, account.environment,
                            case kind when 'chain' then -500 else 500 end
                       from gift, account where asset = (select asset from account where kind = 'chain' limit 1)
                        and kind in ('chain', 'pocket_available'))
       select 'entry ' || id as row from gift`,
      'kinds_are_known',
    ],
    [
      'a refund that is given twice',
      `with again as (insert into entry (id, reference, kind, content_hash)
                      select 'ent_again', reference || ':again', kind, 'x' from entry where kind = 'withdrawal_refund'
                      returning id),
            legs as (insert into posting (entry_id, account_id, asset, environment, amount)
                     select again.id, account_id, asset, environment, amount from again, posting
                      where entry_id = (select id from entry where kind = 'withdrawal_refund'))
       select 'entry ' || id as row from again`,
      'withdrawals_are_booked',
    ],
    [
      'a transaction that is gone',
      `delete from chain_transaction returning 'hot_wallet ' || chain_ref as row`,
      'nonces_have_no_gaps',
    ],
    [
      'a nonce that was skipped',
      `update hot_wallet set next_nonce = next_nonce + 1 where next_nonce > 0 returning 'hot_wallet ' || chain_ref as row`,
      'nonces_have_no_gaps',
    ],
    [
      'a signature without a verdict',
      `delete from vault_audit returning 'transaction_attempt ' || transaction_id || '/' || attempt as row`,
      'signatures_are_accounted_for',
    ],
    [
      'gas that was paid and not booked so',
      `update chain_transaction set fee_paid = fee_paid + 1 returning 'chain_transaction ' || id as row`,
      'gas_is_booked',
    ],
    [
      'a top-up of another amount',
      `update top_up set amount = amount + 1 where id = (select min(id) from top_up) returning 'top_up ' || id as row`,
      'top_ups_are_booked',
    ],
    [
      'a top-up that is gone',
      `delete from top_up where id = (select min(id) from top_up)
       returning (select 'entry ' || entry.id from entry where reference = 'top_up:' || top_up.id) as row`,
      'top_ups_are_booked',
    ],
    [
      'a top-up that is booked twice',
      `with again as (insert into entry (id, reference, kind, content_hash)
                      select 'ent_again', 'top_up', kind, 'x' from entry where kind = 'top_up' limit 1 returning id),
            legs as (insert into posting (entry_id, account_id, asset, environment, amount)
                     select again.id, account_id, asset, environment, amount from again, posting
                      where entry_id = (select id from entry where kind = 'top_up' limit 1))
       select 'entry ' || id as row from again`,
      'top_ups_are_booked',
    ],
    [
      'a hot wallet that has more in the books than came there',
      `update stocktaking set booked = booked + 1 where token_contract = 'native' and booked > 0
       returning 'stocktaking ' || chain_ref || '/' || token_contract as row`,
      'stocktakings_add_up',
    ],
    [
      'a hot wallet that was compared before a transaction had ended',
      `update stocktaking set booked_nonce = booked_nonce - 1 where booked_nonce > 0 and token_contract = 'native'
       returning 'stocktaking ' || chain_ref || '/' || token_contract as row`,
      'stocktakings_add_up',
    ],
    [
      'a hot wallet that lacked coins',
      `update stocktaking set missing = 1 where token_contract = 'native' and booked > 0
       returning 'stocktaking ' || chain_ref || '/' || token_contract as row`,
      'hot_wallets_lack_nothing',
    ],
    [
      'coins of the ledger that lie nowhere',
      `update posting set amount = amount * 2
        where entry_id = (select id from entry where reference like 'deposit:%' order by id limit 1)
       returning 'account ' || (select account_id from posting other join account on account.id = account_id
                                 where other.entry_id = posting.entry_id and kind = 'chain') as row`,
      'chain_owes_what_lies_there',
    ],
    [
      'coins on a deposit address that the ledger does not know',
      `update deposit_balance set received = received + 1 where address_id = (select min(address_id) from deposit_balance)
       returning 'account ' || (select account.id from account join chain using (environment)
                                 where kind = 'chain' and chain.id = chain_ref
                                   and asset = network || ':' || lower(token_contract)) as row`,
      'chain_owes_what_lies_there',
    ],
  ])('%s', async (_name, statement, rule) => {
    await expectNamed(world.owner, statement, rule);
  });
});

describe('the chain itself says otherwise of', () => {
  /** What `verify` says while these changes stand, made with every guard switched off. */
  async function told(change: string, back: string, parameters: readonly string[], expected = 1): Promise<string> {
    const tamper = (statement: string): Promise<unknown> =>
      world.owner.transaction(async (tx) => {
        await sql(tx, `set local session_replication_role = replica`);
        await sql(tx, statement, parameters);
      });
    await tamper(change);
    try {
      const { code, out } = await verify();
      expect({ code, out }).toMatchObject({ code: expected });
      return out;
    } finally {
      await tamper(back);
    }
  }

  it('a deposit that never came', async () => {
    const out = await told(
      `update deposit set tx_hash = overlay($2::text placing 'ffff' from 3) where id = $1`,
      `update deposit set tx_hash = $2 where id = $1`,
      [ids.deposit, await hashOf(ids.deposit)],
    );
    expect(out).toContain(`deposits_are_on_chain: deposit ${ids.deposit} moves 25000000, which block`);
  });

  it('no deposit whose transaction another block has taken over', async () => {
    await told(
      `update deposit set block_height = block_height - 1, block_hash = 'elsewhere' where id = $1 and block_hash = $2`,
      `update deposit set block_height = block_height + 1, block_hash = $2 where id = $1`,
      [ids.deposit, await blockHashOf(ids.deposit)],
      0,
    );
  });

  it('the coins, and not the deposit, where staff booked one out that never was gone', async () => {
    const out = await told(
      `update deposit set tx_hash = overlay($2::text placing 'ffff' from 3), gone_at = now(), reversed_at = now()
        where id = $1`,
      `update deposit set tx_hash = $2, gone_at = null, reversed_at = null where id = $1`,
      [ids.deposit, await hashOf(ids.deposit)],
    );
    expect(out).not.toContain(`deposits_are_on_chain: deposit ${ids.deposit}`);
    expect(out).toMatch(/addresses_hold_deposits: address 0x[0-9a-f]{40} holds 25000000 of 0x[0-9a-f]{40}/);
  });

  it('a transfer that is no deposit', async () => {
    const [kept] = await world.database.query<{ row: string }>(
      `select to_jsonb(deposit)::text as row from deposit where id = $1`,
      [ids.deposit],
    );
    const out = await told(
      `delete from deposit where id = $1::jsonb ->> 'id'`,
      `insert into deposit select restored.* from jsonb_populate_record(null::deposit, $1) restored`,
      [kept?.row ?? ''],
    );
    expect(out).toMatch(
      /addresses_hold_deposits: address 0x[0-9a-f]{40} holds 25000000 of 0x[0-9a-f]{40}, and its deposits and sweeps leave 0\./,
    );
  });

  it('a deposit of the coin that is not on its address', async () => {
    const out = await told(
      `insert into deposit select fake.* from deposit, jsonb_populate_record(deposit,
         '{"id": "dep_fake", "tx_hash": null, "from_address": null, "position": -1, "token_contract": "native", "amount": 3}') fake where deposit.id = $1`,
      `delete from deposit where id = 'dep_fake' and $1 <> ''`,
      [ids.deposit],
    );
    expect(out).toMatch(
      /addresses_hold_deposits: address 0x[0-9a-f]{40} holds 0 of the coin, and its deposits and sweeps leave 3\./,
    );
  });

  it('coins of a hot wallet that were put there', async () => {
    const out = await told(
      `update top_up set amount = amount + 1 where token_contract = $1`,
      `update top_up set amount = amount - 1 where token_contract = $1`,
      ['native'],
    );
    expect(out).toMatch(
      /hot_wallet_holds_books: hot_wallet sandbox-polygon-\S+ holds \d+ of native at block \d+, and the books say \d+\./,
    );
  });

  it('a payment that is told to have been reverted', async () => {
    const [sent] = await world.database.query<{ id: string; mined_hash: string }>(
      `select id, mined_hash from chain_transaction where purpose_id = $1`,
      [ids.completed],
    );
    const reverted = await told(
      `update chain_transaction set status = 'reverted' where id = $1`,
      `update chain_transaction set status = 'succeeded' where id = $1`,
      [sent?.id ?? ''],
    );
    expect(reverted).toContain(
      `payments_are_on_chain: chain_transaction ${sent?.id} reverted as ${sent?.mined_hash}, and the chain says otherwise.`,
    );
  });

  it('a hot wallet that somebody else uses', async () => {
    const out = await told(
      `update hot_wallet set next_nonce = next_nonce - 1 where $1 <> '' and next_nonce > 0`,
      `update hot_wallet set next_nonce = next_nonce + 1 where $1 <> '' and chain_nonce > next_nonce`,
      [ids.completed],
    );
    expect(out).toMatch(
      /nonces_are_ours: hot_wallet \S+ has sent 1 transactions by the chain; 1 ended and 0 were signed\./,
    );
  });

  const hashOf = async (id: string): Promise<string> => (await placeOf(id)).tx_hash;
  const blockHashOf = async (id: string): Promise<string> => (await placeOf(id)).block_hash;

  async function placeOf(id: string): Promise<{ tx_hash: string; block_hash: string }> {
    const [deposit] = await world.database.query<{ tx_hash: string; block_hash: string }>(
      `select tx_hash, block_hash from deposit where id = $1`,
      [id],
    );
    if (deposit === undefined) throw new Error(`There is no deposit ${id}.`);
    return deposit;
  }
});

import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { aChain, aDeposit, aMerchant, anIntent, type SeededIntent } from '../../test/support/factories.js';
import { query } from '../../test/support/sql.js';
import { anUnattributedDeposit } from '../../test/support/unattributed-deposits.js';
import { newId } from '../domain/ids.js';
import { ENVIRONMENTS } from '../domain/network.js';
import { compiled, type SqlText } from '../platform/sql/sql.js';
import * as byCall from './hits-by-call.sql.js';
import { HITS_BY_ID } from './hits-by-id.sql.js';
import * as onChain from './hits-on-chain.sql.js';
import { Search } from './search.service.js';

const HASH = `0x${'ab'.repeat(32)}`;
const LIVE_HASH = `0x${'cd'.repeat(32)}`;

let db: TestDatabase;
let search: Search;
let first: SeededIntent;
let second: SeededIntent;
let live: SeededIntent;
let strayHash: string;

beforeAll(async () => {
  db = await freshDatabase();
  const { database } = db;
  search = new Search(database);
  const [chain, liveChain] = [await aChain(database), await aChain(database, { environment: 'live' })];
  const [one, other] = [await aMerchant(database), await aMerchant(database)];
  first = await anIntent(database, { tenant: one, chain });
  second = await anIntent(database, { tenant: other, chain });
  live = await anIntent(database, { tenant: { ...one, environment: 'live' }, chain: liveChain });
  await db.query(`update payment_intent set reference = 'Order-7' where id = any($1)`, [[first.id, second.id]]);
  await db.query(`update payment_intent set reference = 'order 8 of live' where id = $1`, [live.id]);
  await aDeposit(database, first, { txHash: HASH, status: 'confirmed' });
  await aDeposit(database, live, { txHash: LIVE_HASH, status: 'confirmed' });
  const stray = await anUnattributedDeposit(database, { chain, address: second.address, reason: 'other_token' });
  const [row] = await db.query<{ tx_hash: string }>(`select tx_hash from deposit where id = $1`, [stray]);
  strayHash = row?.tx_hash ?? '';
});
afterAll(() => db.drop());

const found = async (text: string, visible: readonly ('sandbox' | 'live')[] = ENVIRONMENTS) => {
  const { hits, elsewhere, unknown } = await search.find(text, { environment: 'sandbox', visible });
  return { hits: hits.map(({ id }) => id), elsewhere: elsewhere.map(({ id }) => id), unknown };
};
const only = (id: string) => ({ hits: [id], elsewhere: [], unknown: [] });

describe('a text names', () => {
  it.each<[what: string, text: () => string]>([
    ['its id in a sentence', () => `What about ${first.id}?`],
    ['its id in capitals', () => first.id.toUpperCase()],
    ['its address in capitals', () => `0x${first.address.slice(2).toUpperCase()}`],
    ['the transaction in a sentence', () => `I sent ${HASH}, thanks`],
    ['both at once', () => `${HASH} to ${first.address}`],
  ])('an intent by %s', async (_what, text) => {
    expect(await found(text())).toEqual(only(first.id));
  });

  it('every intent of a reference, exactly as it was given', async () => {
    expect((await found('My Order-7 is missing')).hits.toSorted()).toEqual([first.id, second.id].toSorted());
    expect(await found('order-7')).toEqual({ hits: [], elsewhere: [], unknown: [] });
  });

  it('the intent whose address a payment in another token has reached', async () => {
    expect(await found(`USDT ${strayHash}`)).toEqual(only(second.id));
  });

  it('what is in the other environment, and only for those who may see it', async () => {
    for (const text of [live.id, LIVE_HASH, live.address, 'order 8 of live']) {
      expect(await found(text)).toMatchObject({ hits: [], elsewhere: [live.id] });
      expect((await found(text, ['sandbox'])).elsewhere).toEqual([]);
    }
    expect((await found(live.id, ['sandbox'])).unknown).toEqual([live.id]);
  });

  it('nothing by an identifier that does not exist, which it says', async () => {
    const unknown = newId('pi_');
    expect(await found(`Where is ${unknown}?`)).toEqual({ hits: [], elsewhere: [], unknown: [unknown] });
  });

  it('what a request has made', async () => {
    const requestId = newId('req_');
    const id = newId('pi_');
    await db.query(
      `insert into payment_intent (id, merchant_id, environment, status, amount_cents, currency, settlement_currency,
         network, token, created_at, updated_at, expires_at, due_at, request_id)
       select $2, merchant_id, environment, 'requires_action', 100, 'USD', 'USDC', network, token, now(), now(), now(),
              now(), $3 from payment_intent where id = $1`,
      [first.id, id, requestId],
    );
    expect(await found(`Request-Id: ${requestId}`)).toEqual(only(id));
  });
});

it('a request that has made nothing, by its id in the log', async () => {
  const requestId = newId('req_');
  await db.query(
    `insert into api_request (environment, id, merchant_id, api_key_id, method, route, status, error_code, replayed, duration_ms,
       created_at)
     values ('sandbox', $1, 'mer_1', 'key_1', 'POST', '/v1/payment-intents', 400, 'invalid_request', false, 3, now())`,
    [requestId],
  );
  expect(await found(`It failed: ${requestId.toUpperCase()}`)).toEqual(only(requestId));
  const { hits } = await search.find(requestId, { environment: 'live', visible: ['live'] });
  expect(hits).toEqual([]);
});

describe('every statement of the search', () => {
  const window = { requestId: newId('req_'), from: new Date(), until: new Date() };
  const texts = ['Order-7', 'other'];
  it.each<[what: string, statement: SqlText]>([
    ...Object.entries(HITS_BY_ID).map(
      ([prefix, statement]) => [prefix, statement(['a', 'b'])] satisfies [string, SqlText],
    ),
    ['intents by address', onChain.intentsByAddress('evm', texts)],
    ['withdrawals by address', onChain.withdrawalsByAddress(ENVIRONMENTS, texts)],
    ['intents by transaction', onChain.intentsByTransaction('evm', texts)],
    ['deposits by transaction', onChain.depositsByTransaction('evm', texts)],
    ['withdrawals by transaction', onChain.withdrawalsByTransaction(texts)],
    ['intents by reference', byCall.intentsByReference(ENVIRONMENTS, texts)],
    ['withdrawals by reference', byCall.withdrawalsByReference(ENVIRONMENTS, texts)],
    ['intents by key', byCall.intentsByIdempotencyKey(ENVIRONMENTS, texts)],
    ['withdrawals by key', byCall.withdrawalsByIdempotencyKey(ENVIRONMENTS, texts)],
    ['intents by request', byCall.intentsByRequest(ENVIRONMENTS, window)],
    ['withdrawals by request', byCall.withdrawalsByRequest(ENVIRONMENTS, window)],
    ['intents by later request', byCall.intentsByLaterRequest(window)],
    ['requests', byCall.requestsById(ENVIRONMENTS, texts)],
  ])('finds %s along an index', async (_what, statement) => {
    const large =
      /Seq Scan on (?:payment_intent|withdrawal|deposit|event|delivery|idempotency_record|pool_address|chain_transaction|transaction_attempt|api_request)\b/;
    expect((await planOf(statement)).filter((line) => large.test(line))).toEqual([]);
  });

  it('reads of many withdrawals to one address only the newest', async () => {
    const plan = await planOf(onChain.withdrawalsByAddress(ENVIRONMENTS, texts));
    expect(plan.filter((line) => /Sort|Index Scan .*withdrawal/.test(line))).toEqual([
      expect.stringContaining('Index Scan Backward using withdrawal_destination on withdrawal'),
    ]);
  });

  async function planOf(statement: SqlText): Promise<string[]> {
    const plan = await db.database.transaction(async (tx) => {
      // A table of a few rows is read whole, unless that costs more than any index.
      await query(tx, 'set local enable_seqscan = off');
      return query<{ 'QUERY PLAN': string }>(tx, `explain (generic_plan) ${compiled(statement).text}`);
    });
    return plan.map((line) => line['QUERY PLAN']);
  }
});

import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { aChain, aMerchant, type SeededChain } from '../../test/support/factories.js';
import { aHotWallet, anAttempt, HOT_WALLET } from '../../test/support/outgoing.js';
import { newId } from '../domain/ids.js';
import type { Tenant } from '../domain/tenant.js';
import { PocketsService } from '../ledger/pockets.service.js';
import { WithdrawalReader } from './withdrawal-reader.service.js';
import { listWithdrawalsQuery } from './withdrawal.schema.js';

const DESTINATION = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const ELSEWHERE = `0x${'12'.repeat(20)}`;

let db: TestDatabase;
let reader: WithdrawalReader;
let chain: SeededChain;
let own: Tenant;
let other: Tenant;
/** The merchant's own withdrawals, the oldest first; the second was signed twice. One of another merchant follows. */
let ids: readonly [string, string, string];
let foreign: string;
let hashes: readonly string[];

async function aWithdrawal(tenant: Tenant, reference: string | null, destination: string): Promise<string> {
  const id = newId('wd_');
  const [pocket] = await db.query<{ id: string }>(
    `insert into withdrawal (id, merchant_id, environment, pocket_id, chain_ref, network, token, token_contract,
       token_decimals, minor_unit_exponent, amount_cents, amount, network_fee_cents, fee_amount, destination,
       destination_key, fee_strategy, reference, status, failure_code, failure_message, created_at, updated_at)
     select $1, merchant_id, environment, pocket.id, $2, network, token, token_contract, 6, 2, 100, 1000000, 1, 10000, $3,
            lower($3), 'standard', $4, 'failed', 'cancelled', 'Cancelled.', now(), now()
       from pocket where merchant_id = $5 and environment = $6 returning id`,
    [id, chain.chainRef, destination, reference, tenant.merchantId, tenant.environment],
  );
  if (pocket === undefined) throw new Error('The merchant has no pocket.');
  return id;
}

/** Records a transaction of a withdrawal with these versions, and returns their hashes. */
async function sign(withdrawalId: string, versions: readonly string[]): Promise<string[]> {
  const id = newId('ctx_');
  await db.query(
    `insert into chain_transaction (id, chain_ref, purpose, purpose_id, sender, nonce, destination, value, data, gas_limit,
       token_contract, amount, status)
     values ($1, $2, 'withdrawal', $3, $4, 0, $5, 0, '0x', 120000, $5, 100, 'signed')`,
    [id, chain.chainRef, withdrawalId, HOT_WALLET, chain.contract],
  );
  for (const [place, raw] of versions.entries()) await anAttempt(db.database, id, place + 1, raw);
  const attempts = await db.query<{ tx_hash: string }>(
    `select tx_hash from transaction_attempt where transaction_id = $1 order by number`,
    [id],
  );
  return attempts.map(({ tx_hash: hash }) => hash);
}

beforeAll(async () => {
  db = await freshDatabase();
  reader = new WithdrawalReader(db.database);
  chain = await aChain(db.database);
  await aHotWallet(db.database, chain.chainRef);
  [own, other] = [await aMerchant(db.database), await aMerchant(db.database)];
  for (const { merchantId } of [own, other]) {
    await db.database.transaction((tx) => new PocketsService().openForMerchant(tx, merchantId, [chain]));
  }
  ids = [
    await aWithdrawal(own, 'payout-1', DESTINATION),
    await aWithdrawal(own, 'payout-2', DESTINATION),
    await aWithdrawal(own, null, ELSEWHERE),
  ];
  foreign = await aWithdrawal(other, 'payout-1', DESTINATION);
  hashes = await sign(ids[1], ['0x02', '0x0203']);
});
afterAll(() => db.drop());

const found = async (filter: Readonly<Record<string, string>>, tenant = own): Promise<string[]> =>
  (await reader.list(tenant, listWithdrawalsQuery.parse({ limit: '10', ...filter }))).data.map(({ id }) => id);
const capitals = (text: string): string => `0x${text.slice(2).toUpperCase()}`;

describe('withdrawals are found', () => {
  it('by their reference, exactly as it was given', async () => {
    expect(await found({ reference: 'payout-1' })).toEqual([ids[0]]);
    expect(await found({ reference: 'PAYOUT-1' })).toEqual([]);
    expect(await found({ reference: 'payout-3' })).toEqual([]);
  });

  it('by their destination, in any case', async () => {
    for (const destination of [DESTINATION, DESTINATION.toLowerCase(), capitals(DESTINATION)]) {
      expect(await found({ destination })).toEqual([ids[1], ids[0]]);
    }
    expect(await found({ destination: `0x${'34'.repeat(20)}` })).toEqual([]);
  });

  it('by the hash of any transaction that was signed for them, in any case', async () => {
    expect(hashes).toHaveLength(2);
    for (const hash of hashes) {
      expect(await found({ tx_hash: hash })).toEqual([ids[1]]);
      expect(await found({ tx_hash: capitals(hash) })).toEqual([ids[1]]);
    }
    expect(await found({ tx_hash: `0x${'12'.repeat(32)}` })).toEqual([]);
  });

  it('only by their own merchant in their own environment', async () => {
    const strangers = [other, { ...own, environment: 'live' as const }];
    for (const stranger of strangers) {
      for (const hash of hashes) expect(await found({ tx_hash: hash }, stranger)).toEqual([]);
      expect(await found({ destination: ELSEWHERE }, stranger)).toEqual([]);
      expect(await found({ reference: 'payout-2' }, stranger)).toEqual([]);
    }
    expect(await found({ reference: 'payout-1', destination: DESTINATION }, other)).toEqual([foreign]);
  });

  it('by several filters at once, and page by page', async () => {
    expect(await found({ destination: DESTINATION, reference: 'payout-2' })).toEqual([ids[1]]);
    expect(await found({ destination: ELSEWHERE, reference: 'payout-2' })).toEqual([]);
    expect(await found({ destination: DESTINATION, tx_hash: hashes[0] ?? '', status: 'failed' })).toEqual([ids[1]]);
    expect(await found({ destination: DESTINATION, status: 'failed' })).toEqual([ids[1], ids[0]]);
    expect(await found({ destination: DESTINATION, status: 'completed' })).toEqual([]);
    expect(await found({ destination: DESTINATION, created_lt: '2020-01-01' })).toEqual([]);
    const page = await reader.list(own, listWithdrawalsQuery.parse({ limit: '1', destination: DESTINATION }));
    expect(page).toMatchObject({ has_more: true, next_cursor: ids[1], data: [{ id: ids[1] }] });
    expect(await found({ destination: DESTINATION, starting_after: ids[1] })).toEqual([ids[0]]);
  });

  it.each([
    ['destination', '0x12'],
    ['destination', 'alice.eth'],
    ['tx_hash', '0x12'],
    ['tx_hash', 'ab'.repeat(31)],
    ['reference', 'x'.repeat(256)],
  ])('never by a malformed %s, which is refused by its name: %j', (param, value) => {
    const issues = listWithdrawalsQuery.safeParse({ [param]: value }).error?.issues ?? [];
    expect(issues.map(({ path }) => path)).toEqual([[param]]);
  });
});

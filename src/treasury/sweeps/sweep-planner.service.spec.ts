import { hotWalletCap } from '../../../test/support/hot-wallet-cap.js';
import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aDeposit, aMerchant, anIntent, aPriceSnapshot, type SeededIntent } from '../../../test/support/factories.js';
import { runtimeServing, ServedChain } from '../../../test/support/served-chains.js';
import { hexOf } from '../../../test/support/probe-contracts.js';
import { query } from '../../../test/support/sql.js';
import type { IntentStatus } from '../../domain/intent-state.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { createLogger } from '../../platform/logging.js';
import { Metrics } from '../../platform/metrics.js';
import { PricingService } from '../../pricing/pricing.service.js';
import { HotBalances } from '../wallets/hot-balances.service.js';
import { DEPLOYMENT_PROXY, sweepContracts } from '../../chains/evm/sweep-contracts.js';
import { TreasuryChains } from '../treasury-chains.service.js';
import { SweepContractsOnChain } from './sweep-contracts-on-chain.service.js';
import { SweepOperations } from './sweep-operations.service.js';
import { SweepDrafts } from './sweep-drafts.service.js';
import { SweepPlanner } from './sweep-planner.service.js';
import { SweepReader } from './sweep-reader.service.js';

const HOT_WALLET = `0x${'ab'.repeat(20)}`;
const CONTRACTS = sweepContracts(HOT_WALLET);
const HEAD = { number: '0x64', hash: `0x${'64'.repeat(32)}`, parentHash: `0x${'63'.repeat(32)}`, timestamp: '0x1' };
const DOLLAR = 10n ** 6n;
const silent = createLogger('silent');

let db: TestDatabase;
let served: ServedChain;
let chains: TreasuryChains;
/** The balance on the chain of each address (lower case). */
let codes: Map<string, string>;
let balances: Map<string, bigint>;
let nonces: Map<string, number>;

beforeEach(async () => {
  db = await freshDatabase();
  served = await ServedChain.start(db.database, 'polygon');
  codes = new Map([[DEPLOYMENT_PROXY, '0x01']]);
  [balances, nonces] = [new Map(), new Map()];
  const { methods } = served.node;
  served.node.methods = {
    ...methods,
    eth_getBlockByNumber: (height) => (height === 'latest' ? HEAD : methods['eth_getBlockByNumber']?.(height)),
    eth_getCode: (address) => codes.get(String(address)) ?? '0x',
    eth_getTransactionCount: (address) => hexOf(BigInt(nonces.get(String(address)) ?? 0)),
    eth_call: (call) => {
      const { data } = call as { data: string };
      return `0x${(balances.get(`0x${data.slice(-40)}`) ?? 0n).toString(16).padStart(64, '0')}`;
    },
  };
  const { chainRef } = served.chain;
  await db.query(
    `insert into hot_wallet (chain_ref, address, address_key, derivation_path) values ($1, $2, $2, 'm/1')`,
    [chainRef, HOT_WALLET],
  );
  await db.query(`insert into chain_block values ($1, 97, $2, $2, now())`, [chainRef, HEAD.parentHash]);
  await db.query(
    `insert into chain_token (chain_ref, contract, symbol, decimals, minor_unit_exponent, enabled)
     values ($1, $2, 'POL', 18, 8, true)`,
    [chainRef, NATIVE_COIN],
  );
  await db.query(
    `insert into fee_round (chain_ref, base_fee, tip_standard, tip_fast, taken_at) values ($1, $2, $2, $2, now())`,
    [chainRef, 10n ** 9n],
  );
  await setCoins(10n ** 21n);
  chains = new TreasuryChains(db.database, runtimeServing([served.source]), silent);
});
afterEach(async () => {
  await chains.beforeApplicationShutdown();
  await served.node.stop();
  await db.drop();
});

/** Sets the gas funds of the hot wallet, in wei. */
const setCoins = (wei: bigint): Promise<unknown> =>
  db.query(
    `insert into hot_balance (chain_ref, token_contract, amount, height) values ($1, $2, $3, 1)
     on conflict (chain_ref, token_contract) do update set amount = excluded.amount`,
    [served.chain.chainRef, NATIVE_COIN, wei],
  );

/** A planner as the worker has it. */
function aPlanner(sweepFeeShareBps = 100): SweepPlanner {
  const config = { treasury: { stuckAfterMs: 1, unexplainedAfterMs: 1, sweepFeeShareBps, hotWalletCapCents: 0 } };
  const hot = new HotBalances(db.database, new Metrics(), chains, silent);
  const drafts = new SweepDrafts(db.database, hot, new PricingService(db.database), hotWalletCap(db.database), config);
  return new SweepPlanner(db.database, chains, drafts, new SweepContractsOnChain(db.database, silent), config, silent);
}

/** The contracts are on the chain, as their deployment leaves them. */
async function deployContracts(): Promise<void> {
  await db.query(
    `insert into sweep_contract (id, chain_ref, kind, address, ready_at)
     values ('swc_1', $1, 'delegate', $2, now()), ('swc_2', $1, 'batch', $3, now())`,
    [served.chain.chainRef, CONTRACTS.delegate.address, CONTRACTS.batch.address],
  );
}

/** Inserts an intent with a final payment, in dollars, and its balance on the chain. */
async function aPaid(dollars: bigint, status: IntentStatus = 'completed'): Promise<SeededIntent> {
  const intent = await anIntent(db.database, { tenant: await aMerchant(db.database), chain: served.chain, status });
  await aDeposit(db.database, intent, { amount: dollars * DOLLAR, status: 'confirmed' });
  balances.set(intent.address, dollars * DOLLAR);
  // The newest round counts, and the intent has brought one of its own.
  await aPriceSnapshot(db.database, { USDC: '1', POL: '0.5' });
  return intent;
}

/** A withdrawal of the merchant's waits for so many dollars, and the hot wallet has none. */
async function lackFor({ tenant }: SeededIntent, dollars: bigint): Promise<void> {
  await query(db.owner, `alter table withdrawal disable trigger all`);
  await db.query(
    `insert into withdrawal (id, merchant_id, environment, pocket_id, chain_ref, network, token, token_contract,
       token_decimals, minor_unit_exponent, amount_cents, amount, network_fee_cents, fee_amount, destination,
       destination_key, fee_strategy, status, waiting_reason, created_at, updated_at)
     values ('wd_1', $1, 'sandbox', 'pkt_1', $2, 'polygon', 'USDC', $3, 6, 2, 1000, $4, 1, 1, '0x', '0x', 'standard',
             'broadcasting', 'coins_missing', now(), now())`,
    [tenant.merchantId, served.chain.chainRef, served.chain.contract, dollars * DOLLAR],
  );
  await db.query(`insert into hot_balance values ($1, $2, 0, 1, now())`, [
    served.chain.chainRef,
    served.chain.contract,
  ]);
}

interface PlannedItem {
  sweep_id: string;
  address: string;
  expected: string;
  authorization_nonce: string | null;
}

const planned = (): Promise<PlannedItem[]> =>
  db.query(`select sweep_id, address_key as address, expected, authorization_nonce from sweep_item
       join pool_address on id = address_id order by sweep_id, position`);

it('plans final balances of ended intents with the nonces of the chain, and nothing twice', async () => {
  await deployContracts();
  const [rich, delegated, open] = [await aPaid(100n), await aPaid(50n), await aPaid(70n, 'processing')];
  nonces.set(rich.address, 3);
  codes.set(delegated.address, `0xef0100${CONTRACTS.delegate.address.slice(2)}`);
  await aPlanner().plan();
  expect(await planned()).toMatchObject([
    { address: rich.address, expected: String(100n * DOLLAR), authorization_nonce: '3' },
    { address: delegated.address, expected: String(50n * DOLLAR), authorization_nonce: null },
  ]);
  const [sweep] = await db.query(`select reason, delegate, batch from sweep`);
  const { delegate, batch } = CONTRACTS;
  expect(sweep).toEqual({ reason: 'threshold', delegate: delegate.address, batch: batch.address });
  await db.query(`update payment_intent set status = 'completed', completed_at = now() where id = $1`, [open.id]);
  await aPlanner().plan();
  // One sweep at a time for the threshold's sake: the third waits for the next one.
  expect(await planned()).toHaveLength(2);
});

it('plans each balance once, however many planners run at once', async () => {
  await deployContracts();
  for (let n = 0; n < 20; n++) await aPaid(100n);
  await Promise.all(Array.from({ length: 4 }, () => aPlanner().plan()));
  const items = await planned();
  expect(new Set(items.map(({ address }) => address)).size).toBe(20);
  expect(items).toHaveLength(20);
});

it('leaves balances that are not worth their gas until a withdrawal waits for them; and all of them where sweeps are off', async () => {
  await deployContracts();
  const gwei = 10n ** 9n;
  // 95,000 gas at 5,000 gwei, the cap, are 0.475 POL: 24 cents, which is more than the hundredth part of 13 dollars.
  await query(db.owner, `update fee_round set base_fee = $1`, [4_000n * gwei]);
  const [dust, paid] = [await aPaid(1n), await aPaid(12n)];
  await aPlanner().plan();
  expect(await planned()).toEqual([]);
  await lackFor(paid, 10n);
  await aPlanner(0).plan();
  expect(await planned()).toEqual([]);
  await aPlanner().plan();
  expect(await planned()).toMatchObject([{ address: paid.address }]);
  expect(dust.address).not.toBe(paid.address);
  // The open sweep covers the need.
  await aPlanner().plan();
  expect(await planned()).toHaveLength(1);
});

it('uses addresses of open token intents for a waiting withdrawal where no others have the funds', async () => {
  await deployContracts();
  const [ended, part, inCoins] = [await aPaid(100n), await aPaid(900n, 'processing'), await aPaid(950n, 'processing')];
  await query(db.owner, `alter table payment_intent disable trigger all`);
  await db.query(`update payment_intent set token_contract = $2 where id = $1`, [inCoins.id, NATIVE_COIN]);
  await lackFor(part, 100n);
  await aPlanner().plan();
  expect(await planned()).toMatchObject([{ address: ended.address }]);
  await db.query(`update withdrawal set amount = $1`, [500n * DOLLAR]);
  await query(db.owner, `update sweep set finished_at = now()`);
  await query(db.owner, `update sweep_item set swept = 0`);
  await aPlanner().plan();
  expect(await planned()).toMatchObject([{ address: ended.address }, { address: part.address }]);
});

it('requests the deployment of the contracts first, and reports to operators where it is impossible', async () => {
  await aPaid(100n);
  const contracts = () =>
    db.query(`select kind, address, trouble, ready_at is not null as ready from sweep_contract order by kind`);
  codes.delete(DEPLOYMENT_PROXY);
  await aPlanner().plan();
  const [batch, delegate] = [CONTRACTS.batch, CONTRACTS.delegate].map(({ address }) => ({ address, ready: false }));
  const trouble = 'no_deployment_proxy';
  expect(await contracts()).toMatchObject([
    { kind: 'batch', ...batch, trouble },
    { kind: 'delegate', ...delegate, trouble },
  ]);
  codes.set(DEPLOYMENT_PROXY, '0x01');
  await aPlanner().plan();
  expect(await contracts()).toMatchObject([{ trouble: null }, { trouble: null }]);
  codes.set(CONTRACTS.batch.address, '0x02');
  await aPlanner().plan();
  expect(await contracts()).toMatchObject([{ trouble: 'foreign_code' }, { trouble: null }]);
  expect(await planned()).toEqual([]);
});

it('a failed deployment is repeated only when an operator retries it', async () => {
  await aPaid(100n);
  await aPlanner().plan();
  const { chainRef } = served.chain;
  const contracts = () =>
    db.query<{ id: string; trouble: string | null; abandoned: boolean }>(
      `select id, trouble, abandoned_at is not null as abandoned from sweep_contract where kind = 'delegate' order by created_at`,
    );
  const [first] = await contracts();
  await db.query(
    `insert into chain_transaction (id, chain_ref, purpose, purpose_id, sender, nonce, destination, value, data, gas_limit,
       token_contract, amount, status) select 'ctx_1', $1, 'contract', id, $2, 0, '0x', 0, '0x', 1, 'native', 0, 'signed'
       from sweep_contract where kind = 'delegate'`,
    [chainRef, HOT_WALLET],
  );
  await db.query(`insert into transaction_attempt values ('ctx_1', 1, '0xaa', '0x', 1, 1)`);
  await db.query(
    `update chain_transaction set status = 'reverted', mined_hash = '0xaa', mined_height = 1, fee_paid = 1, finished_at = now()`,
  );
  await aPlanner().plan();
  await aPlanner().plan();
  expect(await contracts()).toEqual([{ ...first, trouble: 'deployment_failed' }]);
  const retry = { actor: 'staff', reason: 'the wallet has gas by now' };
  await db.database.transaction((tx) => new SweepOperations(db.database).retry(tx, null, retry));
  await aPlanner().plan();
  const after = await contracts();
  expect(after).toHaveLength(2);
  expect(after).toMatchObject([
    { ...first, trouble: 'deployment_failed', abandoned: true },
    { trouble: null, abandoned: false },
  ]);
  expect((await new SweepReader(db.database, hotWalletCap(db.database)).all())[0]).toMatchObject({ trouble: null });
});

it('takes no more into one sweep than the wallet has gas for, the most valuable first', async () => {
  await deployContracts();
  const paid = [await aPaid(100n), await aPaid(300n), await aPaid(200n)];
  // Four times over it pays for two items at 3 gwei, twice the base fee and the tip.
  await setCoins(4n * (101_000n + 2n * 65_000n) * 3n * 10n ** 9n);
  await aPlanner().plan();
  expect(await planned()).toMatchObject([{ address: paid[1]?.address }, { address: paid[2]?.address }]);
});

it('counts balances that the chain does not hold, and sets them aside after three checks', async () => {
  await deployContracts();
  const emptied = await aPaid(100n);
  balances.delete(emptied.address);
  for (let check = 1; check <= 4; check++) {
    await aPlanner().plan();
    await db.query(`update deposit_balance set retry_at = now() - interval '1 second'`);
  }
  expect(await planned()).toEqual([]);
  expect(await db.query(`select failures, set_aside_reason is not null as aside from deposit_balance`)).toEqual([
    { failures: 3, aside: true },
  ]);
});

it('waits for a node that is below the final block', async () => {
  await deployContracts();
  await aPaid(100n);
  await db.query(`update chain_cursor set finalized_height = 101`);
  await aPlanner().plan();
  expect(await planned()).toEqual([]);
  expect(await db.query(`select failures from deposit_balance`)).toEqual([{ failures: 0 }]);
});

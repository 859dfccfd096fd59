import { hotWalletCap } from '../../../test/support/hot-wallet-cap.js';
import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aChain, aPriceSnapshot, freeAddresses, type SeededChain } from '../../../test/support/factories.js';
import { aHotWallet } from '../../../test/support/outgoing.js';
import { runtimeServing } from '../../../test/support/served-chains.js';
import { query } from '../../../test/support/sql.js';
import { anUnattributedDeposit } from '../../../test/support/unattributed-deposits.js';
import { newId } from '../../domain/ids.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { sweepGasLimit } from '../../domain/sweep-gas.js';
import { SWEEP_ITEMS_MAX } from '../../domain/sweep-plan.js';
import { createLogger } from '../../platform/logging.js';
import { Metrics } from '../../platform/metrics.js';
import { PricingService } from '../../pricing/pricing.service.js';
import { HotBalances } from '../wallets/hot-balances.service.js';
import { sweepContracts } from '../../chains/evm/sweep-contracts.js';
import { TreasuryChains } from '../treasury-chains.service.js';
import { SweepDrafts } from './sweep-drafts.service.js';

const COIN = 10n ** 18n;
const DOLLAR = 10n ** 6n;
const GWEI = 10n ** 9n;
/** Twice the base fee and the tip. */
const MAX_FEE = 3n * GWEI;
const HEIGHT = 90;
const silent = createLogger('silent');

let db: TestDatabase;
let chain: SeededChain;
let drafts: SweepDrafts;

beforeEach(async () => {
  db = await freshDatabase();
  chain = await aChain(db.database);
  await aHotWallet(db.database, chain.chainRef);
  await db.query(
    `insert into chain_token (chain_ref, contract, symbol, decimals, minor_unit_exponent, enabled)
     values ($1, $2, 'POL', 18, 8, true)`,
    [chain.chainRef, NATIVE_COIN],
  );
  await db.query(
    `insert into fee_round (chain_ref, base_fee, tip_standard, tip_fast, taken_at) values ($1, $2, $2, $2, now())`,
    [chain.chainRef, GWEI],
  );
  await aPriceSnapshot(db.database, { USDC: '1', POL: '1' });
  await holds(NATIVE_COIN, 1_000n * COIN);
  await query(db.owner, `alter table withdrawal disable trigger all`);
  const chains = new TreasuryChains(db.database, runtimeServing([]), silent);
  // Nothing is worth a hundredth of a percent here: only needs make a draft.
  const config = { treasury: { stuckAfterMs: 1, unexplainedAfterMs: 1, sweepFeeShareBps: 0, hotWalletCapCents: 0 } };
  const hot = new HotBalances(db.database, new Metrics(), chains, silent);
  drafts = new SweepDrafts(db.database, hot, new PricingService(db.database), hotWalletCap(db.database), config);
});
afterEach(() => db.drop());

const holds = (token: string, units: bigint): Promise<unknown> =>
  db.query(
    `insert into hot_balance (chain_ref, token_contract, amount, height) values ($1, $2, $3, $4)
     on conflict (chain_ref, token_contract) do update set amount = excluded.amount`,
    [chain.chainRef, token, units, HEIGHT],
  );

let addresses = 0;

/** Inserts a final deposit on a new address; returns the address. */
async function lying(units: bigint, token = chain.contract): Promise<string> {
  addresses += 1;
  const [row] = await db.query<{ id: string }>(
    `insert into pool_address (environment, family, derivation_index, derivation_path, address, address_key)
     values ('sandbox', 'evm', $1, $2, $2, $2) returning id`,
    [addresses, `0x${addresses}`],
  );
  await db.query(
    `insert into deposit_balance (chain_ref, token_contract, address_id, received) values ($1, $2, $3, $4)`,
    [chain.chainRef, token, row?.id ?? null, units],
  );
  return row?.id ?? '';
}

/** A withdrawal that the vault could not sign. */
const waiting = (amount: bigint, reason: 'coins_missing', token = chain.contract): Promise<unknown> =>
  db.query(
    `insert into withdrawal (id, merchant_id, environment, pocket_id, chain_ref, network, token, token_contract,
       token_decimals, minor_unit_exponent, amount_cents, amount, network_fee_cents, fee_amount, destination,
       destination_key, fee_strategy, status, waiting_reason, created_at, updated_at)
     values ($1, 'mer_1', 'sandbox', $1, $2, 'polygon', 'USDC', $3, 6, 2, 1000, $4, 1, 1, '0x', '0x', 'standard',
             'broadcasting', $5, now(), now())`,
    [newId('wd_'), chain.chainRef, token, amount, reason],
  );

/** A sweep of what lies on an address. */
async function sweeping(
  addressId: string,
  { reason = 'threshold', minutesAgo = 0, signed = false, units = 50n * DOLLAR } = {},
): Promise<string> {
  const id = newId('swp_');
  await db.query(
    `insert into sweep (id, chain_ref, reason, delegate, batch, created_at, signed_at)
     values ($1, $2, $3, '0xd', '0xb', now() - $4 * interval '1 minute', case when $5 then now() end)`,
    [id, chain.chainRef, reason, minutesAgo, signed],
  );
  await db.query(
    `insert into sweep_item (sweep_id, position, chain_ref, token_contract, address_id, expected)
     values ($1, 0, $2, $3, $4, $5)`,
    [id, chain.chainRef, chain.contract, addressId, units],
  );
  await db.query(`update deposit_balance set sweep_id = $1 where address_id = $2`, [id, addressId]);
  return id;
}

/** Its transaction, mined in the block of this height; it brought so much. */
async function mined(sweepId: string, status: 'succeeded' | 'reverted', height: number, units = 0n): Promise<void> {
  const id = newId('ctx_');
  await db.query(
    `insert into chain_transaction (id, chain_ref, purpose, purpose_id, sender, nonce, destination, value, data, gas_limit,
       token_contract, amount, status) values ($1, $2, 'sweep', $3, '0x', $4, '0xb', 0, '0x', 50000, 'native', 0, 'signed')`,
    [id, chain.chainRef, sweepId, height],
  );
  await db.query(`insert into transaction_attempt values ($1, 1, $1, '0x', 1, 1)`, [id]);
  await db.query(
    `update chain_transaction set status = $2, mined_hash = $1, mined_height = $3, fee_paid = 1, finished_at = now()
      where id = $1`,
    [id, status, height],
  );
  await db.query(
    `update sweep_item set swept = $2::numeric, swept_height = case when $2::numeric > 0 then $3::bigint end where sweep_id = $1`,
    [sweepId, units, height],
  );
  await db.query(`update sweep set finished_at = now() where id = $1`, [sweepId]);
}

/** The addresses that are to be swept for withdrawals. */
async function due(): Promise<string[]> {
  const draft = (await drafts.due()).get(chain.chainRef);
  return draft?.items.map(({ addressId }) => addressId) ?? [];
}

describe('for a withdrawal with missing funds', () => {
  let large: string;
  let small: string;
  beforeEach(async () => {
    await holds(chain.contract, 10n * DOLLAR);
    [large, small] = [await lying(50n * DOLLAR), await lying(5n * DOLLAR)];
  });

  it('what lies there is due, beyond what the wallet holds', async () => {
    await waiting(60n * DOLLAR, 'coins_missing');
    expect(await due()).toEqual([large]);
    await holds(chain.contract, 9n * DOLLAR);
    expect(await due()).toEqual([large, small]);
    await holds(chain.contract, 60n * DOLLAR);
    expect(await due()).toEqual([]);
  });

  it('nothing is due while the balance of the wallet is unknown', async () => {
    await waiting(60n * DOLLAR, 'coins_missing');
    await query(db.owner, `delete from hot_balance where token_contract = $1`, [chain.contract]);
    expect(await due()).toEqual([]);
  });

  it.each([
    { what: 'a sweep that is signed covers it', sweep: { signed: true, minutesAgo: 50 }, isDue: false },
    { what: 'a sweep that was planned just now covers it', sweep: {}, isDue: false },
    { what: 'one that could not be signed does not', sweep: { minutesAgo: 3 }, isDue: true },
    { what: 'one of its own is waited for', sweep: { minutesAgo: 3, reason: 'withdrawal', units: 1n }, isDue: false },
  ])('$what', async ({ sweep, isDue }) => {
    await waiting(60n * DOLLAR, 'coins_missing');
    await sweeping(large, sweep);
    expect(await due()).toEqual(isDue ? [small] : []);
  });

  it('a final sweep counts until the balance that was read includes it', async () => {
    await waiting(60n * DOLLAR, 'coins_missing');
    const other = await lying(50n * DOLLAR);
    await mined(await sweeping(other, { signed: true }), 'succeeded', HEIGHT + 1, 50n * DOLLAR);
    expect(await due()).toEqual([]);
    await db.query(`update hot_balance set height = $1 where token_contract = $2`, [HEIGHT + 1, chain.contract]);
    expect(await due()).toEqual([large]);
  });
});

it('for a refund with missing funds sweeps are due too, from the address of its own deposit or others', async () => {
  const [address = ''] = await freeAddresses(db.database, 1);
  const deposit = await anUnattributedDeposit(db.database, {
    chain,
    address,
    reason: 'address_not_assigned',
    amount: 25n * DOLLAR,
  });
  await db.query(
    `insert into deposit_return (id, deposit_id, destination, destination_key, status, waiting_reason)
     values ('ret_1', $1, '0x', '0x', 'broadcasting', 'coins_missing')`,
    [deposit],
  );
  await holds(chain.contract, 24n * DOLLAR);
  const [own] = await db.query<{ id: string }>(`select id from pool_address where address = $1`, [address]);
  expect(await due()).toEqual([own?.id]);
  await holds(chain.contract, 25n * DOLLAR);
  expect(await due()).toEqual([]);
  // Beside a withdrawal, both ask.
  await waiting(1n, 'coins_missing');
  expect(await due()).toEqual([own?.id]);
});

describe('for a withdrawal of the coin', () => {
  const GAS = 30_000n * MAX_FEE;

  it.each([
    {
      what: 'its gas, or the gas of the two contracts and of three token payments beside it',
      ready: 0,
      gas: 2_360_000n,
    },
    { what: 'the gas of a sweep where the contracts are there', ready: 2, gas: 4n * 166_000n + 360_000n },
  ])('with missing $what, sweeps are due', async ({ ready, gas }) => {
    const [wallet] = await db.query<{ address_key: string }>(
      `select address_key from hot_wallet where chain_ref = $1`,
      [chain.chainRef],
    );
    for (const [kind, { address }] of Object.entries(sweepContracts(wallet?.address_key ?? '')).slice(0, ready)) {
      await db.query(
        `insert into sweep_contract (id, chain_ref, kind, address, ready_at) values ($2, $1, $2, $3, now())`,
        [chain.chainRef, kind, address],
      );
    }
    const address = await lying(50n * COIN, NATIVE_COIN);
    await holds(NATIVE_COIN, 10n * COIN);
    await waiting(10n * COIN - GAS - gas * MAX_FEE, 'coins_missing', NATIVE_COIN);
    expect(await due()).toEqual([]);
    await waiting(1n, 'coins_missing', NATIVE_COIN);
    expect(await due()).toEqual([address]);
  });

  it('gas that a transaction under way reserves makes no need', async () => {
    await lying(50n * COIN, NATIVE_COIN);
    await holds(NATIVE_COIN, 10n * COIN);
    await waiting(9n * COIN, 'coins_missing', NATIVE_COIN);
    await db.query(
      `insert into chain_transaction (id, chain_ref, purpose, purpose_id, sender, nonce, destination, value, data,
         gas_limit, token_contract, amount, status)
       select 'ctx_1', $1, 'sweep', 'swp_x', address_key, 0, '0xb', 0, '0x', 16000000, 'native', 0, 'signed' from hot_wallet`,
      [chain.chainRef],
    );
    await db.query(`insert into transaction_attempt values ('ctx_1', 1, '0xaa', '0x', $1, 1)`, [500n * GWEI]);
    expect(await due()).toEqual([]);
  });
});

it('a sweep that was reverted as a whole is tried at half its size, until one succeeds', async () => {
  await holds(chain.contract, 0n);
  await waiting(10n ** 9n * DOLLAR, 'coins_missing');
  const spent = await Promise.all([1, 2, 3].map(() => lying(50n * DOLLAR)));
  for (let n = 0; n < SWEEP_ITEMS_MAX; n++) await lying(DOLLAR);
  const sizes: number[] = [];
  for (const [place, status] of (['reverted', 'reverted', 'succeeded'] as const).entries()) {
    await mined(await sweeping(spent[place] ?? '', { signed: true }), status, 80 + place);
    sizes.push((await due()).length);
  }
  expect(sizes).toEqual([SWEEP_ITEMS_MAX / 2, Math.floor(SWEEP_ITEMS_MAX / 4), SWEEP_ITEMS_MAX]);
});

it('a sweep may be replaced until it offers four times as much, and nodes still take it', async () => {
  await holds(chain.contract, 0n);
  await waiting(10n ** 9n * DOLLAR, 'coins_missing');
  for (let n = 0; n < SWEEP_ITEMS_MAX; n++) await lying(50n * DOLLAR);
  const base = 150n * GWEI;
  await db.query(
    `insert into fee_round (chain_ref, base_fee, tip_standard, tip_fast, taken_at)
     values ($1, $2, $3, $3, now() + interval '1 minute')`,
    [chain.chainRef, base, 30n * GWEI],
  );
  const { length: items } = await due();
  const offered = (size: number): bigint =>
    sweepGasLimit({ items: size, tokens: 1, authorizations: size }) * (2n * base + 30n * GWEI);
  expect(4n * offered(items)).toBeLessThanOrEqual(COIN);
  expect(4n * offered(items + 1)).toBeGreaterThan(COIN);
});

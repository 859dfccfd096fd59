import { AnvilNode } from '../../../test/support/anvil-node.js';
import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aChain, type SeededChain } from '../../../test/support/factories.js';
import { hexOf } from '../../../test/support/probe-contracts.js';
import { readTypedByGenericPlan } from '../../../test/support/query-plan.js';
import { runtimeServing, sourceOf, testTokensOn } from '../../../test/support/served-chains.js';
import { query } from '../../../test/support/sql.js';
import { EvmChainClient } from '../../chains/evm/evm-chain-client.js';
import { devAccount } from '../../devtools/devnet/dev-accounts.js';
import { TEST_TOKEN } from '../../devtools/devnet/test-token.js';
import { checksumEvmAddress, evmKey } from '../../domain/evm-address.js';
import { newId } from '../../domain/ids.js';
import { NATIVE_COIN } from '../../domain/network.js';
import type { Database } from '../../platform/database/database.js';
import { createLogger } from '../../platform/logging.js';
import { Metrics } from '../../platform/metrics.js';
import { HotBalances } from './hot-balances.service.js';
import { spendableOf } from './hot-balances.sql.js';
import { TreasuryChains } from '../treasury-chains.service.js';

const WALLET = checksumEvmAddress(`0x${'ab'.repeat(20)}`);
const WALLET_KEY = evmKey(WALLET);
const USDC = `0x${'a1'.repeat(20)}`;
const USDT = `0x${'a2'.repeat(20)}`;
const silent = createLogger('silent');

let db: TestDatabase;
let database: Database;
let chain: SeededChain;
let metrics: Metrics;
let chains: TreasuryChains;
let balances: HotBalances;

beforeAll(async () => {
  db = await freshDatabase();
  ({ database } = db);
});
afterAll(() => db.drop());
beforeEach(async () => {
  await db.query(`update chain set active = false, genesis_hash = id`);
  chain = await aChain(database, { network: 'ethereum' });
  metrics = new Metrics();
  await aHotWallet(chain.chainRef);
});

const aHotWallet = (chainRef: string) =>
  db.query(`insert into hot_wallet values ($1, $2, lower($2), 'm/1')`, [chainRef, WALLET]);

/** Serves a spec's chain by a node, or by none. */
function serveBy(rpcUrl?: string): void {
  const runtime = runtimeServing(rpcUrl === undefined ? [] : [sourceOf('ethereum', rpcUrl)]);
  chains = new TreasuryChains(database, runtime, silent);
  balances = new HotBalances(database, metrics, chains, silent);
}

/** An outgoing transaction, by default a signed one of 100 USDC whose gas may cost 10 * 5. */
interface Outgoing {
  readonly token?: string;
  readonly amount?: bigint;
  readonly status?: 'signed' | 'succeeded' | 'reverted';
  readonly minedAt?: number;
  readonly feePaid?: bigint;
  /** Of each attempt. */
  readonly maxFees?: readonly bigint[];
  readonly sender?: string;
}

let nonce = 0;

async function anOutgoing(chainRef: string, outgoing: Outgoing): Promise<void> {
  const {
    token = USDC,
    amount = 100n,
    status = 'signed',
    minedAt,
    feePaid,
    maxFees = [5n],
    sender = WALLET_KEY,
  } = outgoing;
  const id = newId('ctx_');
  const isOpen = status === 'signed';
  await db.query(
    `insert into chain_transaction (id, chain_ref, purpose, purpose_id, sender, nonce, destination, value, data,
       gas_limit, token_contract, amount, status, mined_hash, mined_height, fee_paid, finished_at)
     values ($1, $2, 'withdrawal', $1, $3, $4, $5, $6, '0x', 10, $7, $8, $9, $10, $11, $12, $13)`,
    [
      id,
      chainRef,
      sender,
      nonce++,
      USDT,
      token === NATIVE_COIN ? amount : 0n,
      token,
      amount,
      status,
      isOpen ? null : id,
      isOpen ? null : (minedAt ?? 101),
      isOpen ? null : (feePaid ?? 20n),
      isOpen ? null : new Date(),
    ],
  );
  for (const [place, maxFee] of maxFees.entries()) {
    await db.query(
      `insert into transaction_attempt (transaction_id, number, tx_hash, raw_transaction, max_fee_per_gas,
         max_priority_fee_per_gas) values ($1, $2, $3, '0x', $4, 1)`,
      [id, place + 1, `${id} ${place}`, maxFee],
    );
  }
}

describe('the spendable amount of a hot wallet', () => {
  beforeEach(async () => {
    serveBy();
    for (const [contract, amount] of [
      [NATIVE_COIN, 10_000n],
      [USDC, 1_000n],
    ] as const) {
      await db.query(`insert into hot_balance (chain_ref, token_contract, amount, height) values ($1, $2, $3, 100)`, [
        chain.chainRef,
        contract,
        amount,
      ]);
    }
  });

  it.each<[what: string, outgoing: readonly Outgoing[], usdc: bigint | null, coins: bigint | null]>([
    ['is its balance while nothing is on its way', [], 1_000n, 10_000n],
    ['excludes what is signed, and its gas', [{}], 900n, 9_950n],
    ['excludes everything that is signed', [{}, {}, { amount: 50n }], 750n, 9_850n],
    ['excludes only the gas of a payment in another token', [{ token: USDT }], 1_000n, 9_950n],
    ['excludes value and gas of a coin payment', [{ token: NATIVE_COIN, amount: 70n }], 1_000n, 9_880n],
    ['excludes the most expensive attempt, whichever is mined', [{ maxFees: [5n, 8n, 7n] }], 900n, 9_920n],
    ['excludes what became final above the balance, at its real cost', [{ status: 'succeeded' }], 900n, 9_980n],
    ['includes what became final up to the balance', [{ status: 'succeeded', minedAt: 100 }], 1_000n, 10_000n],
    ['excludes a final coin payment and its gas', [{ token: NATIVE_COIN, status: 'succeeded' }], 1_000n, 9_880n],
    ['excludes only the gas of what was reverted', [{ status: 'reverted' }], 1_000n, 9_980n],
    ['keeps the value of a reverted coin payment', [{ token: NATIVE_COIN, status: 'reverted' }], 1_000n, 9_980n],
    ['includes what was reverted up to the balance', [{ status: 'reverted', minedAt: 99 }], 1_000n, 10_000n],
    ['counts nothing of another sender', [{ sender: `0x${'cd'.repeat(20)}` }], 1_000n, 10_000n],
    ['is nothing when more is promised than is there', [{ amount: 2_000n, maxFees: [2_000n] }], 0n, 0n],
    ['is unknown while a promise is of unknown size', [{ maxFees: [] }], 900n, null],
    ['adds up', [{}, { status: 'succeeded' }, { status: 'reverted' }, { token: NATIVE_COIN }], 800n, 9_760n],
  ])('[I-117] %s', async (_what, outgoing, usdc, coins) => {
    for (const one of outgoing) await anOutgoing(chain.chainRef, one);
    await expect(spendable(USDC)).resolves.toBe(usdc);
    await expect(spendable(NATIVE_COIN)).resolves.toBe(coins);
  });

  it('is unknown without a balance, and separate for each chain', async () => {
    const other = await aChain(database, { network: 'polygon' });
    await aHotWallet(other.chainRef);
    await anOutgoing(other.chainRef, {});
    await expect(spendable(USDC)).resolves.toBe(1_000n);
    await expect(spendable(USDT)).resolves.toBeNull();
    await expect(spendable(USDC, other.chainRef)).resolves.toBeNull();
  });

  it('reads no transaction below the balance', async () => {
    await db.query(
      `insert into chain_transaction (id, chain_ref, purpose, purpose_id, sender, nonce, destination, value, data,
         gas_limit, token_contract, amount, status, mined_hash, mined_height, fee_paid, finished_at)
       select $1 || n, $1, 'withdrawal', $1 || n, $2, 1000000 + n, $3, 0, '0x', 10, $3, 1, 'succeeded', n, 50, 1, now()
         from generate_series(1, 5000) n`,
      [chain.chainRef, WALLET, USDC],
    );
    await anOutgoing(chain.chainRef, {});
    await query(db.owner, `analyze chain_transaction`);
    const read = await readTypedByGenericPlan(database, spendableOf(chain.chainRef, USDC));
    expect(read.pages).toBeLessThan(50);
    expect(read.scans).not.toContain('Seq Scan on chain_transaction');
  });

  const spendable = (token: string, chainRef = chain.chainRef) =>
    database.transaction((tx) => balances.spendable(tx, chainRef, token));
});

describe('the balance of a hot wallet', () => {
  let node: AnvilNode;
  let client: EvmChainClient;
  let tokens: readonly string[];

  beforeAll(async () => {
    node = await AnvilNode.start();
    client = new EvmChainClient({ profile: { network: 'ethereum', finality: { minDepth: 0 } }, rpcUrl: node.url });
    tokens = await testTokensOn(node, [6, 18]);
  });
  afterAll(async () => {
    await client.close();
    await node.stop();
  });
  beforeEach(async () => {
    serveBy(node.url);
    const { genesisHash } = await client.identity();
    await db.query(`update chain set genesis_hash = $2 where id = $1`, [chain.chainRef, genesisHash]);
    await query(db.owner, `delete from chain_token where chain_ref = $1`, [chain.chainRef]);
    await db.query(
      `insert into chain_token (chain_ref, contract, symbol, decimals, minor_unit_exponent, enabled)
       values ($1, $2, 'USDC', 6, 2, true), ($1, $3, 'USDT', 18, 2, false), ($1, 'native', 'ETH', 18, 8, true)`,
      [chain.chainRef, tokens[0] ?? '', tokens[1] ?? ''],
    );
    await node.send('anvil_setBalance', WALLET, hexOf(0n));
    await node.mine();
  });
  afterEach(() => chains.beforeApplicationShutdown());

  /** Sends coins and USDC to the wallet in separate blocks, and finalizes the newest. */
  async function receive(coins: bigint, usdc: bigint): Promise<void> {
    const { address: from } = devAccount('faucet');
    await node.send('eth_sendTransactionSync', { from, to: WALLET, value: hexOf(coins) });
    const data = TEST_TOKEN.encodeFunctionData('transfer', [WALLET, usdc]);
    await node.send('eth_sendTransactionSync', { from, to: tokens[0], data });
    await node.mine();
  }
  const finalUpTo = (height: number) =>
    db.query(`update chain_cursor set finalized_height = $2 where chain_ref = $1`, [chain.chainRef, height]);
  const held = async () => {
    const rows = await db.query<{ token_contract: string; amount: string; height: string }>(
      `select token_contract, amount, height from hot_balance where chain_ref = $1`,
      [chain.chainRef],
    );
    return Object.fromEntries(rows.map((row) => [row.token_contract, [BigInt(row.amount), Number(row.height)]]));
  };
  const usdcHeld = async (): Promise<bigint> => {
    const head = await client.head();
    const [amount = 0n] = await client.outgoing.tokenBalancesAt(head, [tokens[0] ?? ''], WALLET.toLowerCase());
    return amount;
  };

  it('is read of the coin and of every token on offer, at the newest final block and not at the head', async () => {
    await receive(5n, 7n);
    const final = await client.head();
    const usdc = await usdcHeld();
    await db.query(
      `insert into chain_block (chain_ref, height, hash, parent_hash, block_time) values ($1, $2, $3, $4, $5)`,
      [chain.chainRef, final.height, final.hash, final.parentHash, final.time],
    );
    await finalUpTo(final.height);
    await receive(50n, 70n);
    await balances.refresh();
    await expect(held()).resolves.toEqual({ native: [5n, final.height], [tokens[0] ?? '']: [usdc, final.height] });
  });

  it('follows finality forward only, and fetches a block that the listener has pruned', async () => {
    await receive(5n, 7n);
    const { height } = await client.head();
    await finalUpTo(height);
    await balances.refresh();
    await receive(1n, 1n);
    await finalUpTo(height + 1);
    await balances.refresh();
    await expect(held()).resolves.toMatchObject({ native: [6n, height + 1] });
    await finalUpTo(height);
    await balances.refresh();
    await expect(held()).resolves.toMatchObject({ native: [6n, height + 1] });
  });

  it('stays as it was while no node holds the final block', async () => {
    await receive(5n, 7n);
    const { height } = await client.head();
    await finalUpTo(height);
    await balances.refresh();
    await finalUpTo(height + 1_000);
    await balances.refresh();
    await expect(held()).resolves.toMatchObject({ native: [5n, height] });
  });

  it('comes with the transaction count of the newest block and the pool, which never falls [I-113]', async () => {
    const counted = async (final: number): Promise<unknown> => {
      await finalUpTo(final);
      await balances.refresh();
      return db.query(`select chain_nonce from hot_wallet where chain_ref = $1`, [chain.chainRef]);
    };
    const one = { from: WALLET, to: WALLET, value: hexOf(1n) };
    await receive(10n ** 18n, 0n);
    const { height } = await client.head();
    // Sent by somebody else who has the key, in a block that is not final.
    await node.send('eth_sendTransactionSync', one);
    await expect(counted(height)).resolves.toEqual([{ chain_nonce: '1' }]);
    // And once more, in no block yet.
    await node.send('evm_setAutomine', false);
    await node.send('eth_sendTransaction', one);
    await expect(counted(height + 1)).resolves.toEqual([{ chain_nonce: '2' }]);
    await node.send('evm_setAutomine', true);
    await node.mine();
    await db.query(`update hot_wallet set chain_nonce = 5 where chain_ref = $1`, [chain.chainRef]);
    await expect(counted(height + 2)).resolves.toEqual([{ chain_nonce: '5' }]);
  });

  it('is published as a metric in minor units, by chain and token', async () => {
    await receive(3n * 10n ** 18n, 0n);
    const usdc = await usdcHeld();
    await finalUpTo((await client.head()).height);
    await balances.refresh();
    await balances.measure();
    const text = await metrics.registry.metrics();
    const gauge = (token: string) => `coffer_hot_wallet_minor_units{chain="${chain.chainRef}",token="${token}"}`;
    expect(text).toContain(`${gauge('ETH')} 300000000\n`);
    expect(text).toContain(`${gauge('USDC')} ${usdc / 10_000n}\n`);
  });
});

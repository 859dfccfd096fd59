import { AnvilNode } from '../../test/support/anvil-node.js';
import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { aChain, freeAddresses, type SeededChain } from '../../test/support/factories.js';
import { aHotWallet } from '../../test/support/outgoing.js';
import { devChainOf, runtimeServing } from '../../test/support/served-chains.js';
import { anUnattributedDeposit } from '../../test/support/unattributed-deposits.js';
import { testCoinBalance } from '../devtools/devnet/test-coin.js';
import { NATIVE_COIN } from '../domain/network.js';
import { SandboxTreasury } from './sandbox-treasury.service.js';

const HOT_WALLET = `0x${'ab'.repeat(20)}`;
const COIN = 10n ** 18n;
const FILLED = 10n * COIN;

let db: TestDatabase;
let node: AnvilNode;
let chain: SeededChain;
let treasury: SandboxTreasury;

beforeAll(async () => {
  [db, node] = await Promise.all([freshDatabase(), AnvilNode.start()]);
  chain = await aChain(db.database);
  await aHotWallet(db.database, chain.chainRef);
  treasury = new SandboxTreasury(db.database, {
    ...runtimeServing([]),
    devChains: [await devChainOf(db.database, chain, node)],
  });
});
afterAll(async () => {
  await node.stop();
  await db.drop();
});

it('a refund gets the funds that it waits for, as a withdrawal does', async () => {
  const [address = ''] = await freeAddresses(db.database, 1);
  const contract = NATIVE_COIN;
  await db.query(
    `insert into chain_token (chain_ref, contract, symbol, decimals, minor_unit_exponent, enabled)
     values ($1, $2, 'POL', 18, 8, true)`,
    [chain.chainRef, contract],
  );
  const deposit = await anUnattributedDeposit(db.database, {
    chain,
    address,
    reason: 'address_not_assigned',
    contract,
    amount: COIN,
  });
  await db.query(
    `insert into deposit_return (id, deposit_id, destination, destination_key, status, waiting_reason)
     values ('ret_1', $1, '0x', '0x', 'broadcasting', 'coins_missing')`,
    [deposit],
  );
  await treasury.topUp();
  expect(await balance()).toBe(FILLED + 100n * COIN);
  await db.query(
    `update deposit_return set status = 'failed', failure_code = 'cancelled', ended_at = now() where id = 'ret_1'`,
  );
  await node.send('anvil_setBalance', HOT_WALLET, '0x0');
});

const balance = () => testCoinBalance(node.url, HOT_WALLET);

it('a sweep, or a contract that sweeps need, gets the gas that it waits for, and nothing else does', async () => {
  const { chainRef } = chain;
  await db.query(
    `insert into sweep (id, chain_ref, reason, delegate, batch, waiting_reason)
     values ('swp_1', $1, 'threshold', '0xd', '0xb', 'no_fresh_fees')`,
    [chainRef],
  );
  await db.query(
    `insert into sweep_contract (id, chain_ref, kind, address, waiting_reason, trouble, abandoned_at)
     values ('swc_1', $1, 'batch', '0xb', 'gas_missing', 'deployment_failed', now())`,
    [chainRef],
  );
  await treasury.topUp();
  expect(await balance()).toBe(0n);
  await db.query(`update sweep set waiting_reason = 'gas_missing'`);
  await treasury.topUp();
  await treasury.topUp();
  expect(await balance()).toBe(FILLED);

  await node.send('anvil_setBalance', HOT_WALLET, '0x0');
  await db.query(`update sweep set waiting_reason = null`);
  await db.query(
    `insert into sweep_contract (id, chain_ref, kind, address, waiting_reason) values ('swc_2', $1, 'batch', '0xb', 'gas_missing')`,
    [chainRef],
  );
  await treasury.topUp();
  expect(await balance()).toBe(FILLED);
});

import { AnvilNode } from '../../../test/support/anvil-node.js';
import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aChain, type SeededChain } from '../../../test/support/factories.js';
import { LogLines } from '../../../test/support/log-lines.js';
import { ProbeContract } from '../../../test/support/probe-contracts.js';
import { runtimeServing, sourceOf } from '../../../test/support/served-chains.js';
import { query } from '../../../test/support/sql.js';
import { EvmChainClient } from '../../chains/evm/evm-chain-client.js';
import { NATIVE_COIN } from '../../domain/network.js';
import type { Database } from '../../platform/database/database.js';
import { createLogger } from '../../platform/logging.js';
import { IssuerFreezes } from './issuer-freezes.service.js';
import { TreasuryChains } from '../treasury-chains.service.js';

const WALLET = `0x${'ab'.repeat(20)}`;

let db: TestDatabase;
let database: Database;
let node: AnvilNode;
let chain: SeededChain;
let tether: ProbeContract;
let chains: TreasuryChains;
let log: LogLines;
let freezes: IssuerFreezes;

beforeAll(async () => {
  db = await freshDatabase();
  ({ database } = db);
  node = await AnvilNode.start();
  chain = await aChain(database, { network: 'ethereum' });
  const client = new EvmChainClient({ profile: { network: 'ethereum', finality: { minDepth: 0 } }, rpcUrl: node.url });
  const { genesisHash } = await client.identity();
  await client.close();
  await query(database, `update chain set genesis_hash = $2 where id = $1`, [chain.chainRef, genesisHash]);
  const plain = await ProbeContract.deploy(node, 'ProbeToken', 18);
  tether = await ProbeContract.deploy(node, 'TetherToken');
  await query(
    database,
    `insert into chain_token (chain_ref, contract, symbol, decimals, minor_unit_exponent, enabled)
     values ($1, $2, 'DAI', 18, 2, true), ($1, $3, 'USDT', 6, 2, true), ($1, $4, 'ETH', 18, 8, true)`,
    [chain.chainRef, plain.address, tether.address, NATIVE_COIN],
  );
  await query(
    database,
    `insert into hot_wallet (chain_ref, address, address_key, derivation_path) values ($1, $2, $2, 'm/1')`,
    [chain.chainRef, WALLET],
  );
  log = new LogLines();
  const logger = createLogger('info', { destination: log });
  chains = new TreasuryChains(database, runtimeServing([sourceOf('ethereum', node.url)]), logger);
  freezes = new IssuerFreezes(database, chains, logger);
});
afterAll(async () => {
  await chains.beforeApplicationShutdown();
  await node.stop();
  await db.drop();
});

async function frozenReason(): Promise<string | null> {
  const [row] = await query<{ frozen_reason: string | null }>(database, `select frozen_reason from hot_wallet`);
  return row?.frozen_reason ?? null;
}

it('freezes a hot wallet that a token issuer has frozen, and again as long as the issuer does [G-99]', async () => {
  await freezes.check();
  expect(await frozenReason()).toBeNull();
  await tether.send('freeze', WALLET, true);
  await freezes.check();
  await freezes.check();
  expect(await frozenReason()).toBe('The issuer of USDT has frozen the hot wallet.');
  expect(log.named('Signing is frozen.')).toHaveLength(1);
  await query(database, `update hot_wallet set frozen_reason = null`);
  await freezes.check();
  expect(await frozenReason()).toBe('The issuer of USDT has frozen the hot wallet.');
  await tether.send('freeze', WALLET, false);
  await query(database, `update hot_wallet set frozen_reason = null`);
  await freezes.check();
  expect(await frozenReason()).toBeNull();
});

it('keeps the reason of an operator who froze it [G-99]', async () => {
  await tether.send('freeze', WALLET, true);
  await query(database, `update hot_wallet set frozen_reason = 'a leak'`);
  await freezes.check();
  expect(await frozenReason()).toBe('a leak');
});

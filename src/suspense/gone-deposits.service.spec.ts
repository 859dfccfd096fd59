import { keccak256 } from 'ethers';
import { z } from 'zod';
import { AnvilNode } from '../../test/support/anvil-node.js';
import { type CliRun, runCommand } from '../../test/support/cli-run.js';
import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import {
  aChain,
  aDeposit,
  aMerchant,
  anIntent,
  type SeededChain,
  type SeededIntent,
} from '../../test/support/factories.js';
import { eventually } from '../../test/support/eventually.js';
import { LogLines } from '../../test/support/log-lines.js';
import { readByGenericPlan } from '../../test/support/query-plan.js';
import { runtimeServing, sourceOf } from '../../test/support/served-chains.js';
import { settlementOn, stateOf } from '../../test/support/settlement.js';
import { aStray } from '../../test/support/strays.js';
import { EvmChainClient } from '../chains/evm/evm-chain-client.js';
import { idBefore } from '../domain/ids.js';
import { LedgerService } from '../ledger/ledger.service.js';
import type { Database } from '../platform/database/database.js';
import { createLogger } from '../platform/logging.js';
import { TreasuryChains } from '../treasury/treasury-chains.service.js';
import { DUE_CHAINS_STATEMENT, GoneDeposits, IN_DOUBT_STATEMENT } from './gone-deposits.service.js';
import { SuspenseBooking } from './suspense-booking.service.js';

const WHY = ['--reason', 'the chain dropped its block'] as const;
const RECEIPT = z.object({ blockNumber: z.string(), blockHash: z.string() });

let db: TestDatabase;
let database: Database;
let node: AnvilNode;
let chain: SeededChain;
let intent: SeededIntent;
let chains: TreasuryChains;
let gone: GoneDeposits;
let log: LogLines;

beforeAll(async () => {
  db = await freshDatabase();
  ({ database } = db);
});
afterAll(() => db.drop());
beforeEach(async () => {
  node = await AnvilNode.start();
  await database.query(`update chain set active = false, genesis_hash = id`);
  chain = await aChain(database, { network: 'ethereum', coin: 'ETH' });
  await database.query(`update chain set genesis_hash = $2 where id = $1`, [chain.chainRef, await genesis()]);
  await database.query(
    `insert into hot_wallet (chain_ref, address, address_key, derivation_path) values ($1, '0xab', '0xab', 'm/1')`,
    [chain.chainRef],
  );
  intent = await anIntent(database, { tenant: await aMerchant(database), chain });
  log = new LogLines();
  const logger = createLogger('info', { destination: log });
  chains = new TreasuryChains(database, runtimeServing([sourceOf('ethereum', node.url)]), logger);
  gone = new GoneDeposits(database, chains, logger);
});
afterEach(async () => {
  await chains.beforeApplicationShutdown();
  await node.stop();
});

async function genesis(): Promise<string> {
  const client = new EvmChainClient({ profile: { network: 'ethereum', finality: { minDepth: 0 } }, rpcUrl: node.url });
  const { genesisHash } = await client.identity();
  await client.close();
  return genesisHash;
}

interface Mined {
  readonly txHash: string;
  readonly blockHash: string;
  readonly blockHeight: number;
  /** Signed bytes, to send it once more. */
  readonly raw: string;
}

/** A payment on the chain, in a block that the listener remembers. */
async function pay(): Promise<Mined> {
  const [from] = await node.ask(z.array(z.string()), 'eth_accounts');
  const order = { from, to: intent.address, value: '0x5' };
  const txHash = await node.ask(z.string(), 'eth_sendTransaction', order);
  const receipt = await eventually(() => node.ask(RECEIPT.nullable(), 'eth_getTransactionReceipt', txHash));
  const raw = await node.ask(z.string(), 'eth_getRawTransactionByHash', txHash);
  const blockHeight = Number(receipt.blockNumber);
  await database.query(
    `insert into chain_block (chain_ref, height, hash, parent_hash, block_time) values ($1, $2, $3, '0x', now())`,
    [chain.chainRef, blockHeight, receipt.blockHash],
  );
  return { txHash, blockHash: receipt.blockHash, blockHeight, raw };
}

/** A payment that was credited, and that the chain then lost: other blocks are final in its place. */
async function aLostPayment(): Promise<{ id: string; raw: string }> {
  const before = await node.ask(z.string(), 'evm_snapshot');
  const { raw, ...place } = await pay();
  const id = await aDeposit(database, intent, { status: 'confirmed', ...place });
  await settlementOn(database).settle(intent.id);
  await node.tell('evm_revert', before);
  await node.mine(5);
  return { id, raw };
}

const halt = (reason: string | null = 'Block 1 is another one.'): Promise<unknown> =>
  database.query(`update chain_cursor set halted_reason = $2 where chain_ref = $1`, [chain.chainRef, reason]);

async function isGone(id: string): Promise<boolean> {
  const rows = await database.query(`select from deposit where id = $1 and gone_at is not null`, [id]);
  return rows.length > 0;
}

async function frozenReason(): Promise<string | null> {
  const [row] = await database.query<{ frozen_reason: string | null }>(
    `select frozen_reason from hot_wallet where chain_ref = $1`,
    [chain.chainRef],
  );
  return row?.frozen_reason ?? null;
}

const coffer = (...args: string[]): Promise<CliRun> => runCommand(['deposits', ...args], { DATABASE_URL: db.url });

/** The sums of the postings on our own accounts of this chain's coin that are not zero. */
async function ownBalances(): Promise<Record<string, string>> {
  const rows = await database.query<{ kind: string; sum: string }>(
    `select kind, sum(amount) from account join posting on account_id = account.id
      where kind in ('suspense', 'frozen', 'receivable') and account.asset = 'ethereum:native'
      group by kind having sum(amount) <> 0`,
  );
  return Object.fromEntries(rows.map(({ kind, sum }) => [kind, sum]));
}

describe('a deposit that was final and is gone', () => {
  it('is marked, told, and freezes the hot wallet; it is unmarked when that is final again [F-64]', async () => {
    const { id, raw } = await aLostPayment();
    await gone.look();
    expect(await isGone(id)).toBe(false);
    await halt();
    await gone.look();
    await gone.look();
    expect(await isGone(id)).toBe(true);
    expect(log.named('deposits that were final are gone')).toEqual([expect.objectContaining({ deposits: [id] })]);
    expect(await frozenReason()).toBe('Deposits that were final are gone from the chain.');
    expect(await coffer('gone')).toMatchObject({ code: 1, out: expect.stringContaining(id) });
    // Staff ended the halt; the transaction is mined again, in another block.
    await halt(null);
    await node.tell('eth_sendRawTransaction', raw);
    await gone.look();
    expect(await isGone(id)).toBe(true);
    await node.mine(3);
    await gone.look();
    expect(await isGone(id)).toBe(false);
    expect(log.named('deposits that were gone are there again')).toHaveLength(1);
    expect((await coffer('gone')).out).not.toContain(id);
    expect(await frozenReason()).not.toBeNull();
  });

  it('is none while the chain still has it, or no node says what it has', async () => {
    const { raw: _raw, ...place } = await pay();
    const id = await aDeposit(database, intent, { status: 'confirmed', ...place });
    await node.mine(5);
    await halt();
    await gone.look();
    expect(await isGone(id)).toBe(false);
    const lost = await aLostPayment();
    await node.stop();
    await gone.look();
    expect([await isGone(id), await isGone(lost.id)]).toEqual([false, false]);
    expect(await frozenReason()).toBeNull();
  });

  it('is none before the blocks in its place are final', async () => {
    const before = await node.ask(z.string(), 'evm_snapshot');
    const { raw: _raw, ...place } = await pay();
    const id = await aDeposit(database, intent, { status: 'confirmed', ...place });
    await node.tell('evm_revert', before);
    await node.mine();
    await halt();
    await gone.look();
    expect(await isGone(id)).toBe(false);
    await node.mine(5);
    await gone.look();
    expect(await isGone(id)).toBe(true);
  });
});

it('asks without reading the deposits that nobody doubts', async () => {
  const { blockHeight } = await pay();
  await database.query(
    `insert into deposit (id, chain_ref, token_contract, tx_hash, position, from_address, to_address, amount,
       block_height, block_hash, block_time, status, confirmed_at, address_id, unattributed_reason,
       credited_at, held_as)
     select 'dep_00' || n, $1, 'native', 'tx' || n, -1, '0xaa', $2, 1, $3, 'block', now(), 'confirmed', now(), address.id,
            'other_token', now(), 'suspense'
       from generate_series(1, 5000) n, pool_address address where address.address = $2`,
    [chain.chainRef, intent.address, blockHeight],
  );
  await database.query(`analyze deposit`);
  const due = await readByGenericPlan(database, DUE_CHAINS_STATEMENT, []);
  const inDoubt = await readByGenericPlan(database, IN_DOUBT_STATEMENT, [
    chain.chainRef,
    idBefore('dep_', new Date()),
    500,
  ]);
  expect([...due.scans, ...inDoubt.scans]).not.toContain('Seq Scan on deposit');
  expect(due.pages + inDoubt.pages).toBeLessThan(100);
});

describe('coffer deposits reverse', () => {
  it('books it against what we are owed, once, and touches neither pocket nor intent [F-64] [E-57]', async () => {
    const { id } = await aLostPayment();
    const before = await stateOf(database, intent);
    const refused = await coffer('reverse', id, ...WHY);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('The chain was not found without it') });
    await halt();
    await gone.look();
    expect(await coffer('reverse', id, ...WHY)).toMatchObject({
      code: 0,
      out: `Deposit ${id}, 25 ETH on ethereum (sandbox), is out of the books.\n`,
    });
    expect(await ownBalances()).toEqual({ receivable: String(-intent.cryptoAmount) });
    expect(await stateOf(database, intent)).toEqual(before);
    expect(await coffer('reverse', id, ...WHY)).toMatchObject({
      code: 1,
      err: expect.stringContaining('It is reversed already: by '),
    });
    const audit = await database.query(`select action, reason, details from audit_entry where subject = $1`, [id]);
    expect(audit).toEqual([
      { action: 'deposit.reverse', reason: 'the chain dropped its block', details: { from: 'receivable' } },
    ]);
    expect((await coffer('gone')).out).not.toContain(id);
  });

  it('books it in again, once, when it is final on the chain after all [F-65]', async () => {
    const { id, raw } = await aLostPayment();
    const before = await ownBalances();
    await halt();
    await gone.look();
    await coffer('reverse', id, ...WHY);
    const restore = (): Promise<CliRun> => coffer('restore', id, ...WHY);
    expect((await restore()).err).toContain('The chain was not found to have it again');
    await halt(null);
    await node.tell('eth_sendRawTransaction', raw);
    await eventually(() => node.ask(RECEIPT.nullable(), 'eth_getTransactionReceipt', keccak256(raw)));
    await node.mine(3);
    await gone.look();
    expect(await coffer('gone')).toMatchObject({
      code: 1,
      out: expect.stringMatching(new RegExp(`${id} +reversed, there again`)),
    });
    expect(await restore()).toMatchObject({
      code: 0,
      out: `Deposit ${id}, 25 ETH on ethereum (sandbox), is in the books again.\n`,
    });
    expect(await ownBalances()).toEqual(before);
    expect((await restore()).err).toContain('It is restored already: by ');
    expect((await coffer('gone')).out).not.toContain(id);
  });

  it('books what is still held out of suspense, and nothing of it can be given away any more', async () => {
    const id = await aStray(database, { chain, address: intent.address, reason: 'address_not_assigned', amount: 7n });
    const before = await ownBalances();
    await new SuspenseBooking(database, new LedgerService()).bookFinal();
    await database.query(`update deposit set gone_at = now() where id = $1`, [id]);
    const { merchantId } = intent.tenant;
    const resolve = (): Promise<CliRun> => coffer('resolve', id, '--merchant', merchantId, ...WHY);
    expect((await resolve()).err).toContain('The chain was found without it since');
    expect((await coffer('reverse', id, ...WHY)).code).toBe(0);
    expect(await ownBalances()).toEqual(before);
    expect((await resolve()).err).toContain('It was reversed, since the chain took it back');
  });
});

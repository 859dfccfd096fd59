import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { aMerchant, anIntent, type SeededChain, type SeededIntent } from '../../test/support/factories.js';
import { runtimeServing } from '../../test/support/served-chains.js';
import { type TronDevChain, startTronDevChain } from '../devtools/devnet/tron/tron-dev-chain.js';
import { tronCoins, tronTokens } from '../devtools/devnet/tron/wallet-funding.js';
import { developmentProfile, type NetworkProfile } from '../chains/networks.js';
import { newId } from '../domain/ids.js';
import { ChainRegistrationService } from '../offers/chain-registration.service.js';
import { moveOpenIntents } from '../offers/replaced-chains.js';
import { createLogger } from '../platform/logging.js';
import { waitFor } from '../platform/processes.js';
import type { JobQueue } from '../platform/queue/job-queue.js';
import { SandboxOrders } from './sandbox-orders.js';
import { SandboxPayer } from './sandbox-payer.service.js';

const UNIT = 10n ** 6n;
const WITHIN_MS = 60_000;
/** Longer than signed bytes are valid. */
const EXPIRED_MS = 100_000;

let db: TestDatabase;
let dataDir: string;
let chain: TronDevChain;
let profile: NetworkProfile;
let chainRef: string;
let payer: SandboxPayer;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'coffer-tron-'));
  chain = await start();
});
afterAll(async () => {
  await chain.stop();
  await rm(dataDir, { recursive: true, force: true });
});
beforeEach(async () => {
  db = await freshDatabase();
  await chain.controls.resume();
  await register();
});
afterEach(async () => {
  await db.drop();
});

const start = (): Promise<TronDevChain> =>
  startTronDevChain({ dataDir, preferredPort: 0, blockIntervalMs: 50, log: () => undefined });

/** Registers the chain as the listener does, in place of the one before. */
async function register(): Promise<void> {
  const { genesisHash, tokens } = chain;
  const contracts = Object.fromEntries(Object.entries(tokens).map(([symbol, { address }]) => [symbol, address]));
  profile = developmentProfile({ network: 'tron', chainId: genesisHash, contracts });
  const firstBlock = { height: 0, hash: genesisHash, parentHash: genesisHash, time: new Date() };
  const identity = { chainId: genesisHash, genesisHash };
  const registration = { profile, identity, start: firstBlock, disabledTokens: new Map(), mayReplace: true };
  ({ chainRef } = await new ChainRegistrationService(db.database).register(registration));
  const queue: Pick<JobQueue, 'wakeMany'> = { wakeMany: () => undefined };
  const runtime = { ...runtimeServing([]), devChains: [chain] };
  payer = new SandboxPayer(new SandboxOrders(db.database), queue as JobQueue, runtime, createLogger('silent'));
}

function seeded(symbol: string): SeededChain {
  const token = profile.tokens.find((one) => one.symbol === symbol);
  if (token === undefined) throw new Error(`There is no ${symbol}.`);
  return { ...token, chainRef, environment: 'sandbox', network: 'tron' };
}

async function intentIn(symbol: string): Promise<SeededIntent> {
  return anIntent(db.database, { tenant: await aMerchant(db.database), chain: seeded(symbol) });
}

async function order(intent: SeededIntent, amount: bigint): Promise<string> {
  const id = newId('ord_');
  await db.query(
    `insert into sandbox_payment (id, intent_id, chain_ref, token_contract, to_address, amount, status)
     values ($1, $2, $3, $4, $5, $6, 'queued')`,
    [id, intent.id, chainRef, intent.chain.contract, intent.address, amount.toString()],
  );
  return id;
}

interface Row {
  readonly status: string;
  readonly chain_ref: string;
  readonly tx_hash: string | null;
  readonly raw_transaction: string | null;
  readonly failure: string | null;
}

async function rowOf(id: string): Promise<Row> {
  const [row] = await db.query<Row>(
    `select status, chain_ref, tx_hash, raw_transaction, failure from sandbox_payment where id = $1`,
    [id],
  );
  if (row === undefined) throw new Error('There is no such order.');
  return row;
}

/** Advances an order again and again until it has a status. */
async function untilStatus(id: string, status: string): Promise<Row> {
  const found = await waitFor(async () => {
    await payer.execute({ paymentId: id });
    const row = await rowOf(id);
    return row.status === status ? row : null;
  }, WITHIN_MS);
  if (found === null) throw new Error(`The order is still ${(await rowOf(id)).status}.`);
  return found;
}

/** Acts as the listener once it has recorded every block that there will be. */
const readAll = () => db.query(`update chain_cursor set finalized_height = 9007199254740991`);

async function balanceOf({ address, chain: { symbol, contract } }: SeededIntent): Promise<bigint> {
  return symbol === 'TRX' ? tronCoins(chain.rpcUrl, address) : tronTokens(chain.rpcUrl, contract, address);
}

const untilHeld = (intent: SeededIntent, amount: bigint) =>
  waitFor(async () => ((await balanceOf(intent)) === amount ? true : null), WITHIN_MS);

describe('an order of the sandbox on tron', () => {
  it.each([
    ['USDC', 25n * UNIT],
    ['USDT', 25n * UNIT],
    ['TRX', 100n * UNIT],
  ])('in %s pays once, and is final once the listener has recorded its block', async (symbol, amount) => {
    const intent = await intentIn(symbol);
    const id = await order(intent, amount);
    await payer.execute({ paymentId: id });
    const sent = await rowOf(id);
    expect(sent).toMatchObject({ status: 'sent', tx_hash: expect.any(String) });
    expect(await untilHeld(intent, amount)).toBe(true);
    await chain.controls.mine(20);
    await payer.execute({ paymentId: id });
    expect(await rowOf(id)).toEqual(sent);
    await readAll();
    await payer.execute({ paymentId: id });
    await payer.execute({ paymentId: id });
    expect(await rowOf(id)).toEqual({ ...sent, status: 'final' });
    expect(await balanceOf(intent)).toBe(amount);
  });

  it('is sent again with the same bytes when the chain dropped its block', async () => {
    const intent = await intentIn('USDT');
    const id = await order(intent, UNIT);
    await chain.controls.pause();
    await payer.execute({ paymentId: id });
    const sent = await rowOf(id);
    await chain.controls.mine();
    await chain.controls.fork(1, 'vanish');
    expect(await balanceOf(intent)).toBe(0n);
    await payer.execute({ paymentId: id });
    expect(await rowOf(id)).toEqual(sent);
    await chain.controls.mine(3);
    expect(await balanceOf(intent)).toBe(UNIT);
  });

  it('is signed again only when no block can have the first bytes any more', async () => {
    const intent = await intentIn('USDT');
    const id = await order(intent, UNIT);
    await chain.controls.pause();
    await payer.execute({ paymentId: id });
    const sent = await rowOf(id);
    await chain.controls.mine();
    await chain.controls.fork(1, 'vanish');
    await chain.controls.advanceClock(EXPIRED_MS);
    await chain.controls.mine(2);
    await payer.execute({ paymentId: id });
    // The last blocks that can have it are not final: the bytes stay, although the chain refuses them.
    expect(await rowOf(id)).toEqual(sent);
    await chain.controls.mine();
    await payer.execute({ paymentId: id });
    expect(await rowOf(id)).toMatchObject({ status: 'queued', tx_hash: null, raw_transaction: null });
    await chain.controls.resume();
    await readAll();
    const { tx_hash: second } = await untilStatus(id, 'final');
    expect(second).not.toBe(sent.tx_hash);
    expect(await balanceOf(intent)).toBe(UNIT);
  });

  it('that the chain refuses at once fails, and delays no other', async () => {
    const intent = await intentIn('TRX');
    const tooLarge = await order(intent, 10n ** 18n);
    const next = await order(intent, 50n * UNIT);
    await payer.execute({ paymentId: tooLarge });
    expect(await rowOf(tooLarge)).toMatchObject({
      status: 'failed',
      failure: expect.stringMatching(/broadcasthex/),
    });
    await payer.execute({ paymentId: next });
    expect(await untilHeld(intent, 50n * UNIT)).toBe(true);
  });

  it('that its contract refuses in a block fails', async () => {
    const id = await order(await intentIn('USDT'), 10n ** 18n);
    await readAll();
    expect(await untilStatus(id, 'failed')).toMatchObject({ failure: 'The transfer was reverted.' });
  });

  it('is one payment among 50 equal ones: each has an id of its own', async () => {
    const intent = await intentIn('USDC');
    const ids = await Promise.all(Array.from({ length: 50 }, () => order(intent, UNIT)));
    await Promise.all(ids.map((paymentId) => payer.execute({ paymentId })));
    const hashes = await Promise.all(ids.map(async (id) => (await rowOf(id)).tx_hash));
    expect(new Set(hashes).size).toBe(50);
    expect(await untilHeld(intent, 50n * UNIT)).toBe(true);
    await readAll();
    for (const id of ids) await untilStatus(id, 'final');
    expect(await balanceOf(intent)).toBe(50n * UNIT);
  });

  it('moves with its intent to the chain that replaced its own, and is paid there', async () => {
    const intent = await intentIn('USDC');
    const id = await order(intent, UNIT);
    await payer.execute({ paymentId: id });
    await chain.stop();
    await rm(join(dataDir, 'devnet'), { recursive: true });
    const { genesisHash: replaced } = chain;
    chain = await start();
    expect(chain.genesisHash).not.toBe(replaced);
    await register();
    await moveOpenIntents(db.database.em());
    await payer.wakeDue();
    expect(await rowOf(id)).toMatchObject({ status: 'queued', chain_ref: chainRef, tx_hash: null });
    await readAll();
    await untilStatus(id, 'final');
    expect(await balanceOf(intent)).toBe(UNIT);
  });
});

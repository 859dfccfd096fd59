import { AnvilNode } from '../../test/support/anvil-node.js';
import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import {
  aChain,
  aDeposit,
  aMerchant,
  anIntent,
  type SeededChain,
  type SeededIntent,
} from '../../test/support/factories.js';
import { devChainOf, runtimeServing } from '../../test/support/served-chains.js';
import { devAccount } from '../devtools/devnet/dev-accounts.js';
import { DevChainControls } from '../../test/support/dev-chain-controls.js';
import type { EvmDevChain } from '../devtools/devnet/evm-dev-chain.js';
import { sendTestTokens } from '../../test/support/send-test-tokens.js';
import { newId } from '../domain/ids.js';
import { moveOpenIntents } from '../offers/replaced-chains.js';
import { createLogger } from '../platform/logging.js';
import type { JobQueue } from '../platform/queue/job-queue.js';
import { SandboxOrders } from './sandbox-orders.js';
import { SandboxPayer } from './sandbox-payer.service.js';

const COIN = 10n ** 18n;
const ANY_PAYEE = '0x00000000000000000000000000000000000000aa';

let db: TestDatabase;
let node: AnvilNode;
let chain: SeededChain;
let controls: DevChainControls;
let woken: string[];
let payer: SandboxPayer;

beforeEach(async () => {
  [db, node] = await Promise.all([freshDatabase(), AnvilNode.start()]);
  chain = await aChain(db.database, { coin: 'POL', height: 0 });
  const devChain = await devChainOf(db.database, chain, node);
  controls = new DevChainControls(devChain);
  payer = payerOn(devChain);
});
afterEach(async () => {
  await node.stop();
  await db.drop();
});

function payerOn(...devChains: readonly EvmDevChain[]): SandboxPayer {
  woken = [];
  const queue: Pick<JobQueue, 'wakeMany'> = {
    wakeMany: (_name, jobs) => void woken.push(...jobs.flatMap((job) => Object.values(job).map(String))),
  };
  const runtime = { ...runtimeServing([]), devChains };
  return new SandboxPayer(new SandboxOrders(db.database), queue as JobQueue, runtime, createLogger('silent'));
}

async function intentOn(seeded: SeededChain): Promise<SeededIntent> {
  return anIntent(db.database, { tenant: await aMerchant(db.database), chain: seeded });
}

async function order(intent: SeededIntent, amount = COIN): Promise<string> {
  const id = newId('ord_');
  await db.query(
    `insert into sandbox_payment (id, intent_id, chain_ref, token_contract, to_address, amount, status)
     values ($1, $2, $3, $4, $5, $6, 'queued')`,
    [id, intent.id, intent.chain.chainRef, intent.chain.contract, intent.address, amount.toString()],
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

/** Acts as the listener once it has read everything up to the head and all of it is final. */
async function makeFinal(): Promise<void> {
  await db.query(`update chain_cursor set finalized_height = $1`, [await controls.height()]);
}

const balanceOf = ({ address }: SeededIntent): Promise<bigint> => controls.balance(null, address);

describe('an order of the sandbox', () => {
  it('is sent again with the same bytes when the chain lost its block, until the payment is final', async () => {
    const intent = await intentOn(chain);
    const id = await order(intent);
    await payer.execute({ paymentId: id });
    const sent = await rowOf(id);
    expect(sent.status).toBe('sent');
    await controls.waitUntilMined(sent.tx_hash ?? '');
    await controls.replaceByEmptyBlocks(1);
    expect(await balanceOf(intent)).toBe(0n);

    await payer.execute({ paymentId: id });
    expect(await rowOf(id)).toEqual(sent);
    await controls.waitUntilMined(sent.tx_hash ?? '');
    await payer.execute({ paymentId: id });
    expect((await rowOf(id)).status).toBe('sent');
    await makeFinal();
    await payer.execute({ paymentId: id });
    await payer.execute({ paymentId: id });
    expect(await rowOf(id)).toEqual({ ...sent, status: 'final' });
    expect(await balanceOf(intent)).toBe(COIN);
  });

  it('is signed again when another transaction has used its nonce, but only once that one is final', async () => {
    const intent = await intentOn(chain);
    const id = await order(intent);
    await payer.execute({ paymentId: id });
    const { tx_hash: first } = await rowOf(id);
    await controls.waitUntilMined(first ?? '');
    await controls.replaceByEmptyBlocks(1);
    const transfer = { to: ANY_PAYEE, token: null, amount: 1n, from: devAccount('sandboxPayer') };
    await controls.waitUntilMined(await sendTestTokens(controls.chain, transfer));

    await payer.execute({ paymentId: id });
    expect((await rowOf(id)).tx_hash).toBe(first);
    await makeFinal();
    await payer.execute({ paymentId: id });
    expect(await rowOf(id)).toMatchObject({ status: 'queued', tx_hash: null });
    await payer.execute({ paymentId: id });
    await controls.waitUntilMined((await rowOf(id)).tx_hash ?? '');
    expect(await balanceOf(intent)).toBe(COIN);
  });

  it('that the chain refuses fails, and does not keep the nonce from the next', async () => {
    const intent = await intentOn(chain);
    const tooLarge = await order(intent, 10n ** 40n);
    const next = await order(intent);
    await payer.execute({ paymentId: tooLarge });
    expect(await rowOf(tooLarge)).toMatchObject({ status: 'failed', failure: expect.stringMatching(/funds/i) });
    await payer.execute({ paymentId: next });
    await controls.waitUntilMined((await rowOf(next)).tx_hash ?? '');
    expect(await balanceOf(intent)).toBe(COIN);
  });

  it('waits while no process runs its chain, and is due again and again', async () => {
    const id = await order(await intentOn(chain));
    const elsewhere = payerOn();
    await elsewhere.wakeDue();
    await elsewhere.execute({ paymentId: id });
    expect(woken).toEqual([id]);
    expect((await rowOf(id)).status).toBe('queued');
    await elsewhere.wakeDue();
    expect(woken).toEqual([id]);
    await db.query(`update sandbox_payment set due_at = now() - interval '1 second'`);
    await elsewhere.wakeDue();
    expect(woken).toEqual([id, id]);
  });
});

describe('an order on a replaced development chain', () => {
  let replaced: SeededChain;

  beforeEach(async () => {
    replaced = chain;
  });

  /** Another chain takes the place of the first. */
  async function replaceChain(): Promise<void> {
    await db.query(`update chain set active = false`);
    chain = await aChain(db.database, { coin: 'POL', height: 0 });
    payer = payerOn(await devChainOf(db.database, chain, node));
    await moveOpenIntents(db.database.em());
  }

  it('is signed again on its successor, with its intent, and paid there once', async () => {
    const intent = await intentOn(replaced);
    const id = await order(intent);
    await payer.execute({ paymentId: id });
    await controls.waitUntilMined((await rowOf(id)).tx_hash ?? '');
    await aDeposit(db.database, intent, { status: 'orphaned', txHash: (await rowOf(id)).tx_hash ?? '' });
    await controls.replaceByEmptyBlocks(1);

    await replaceChain();
    await payer.wakeDue();
    expect(await rowOf(id)).toMatchObject({ status: 'queued', chain_ref: chain.chainRef, tx_hash: null });
    await payer.execute({ paymentId: id });
    await controls.waitUntilMined((await rowOf(id)).tx_hash ?? '');
    await makeFinal();
    await payer.execute({ paymentId: id });
    expect((await rowOf(id)).status).toBe('final');
    expect(await balanceOf(intent)).toBe(COIN);
  });

  it('is not paid again when its payment was final there', async () => {
    const intent = await intentOn(replaced);
    const id = await order(intent);
    await payer.execute({ paymentId: id });
    const { tx_hash: txHash } = await rowOf(id);
    await aDeposit(db.database, intent, { status: 'confirmed', txHash: txHash ?? '' });
    await replaceChain();
    await payer.wakeDue();
    expect(await rowOf(id)).toMatchObject({ status: 'final', chain_ref: replaced.chainRef, tx_hash: txHash });
    expect(woken).toEqual([]);
  });

  it('is not paid again as far as a final amount without a transaction covers it: of equal ones, the oldest', async () => {
    const intent = await intentOn(replaced);
    const ids = [await order(intent), await order(intent), await order(intent, 5n * COIN)];
    for (const id of ids) await payer.execute({ paymentId: id });
    await db.query(`update sandbox_payment set created_at = now() - interval '1 hour' where id = $1`, [ids[1] ?? '']);
    await aDeposit(db.database, intent, { status: 'confirmed', amount: COIN, txHash: null });
    await replaceChain();
    await payer.wakeDue();
    await payer.wakeDue();
    const rows = await Promise.all(ids.map(rowOf));
    expect(rows.map(({ status }) => status)).toEqual(['queued', 'final', 'queued']);
  });

  it('fails when the successor does not have its token', async () => {
    const id = await order(await intentOn(replaced));
    await db.query(`update chain set active = false`);
    await aChain(db.database);
    await payerOn().wakeDue();
    expect(await rowOf(id)).toMatchObject({
      status: 'failed',
      failure: 'The chain was replaced, and the new one does not have this token.',
    });
    expect(woken).toEqual([]);
  });
});

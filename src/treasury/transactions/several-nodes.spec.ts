import { Transaction } from 'ethers';
import type { SeededChain } from '../../../test/support/factories.js';
import { FakeNode } from '../../../test/support/fake-node.js';
import { type Ordered, PayoutScene } from '../../../test/support/payout-scene.js';
import { hexOf } from '../../../test/support/probe-contracts.js';
import { RecordingQueue } from '../../../test/support/recording-queue.js';
import { genesisOf, runtimeServing, sourceOf } from '../../../test/support/served-chains.js';
import { aPlannedSweep } from '../../../test/support/sweep-scene.js';
import { tokenLog } from '../../../test/support/token-log.js';
import { vaultServices } from '../../../test/support/vault-services.js';
import { expectPayoutsInOrder, payoutOf, withdrawalEvents } from '../../../test/withdrawals/payouts.js';
import { LedgerService } from '../../ledger/ledger.service.js';
import { createLogger } from '../../platform/logging.js';
import type { OutcomeHandlers } from './outcome-handler.js';
import { Confirmer } from './confirmer.service.js';
import { OutcomeRecorder } from './outcome-recorder.service.js';
import { TreasuryChains } from '../treasury-chains.service.js';

const silent = createLogger('silent');
/** `aChain` makes what is three blocks deep final. */
const FINAL = { number: '0x61', hash: `0x${'97'.repeat(32)}`, parentHash: `0x${'96'.repeat(32)}`, timestamp: '0x1' };
const GWEI = 10n ** 9n;
const PAYEE = `0x${'7a'.repeat(20)}`;
const STRANGER = `0x${'5e'.repeat(20)}`;
const PAID = 25_000_000n;

let scene: PayoutScene;
let chain: SeededChain;
let outcomes: OutcomeHandlers;
let nodes: readonly [FakeNode, FakeNode];
let chains: TreasuryChains;

beforeAll(async () => {
  scene = await PayoutScene.open();
  ({ outcomes } = vaultServices(scene.database, new RecordingQueue().queue));
});
afterAll(() => scene.close());
beforeEach(async () => {
  chain = await scene.addChain('polygon');
  await scene.query(
    `insert into chain_block (chain_ref, height, hash, parent_hash, block_time) values ($1, $2, $3, '0x', now())`,
    [chain.chainRef, Number(FINAL.number), FINAL.hash],
  );
  nodes = [await aNode(), await aNode()];
  serveBy(nodes);
});
afterEach(async () => {
  await chains.beforeApplicationShutdown();
  await Promise.all(nodes.map((node) => node.stop()));
});

/** A node that is honest about its chain and has no transaction. */
async function aNode(): Promise<FakeNode> {
  const genesis = await genesisOf(scene.database, chain.chainRef);
  return FakeNode.start({
    eth_chainId: () => '0x7a69',
    eth_getBlockByNumber: (height) => (height === '0x0' ? { hash: genesis } : FINAL),
    eth_getTransactionByHash: () => null,
    eth_getTransactionReceipt: () => null,
    eth_getBlockTransactionCountByHash: () => '0x1',
    eth_getLogs: () => [],
  });
}

function serveBy(served: readonly FakeNode[]): void {
  const source = { ...sourceOf('polygon', ''), rpcUrls: served.map(({ url }) => url) };
  chains = new TreasuryChains(scene.database, runtimeServing([source]), silent);
}

/** From here on the node also answers this. */
function teach(node: FakeNode, methods: FakeNode['methods']): void {
  node.methods = { ...node.methods, ...methods };
}

/** From here on the node counts this many used nonces and has these receipts. */
function answerWith(node: FakeNode, used: number, receipts: readonly ReturnType<typeof receiptOf>[]): void {
  teach(node, {
    eth_getTransactionCount: () => hexOf(BigInt(used)),
    eth_getTransactionReceipt: (hash) => receipts.find(({ transactionHash }) => transactionHash === hash) ?? null,
  });
}

const receiptOf = (transactionHash: string, succeeded: boolean, logs: readonly object[] = []) => ({
  transactionHash,
  blockHash: FINAL.hash,
  blockNumber: FINAL.number,
  status: succeeded ? '0x1' : '0x0',
  gasUsed: hexOf(50_000n),
  effectiveGasPrice: hexOf(31n * GWEI),
  logs,
});

interface Signed extends Ordered {
  readonly hash: string;
  readonly raw: string;
  /** The log of its token, once it has paid; by another contract or to another payee on request. */
  log(traits?: { readonly address?: string; readonly to?: string }): object;
}

/** A signed withdrawal, and the hash of its transaction. */
async function signed(): Promise<Signed> {
  const ordered = await scene.order(await scene.merchant(), { chain, destination: PAYEE });
  await scene.signer.sign(scene.vault, ordered.id);
  const payout = await payoutOf(scene.database, ordered.id);
  const { txHash: hash = '', raw = '' } = payout?.attempts[0] ?? {};
  const { from } = Transaction.from(raw);
  const log: Signed['log'] = ({ to = PAYEE, ...traits } = {}) => ({
    ...tokenLog(FINAL, hash, chain.contract, [from ?? '', to], PAID),
    ...traits,
  });
  return { ...ordered, hash, raw, log };
}

/** Checks twice, so that an unexplained nonce exceeds its time limit. */
async function confirm(): Promise<void> {
  const config = { treasury: { stuckAfterMs: 0, unexplainedAfterMs: 0, sweepFeeShareBps: 100, hotWalletCapCents: 0 } };
  const bookings = new OutcomeRecorder(scene.database, new LedgerService(), outcomes, silent);
  const confirmer = new Confirmer(scene.database, chains, bookings, config, silent);
  await confirmer.confirmAll();
  await confirmer.confirmAll();
}

async function rowOf({ id }: Ordered) {
  const [row] = await scene.query<{ status: string; tx_hash: string | null; frozen_reason: string | null }>(
    `select status, tx_hash, frozen_reason from withdrawal join hot_wallet using (chain_ref) where id = $1`,
    [id],
  );
  return row;
}

describe('a payment that one node calls reverted', () => {
  it.each<[string, (other: FakeNode, hash: string) => void]>([
    ['says that it succeeded', (other, hash) => answerWith(other, 1, [receiptOf(hash, true)])],
    ['never heard of it', () => undefined],
    [
      'saw it reverted in another block',
      (other, hash) => answerWith(other, 1, [{ ...receiptOf(hash, false), blockHash: FINAL.parentHash }]),
    ],
    ['does not answer', (other) => (other.speak = () => 'hang up')],
  ])('is neither refunded nor held against the wallet while the other %s [I-116]', async (_what, say) => {
    const payment = await signed();
    answerWith(nodes[0], 1, [receiptOf(payment.hash, false)]);
    say(nodes[1], payment.hash);
    await confirm();
    expect(await rowOf(payment)).toMatchObject({ status: 'broadcasting', frozen_reason: null });
    expect(await withdrawalEvents(scene.database, payment.id)).toEqual([]);
  });

  it.each([
    ['the other says so too', 2],
    ['there is no other', 1],
  ])('is refunded when %s [I-116]', async (_what, count) => {
    const payment = await signed();
    for (const node of nodes) answerWith(node, 1, [receiptOf(payment.hash, false)]);
    serveBy(nodes.slice(0, count));
    await confirm();
    expect(await rowOf(payment)).toMatchObject({ status: 'failed', tx_hash: payment.hash, frozen_reason: null });
    expect(await withdrawalEvents(scene.database, payment.id)).toEqual(['withdrawal.failed']);
    await expectPayoutsInOrder(scene.database);
  });
});

describe('a payment that was mined, of a token that does not revert what it refuses', () => {
  it.each<[string, (payment: Signed) => object[]]>([
    ['no transfer', () => []],
    ['a transfer to somebody else', (payment) => [payment.log({ to: STRANGER })]],
    ['a transfer that another contract logs', (payment) => [payment.log({ address: STRANGER })]],
  ])('is refunded when all nodes show %s', async (_what, logs) => {
    const payment = await signed();
    for (const node of nodes) answerWith(node, 1, [receiptOf(payment.hash, true, logs(payment))]);
    await confirm();
    expect(await rowOf(payment)).toMatchObject({ status: 'failed', tx_hash: payment.hash, frozen_reason: null });
    await expectPayoutsInOrder(scene.database);
  });

  it.each<[string, (other: FakeNode, payment: Signed) => void]>([
    ['the other shows the transfer', (other, { hash, log }) => answerWith(other, 1, [receiptOf(hash, true, [log()])])],
    ['the other never heard of it', () => undefined],
  ])('is neither completed nor refunded while %s', async (_what, say) => {
    const payment = await signed();
    answerWith(nodes[0], 1, [receiptOf(payment.hash, true)]);
    say(nodes[1], payment);
    await confirm();
    expect(await rowOf(payment)).toMatchObject({ status: 'broadcasting', frozen_reason: null });
  });

  it('is not refunded by a node whose receipt misses the logs of its block', async () => {
    const payment = await signed();
    serveBy(nodes.slice(0, 1));
    answerWith(nodes[0], 1, [receiptOf(payment.hash, true)]);
    teach(nodes[0], { eth_getLogs: () => [payment.log()] });
    await confirm();
    expect(await rowOf(payment)).toMatchObject({ status: 'broadcasting', frozen_reason: null });
  });
});

it('a payment that one node calls paid and another reverted is not completed [I-116]', async () => {
  const payment = await signed();
  answerWith(nodes[0], 1, [receiptOf(payment.hash, true, [payment.log()])]);
  answerWith(nodes[1], 1, [receiptOf(payment.hash, false)]);
  await confirm();
  expect(await rowOf(payment)).toMatchObject({ status: 'broadcasting', tx_hash: null, frozen_reason: null });
});

describe('a payment that one node calls paid', () => {
  it('is not completed while another holds that very block without it', async () => {
    const payment = await signed();
    answerWith(nodes[0], 1, [receiptOf(payment.hash, true, [payment.log()])]);
    await confirm();
    expect(await rowOf(payment)).toMatchObject({ status: 'broadcasting', tx_hash: null, frozen_reason: null });
  });

  it.each<[string, (other: FakeNode) => void]>([
    ['has not come to that block', (other) => teach(other, { eth_getBlockByNumber: without(other) })],
    ['does not answer', (other) => (other.speak = () => 'hang up')],
  ])('is completed while the other %s', async (_what, say) => {
    const payment = await signed();
    answerWith(nodes[0], 1, [receiptOf(payment.hash, true, [payment.log()])]);
    say(nodes[1]);
    await confirm();
    expect(await rowOf(payment)).toMatchObject({ status: 'completed', tx_hash: payment.hash });
  });

  /** Knows the first block of its chain alone. */
  const without =
    ({ methods }: FakeNode) =>
    (height: unknown): unknown =>
      height === '0x0' ? methods['eth_getBlockByNumber']?.(height) : null;
});

describe('a sweep that one node says has succeeded', () => {
  const UNITS = 5n;

  /** A signed sweep of one address, its hash, and the log that says that so much reached the hot wallet. */
  async function sweep(): Promise<{ id: string; hash: string; log: (units: bigint) => object }> {
    const { id, addresses } = await aPlannedSweep(scene, chain, { nonces: [null] });
    await vaultServices(scene.database, new RecordingQueue().queue).sweeps.sign(scene.vault, 'sweep', id);
    const [row] = await scene.query<{ tx_hash: string; sender: string }>(
      `select tx_hash, sender from transaction_attempt join chain_transaction on id = transaction_id where purpose_id = $1`,
      [id],
    );
    const { tx_hash: hash = '', sender = '' } = row ?? {};
    return {
      id,
      hash,
      log: (units) => tokenLog(FINAL, hash, chain.contract, [addresses[0]?.addressKey ?? '', sender], units),
    };
  }

  const outcomeOf = (id: string) =>
    scene.query(
      `select swept, sweep.finished_at is not null as finished from sweep_item join sweep on sweep.id = sweep_id
        where sweep_id = $1`,
      [id],
    );

  it.each<[string, (other: FakeNode, receipt: object) => void]>([
    ['logs other amounts', (other, receipt) => teach(other, { eth_getTransactionReceipt: () => receipt })],
    ['never heard of it', () => undefined],
  ])('is left open while the other %s [I-116]', async (_what, say) => {
    const { id, hash, log } = await sweep();
    answerWith(nodes[0], 1, [receiptOf(hash, true, [log(UNITS)])]);
    say(nodes[1], receiptOf(hash, true, [log(UNITS + 1n)]));
    await confirm();
    expect(await outcomeOf(id)).toEqual([{ swept: null, finished: false }]);
  });

  it.each([2, 1])('is written down when all %d say the same [I-116]', async (count) => {
    const { id, hash, log } = await sweep();
    for (const node of nodes) answerWith(node, 1, [receiptOf(hash, true, [log(UNITS)])]);
    serveBy(nodes.slice(0, count));
    await confirm();
    expect(await outcomeOf(id)).toEqual([{ swept: String(UNITS), finished: true }]);
  });
});

it('a nonce that none of our transactions used freezes the wallet, and nothing is refunded [I-113]', async () => {
  const payment = await signed();
  for (const node of nodes) answerWith(node, 1, []);
  await confirm();
  const frozen_reason = 'Nonce 0 of the hot wallet was used by a transaction that is not ours.';
  expect(await rowOf(payment)).toMatchObject({ status: 'broadcasting', frozen_reason });
});

it('an outcome that cannot be recorded delays no other', async () => {
  const [first, second] = [await signed(), await signed()];
  // More than it can have cost: PostgreSQL refuses that.
  const absurd = { ...receiptOf(first.hash, true, [first.log()]), effectiveGasPrice: hexOf(1_000_000n * GWEI) };
  for (const node of nodes) answerWith(node, 2, [absurd, receiptOf(second.hash, true, [second.log()])]);
  await confirm();
  expect(await rowOf(first)).toMatchObject({ status: 'broadcasting', frozen_reason: null });
  expect(await rowOf(second)).toMatchObject({ status: 'completed', tx_hash: second.hash });
});

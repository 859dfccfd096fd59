import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { eventually } from '../../../test/support/eventually.js';
import { aDeposit, aMerchant, anIntent, type SeededIntent } from '../../../test/support/factories.js';
import { runtimeServing } from '../../../test/support/served-chains.js';
import { developmentProfile } from '../../chains/networks.js';
import { type DevChain, startDevChain } from '../../devtools/devnet/dev-chain.js';
import type { EvmDevChain } from '../../devtools/devnet/evm-dev-chain.js';
import type { Network } from '../../domain/network.js';
import { ChainRegistrationService } from '../../offers/chain-registration.service.js';
import { NetworkViews } from '../../offers/network-views.service.js';
import { IntentReader } from '../../payments/intents/intent-reader.service.js';
import { createLogger } from '../../platform/logging.js';
import { waitFor } from '../../platform/processes.js';
import type { JobWaker } from '../../platform/queue/job-waker.js';
import { SandboxOrders } from '../sandbox-orders.js';
import { SandboxPayer } from '../sandbox-payer.service.js';
import { SandboxService } from '../sandbox.service.js';
import { SandboxControls } from './sandbox-controls.service.js';

const WITHIN_MS = 60_000;
const KIM = {
  actor: 'kim@example.com',
  address: '127.0.0.1',
  requestId: 'req_1',
  environment: 'sandbox',
  role: 'support',
} as const;
const SILENT = createLogger('silent');
const QUEUE: Pick<JobWaker, 'wake' | 'wakeMany'> = { wake: () => undefined, wakeMany: () => undefined };

/** A development chain whose blocks the test makes, in the books of a service. */
interface Scene {
  readonly db: TestDatabase;
  readonly chain: DevChain;
  readonly controls: SandboxControls;
  readonly payer: SandboxPayer;
  readonly orders: SandboxOrders;
  readonly intent: SeededIntent;
  /** The chains that the process runs. */
  readonly devChains: DevChain[];
}

let dataDir: string;
let db: TestDatabase;
const chains = new Map<Network, DevChain>();
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'coffer-controls-'));
});
afterAll(async () => {
  for (const chain of chains.values()) await chain.stop();
  await rm(dataDir, { recursive: true, force: true });
});
beforeEach(async () => {
  db = await freshDatabase();
});
afterEach(() => db.drop());

async function sceneOn(network: Network, served: { readonly here?: boolean } = {}): Promise<Scene> {
  const options = { dataDir, blockIntervalMs: 0, log: () => undefined };
  const chain = chains.get(network) ?? (await startDevChain(network, options));
  chains.set(network, chain);
  const chainId = String(chain.chainId);
  const contracts = Object.fromEntries(Object.entries(chain.tokens).map(([symbol, { address }]) => [symbol, address]));
  const profile = developmentProfile({ network, chainId, contracts });
  const { genesisHash } = chain;
  const start = { height: 0, hash: genesisHash, parentHash: genesisHash, time: new Date() };
  const registration = {
    profile,
    identity: { chainId, genesisHash },
    start,
    disabledTokens: new Map(),
    mayReplace: true,
  };
  const { chainRef } = await new ChainRegistrationService(db.database).register(registration);
  const token = profile.tokens.find(({ symbol }) => symbol === 'USDC');
  if (token === undefined) throw new Error('There is no USDC.');
  const seeded = { ...token, chainRef, environment: 'sandbox', network } as const;
  const intent = await anIntent(db.database, { tenant: await aMerchant(db.database), chain: seeded });
  const devChains = served.here === false ? [] : [chain];
  const runtime = { ...runtimeServing([]), devChains };
  const networks = new NetworkViews(db.database);
  const orders = new SandboxOrders(db.database);
  const queue = QUEUE as JobWaker;
  const sandbox = new SandboxService(networks, new IntentReader(db.database, networks), queue);
  const controls = new SandboxControls(db.database, networks, sandbox, orders, runtime, SILENT);
  const payer = new SandboxPayer(orders, queue, runtime, SILENT);
  return { db, chain, controls, payer, orders, intent, devChains };
}

interface OrderRow {
  readonly id: string;
  readonly status: string;
  readonly amount: string;
  readonly failure: string | null;
  readonly tx_hash: string | null;
  readonly waits: boolean;
}

const ordersOf = ({ intent }: Scene): Promise<OrderRow[]> =>
  db.query<OrderRow>(
    `select id, status, amount::text, failure, tx_hash, due_at > now() as waits from sandbox_payment
      where intent_id = $1 order by created_at, id`,
    [intent.id],
  );

const actions = async (): Promise<string[]> =>
  (await db.query<{ action: string }>(`select action from audit_entry order by id`)).map(({ action }) => action);

/** Pays an intent, in a block that is not final, and acts as the listener that sees it. Returns the transaction. */
async function paidAndSeen(scene: Scene): Promise<string> {
  const { controls, payer, intent, chain } = scene;
  await controls.pay(KIM, intent.id, { payment: 'exact' });
  const [order] = await ordersOf(scene);
  await payer.execute({ paymentId: order?.id ?? '' });
  if (chain.network === 'solana' || chain.network === 'tron') await chain.controls.mine(1);
  const [sent] = await ordersOf(scene);
  const txHash = sent?.tx_hash ?? '';
  await aDeposit(db.database, intent, { txHash, blockHeight: await heightOf(scene) });
  return txHash;
}

/** The newest block or slot of the chain. */
async function heightOf({ chain }: Scene): Promise<number> {
  if (chain.network === 'tron') return (await chain.controls.info()).head;
  const method = chain.network === 'solana' ? 'getSlot' : 'eth_blockNumber';
  const params = chain.network === 'solana' ? [{ commitment: 'processed' }] : [];
  const response = await fetch(chain.rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result } = (await response.json()) as { result: string | number };
  return Number(result);
}

/** What the payer finds out about an order of its own: included, or to be sent again. */
async function afterPayer(scene: Scene): Promise<OrderRow | undefined> {
  const [order] = await ordersOf(scene);
  await scene.payer.execute({ paymentId: order?.id ?? '' });
  return (await ordersOf(scene))[0];
}

describe.each(['polygon', 'solana', 'tron'] as const)('the controls of an intent on %s', (network) => {
  it(
    'pay it exactly, drop the payment for good by a reorg, and pay it again',
    async () => {
      const scene = await sceneOn(network);
      const { controls, intent } = scene;
      const txHash = await paidAndSeen(scene);
      await controls.reorg(KIM, intent.id, false);
      expect(await afterPayer(scene)).toMatchObject({
        status: 'failed',
        tx_hash: null,
        failure: 'A reorg dropped it for good.',
      });
      await db.query(`update deposit set status = 'orphaned'`);
      const state = await controls.show('sandbox', intent.id);
      expect(state.controls.find(({ name }) => name === 'exact')).toMatchObject({
        amount: intent.cryptoAmount,
        unavailable: null,
      });
      await controls.pay(KIM, intent.id, { payment: 'exact' });
      const [, again] = await ordersOf(scene);
      await scene.payer.execute({ paymentId: again?.id ?? '' });
      const [, sent] = await ordersOf(scene);
      expect(sent).toMatchObject({ status: 'sent', amount: intent.cryptoAmount.toString() });
      expect(sent?.tx_hash).not.toBe(txHash);
      expect(await actions()).toEqual(['sandbox.pay', 'sandbox.reorg', 'sandbox.pay']);
    },
    WITHIN_MS,
  );

  it(
    'let a payment that a reorg dropped come back, and leave a final one alone',
    async () => {
      const scene = await sceneOn(network);
      const { controls, intent } = scene;
      const txHash = await paidAndSeen(scene);
      await controls.reorg(KIM, intent.id, true);
      expect(await ordersOf(scene)).toMatchObject([{ status: 'sent', tx_hash: txHash, waits: true }]);
      await afterPayer(scene);
      await controls.mine(KIM, intent.id, 12);
      await db.query(`update chain_cursor set finalized_height = $1`, [await heightOf(scene)]);
      await waitFor(async () => ((await afterPayer(scene))?.status === 'final' ? true : null), WITHIN_MS);
      expect(await ordersOf(scene)).toMatchObject([{ status: 'final', tx_hash: txHash }]);
      // The listener has not recorded yet that it is final.
      await expect(controls.reorg(KIM, intent.id, true)).rejects.toMatchObject({
        code: 'invalid_state_transition',
        message: 'The payment is final: no reorg drops it any more.',
      });
    },
    WITHIN_MS,
  );
});

describe('the controls of an intent', () => {
  it('let an open intent expire before they pay it late, once', async () => {
    const scene = await sceneOn('polygon');
    const { controls, intent } = scene;
    await controls.pay(KIM, intent.id, { payment: 'late' });
    expect(await ordersOf(scene)).toMatchObject([
      { status: 'queued', amount: intent.cryptoAmount.toString(), waits: true },
    ]);
    const [row] = await db.query<{ past: boolean; later: boolean }>(
      `select i.expires_at <= now() as past, o.due_at > i.expires_at + interval '1 second' as later
         from payment_intent i join sandbox_payment o on o.intent_id = i.id`,
    );
    expect(row).toEqual({ past: true, later: true });
    await expect(controls.pay(KIM, intent.id, { payment: 'late' })).rejects.toMatchObject({
      code: 'invalid_state_transition',
    });
    await expect(controls.expire(KIM, intent.id)).rejects.toMatchObject({ code: 'invalid_state_transition' });
    expect(await ordersOf(scene)).toHaveLength(1);
    expect(await actions()).toEqual(['sandbox.pay']);
  });

  it('pay too little, too much and another token, and expire it', async () => {
    const scene = await sceneOn('polygon');
    const { controls, intent } = scene;
    const { cryptoAmount } = intent;
    await controls.pay(KIM, intent.id, { payment: 'under' });
    await controls.pay(KIM, intent.id, { payment: 'over' });
    await controls.pay(KIM, intent.id, { payment: 'custom', token: 'POL', amount: '0.5' });
    expect((await ordersOf(scene)).map(({ amount }) => amount)).toEqual([
      String(cryptoAmount / 2n),
      String(cryptoAmount),
      String(5n * 10n ** 17n),
    ]);
    const custom = { payment: 'custom', token: 'DOGE', amount: '1' } as const;
    await expect(controls.pay(KIM, intent.id, custom)).rejects.toMatchObject({ code: 'invalid_request' });
    await controls.expire(KIM, intent.id);
    expect(await actions()).toEqual(['sandbox.pay', 'sandbox.pay', 'sandbox.pay', 'sandbox.expire']);
  });

  it('pay once when they are clicked twice at the same time', async () => {
    const scene = await sceneOn('polygon');
    const pay = () => scene.controls.pay(KIM, scene.intent.id, { payment: 'exact' });
    const outcomes = await Promise.allSettled([pay(), pay()]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await ordersOf(scene)).toHaveLength(1);
    expect(await actions()).toEqual(['sandbox.pay']);
  });

  it('do not exist in live, and for an unknown intent', async () => {
    const { controls, intent } = await sceneOn('polygon');
    const inLive = { ...KIM, environment: 'live' } as const;
    await expect(controls.show('live', intent.id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(controls.pay(inLive, intent.id, { payment: 'exact' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(controls.mine(inLive, intent.id, 1)).rejects.toMatchObject({ code: 'not_found' });
    await expect(controls.expire(KIM, 'pi_none')).rejects.toMatchObject({ code: 'not_found' });
    expect(await actions()).toEqual([]);
  });

  it('pay without the chains of this process, and make no blocks there', async () => {
    const scene = await sceneOn('polygon', { here: false });
    await scene.controls.pay(KIM, scene.intent.id, { payment: 'exact' });
    await expect(scene.controls.mine(KIM, scene.intent.id, 1)).rejects.toMatchObject({
      code: 'invalid_state_transition',
      message: 'The development chains run in another process of this service.',
    });
  });

  it('give a payment up that a reorg drops only after they had to answer', async () => {
    const scene = await sceneOn('polygon');
    const { controls, chain, intent, devChains } = scene;
    await paidAndSeen(scene);
    const begins = Promise.withResolvers<void>();
    devChains.splice(0, 1, { ...chain, pausedFor: (work) => begins.promise.then(work) } as EvmDevChain);
    await expect(controls.reorg(KIM, intent.id, false)).rejects.toMatchObject({
      code: 'network_unavailable',
      message: expect.stringMatching(/^The reorg on polygon takes longer than 5 s\. It goes on: /),
    });
    expect(await ordersOf(scene)).toMatchObject([{ status: 'sent', waits: true }]);
    begins.resolve();
    const isFailed = ([order]: readonly OrderRow[]) => order?.status === 'failed';
    expect(await eventually(() => ordersOf(scene), isFailed)).toMatchObject([{ tx_hash: null }]);
  });

  it('say that no node answers when the chain is down', async () => {
    const scene = await sceneOn('polygon');
    const down = { ...scene.chain, rpcUrl: 'http://127.0.0.1:9' } as DevChain;
    const networks = new NetworkViews(db.database);
    const sandbox = new SandboxService(networks, new IntentReader(db.database, networks), QUEUE);
    const runtime = { ...runtimeServing([]), devChains: [down] };
    const controls = new SandboxControls(db.database, networks, sandbox, scene.orders, runtime, SILENT);
    await expect(controls.mine(KIM, scene.intent.id, 1)).rejects.toMatchObject({
      code: 'network_unavailable',
      message: 'No node answers for polygon.',
    });
  });
});

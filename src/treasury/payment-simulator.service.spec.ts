import { z } from 'zod';
import { oddContract } from '../../test/support/odd-tokens.js';
import { type Ordered, type OrderTraits, PayoutScene } from '../../test/support/payout-scene.js';
import { PAYEE_CODE } from '../../test/support/payees.js';
import { RecordingQueue } from '../../test/support/recording-queue.js';
import { ReturnScene } from '../../test/support/return-scene.js';
import { runtimeServing, sourceOf } from '../../test/support/served-chains.js';
import { SweepLab, walletOf } from '../../test/support/sweep-lab.js';
import type { Lie } from '../chaos/fault.js';
import { FaultProxy } from '../chaos/fault-proxy.js';
import { lag } from '../chaos/lag.js';
import { SeededRandom } from '../chaos/seeded-random.js';
import { createLogger } from '../platform/logging.js';
import { Metrics } from '../platform/metrics.js';
import { HotBalances } from './hot-balances.service.js';
import { newestSimulation, type RecordedSimulation } from './payment-simulations.js';
import type { PaymentPurpose } from './standing-order.js';
import { TreasuryChains } from './treasury-chains.service.js';
import { VaultState } from '../wallets/vault-state.service.js';
import { VaultWatch } from '../wallets/vault-watch.service.js';
import { PaymentSimulator } from './payment-simulator.service.js';

const USDT = `0x${'a2'.repeat(20)}`;
const COIN = 10n ** 18n;
const silent = createLogger('silent');

let scene: PayoutScene;
let lab: SweepLab;
let nodes: readonly [FaultProxy, FaultProxy];
let vaultState: VaultState;
let chains: TreasuryChains;
let queue: RecordingQueue;
let simulator: PaymentSimulator;
let places = 0;

beforeAll(async () => {
  [scene, lab] = await Promise.all([PayoutScene.open(), SweepLab.start()]);
  const aProxy = (): Promise<FaultProxy> => FaultProxy.start({ target: { url: lab.node.url }, seed: 0 });
  nodes = [await aProxy(), await aProxy()];
  // As far as the scene's chain is read.
  await lab.node.mine(100);
  const genesis = await lab.node.ask(z.object({ hash: z.string() }), 'eth_getBlockByNumber', '0x0', false);
  await scene.database.query(`update chain set genesis_hash = $1`, [genesis.hash]);
  // What the payments offer for gas.
  await lab.fund(await hotWallet(), 1_000n * COIN);
  await aToken('BlackListToken', scene.chain.contract);
  await aToken('ThirstyToken', USDT);
});
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.stop()));
  await lab.stop();
  await scene.close();
});
beforeEach(async () => {
  for (const node of nodes) node.arm([]);
  vaultState = Object.assign(new VaultState(), { isOpen: true });
  serveBy(nodes[0]);
});
afterEach(async () => {
  await chains.beforeApplicationShutdown();
  // What one test leaves unsigned is no other's.
  await scene.database.query(
    `update withdrawal set status = 'failed', failure_code = 'cancelled', failure_message = '-' where status = 'broadcasting' and signed_at is null`,
  );
});

function serveBy(...served: readonly FaultProxy[]): void {
  const source = { ...sourceOf('polygon', ''), rpcUrls: served.map(({ url }) => url) };
  chains = new TreasuryChains(scene.database, runtimeServing([source]), silent);
  queue = new RecordingQueue();
  const balances = new HotBalances(scene.database, new Metrics(), chains, silent);
  const watch = new VaultWatch(scene.database, vaultState, silent);
  simulator = new PaymentSimulator(scene.database, balances, watch, chains, queue.queue, silent);
}

/** From here on the node answers so. */
function lie(node: FaultProxy, tell: Lie): void {
  node.arm([{ name: 'lie', about: 'says what a spec makes up', begin: () => ({ kind: 'answer', tell }) }]);
}

const breaking: Lie = () => Promise.reject(new Error('The connection breaks.'));

/** The node says that every call from the hot wallet is reverted. */
const reverting: Lie = ({ method, params }, truth) =>
  method === 'eth_call' && JSON.stringify(params).includes('"from"')
    ? { error: { code: 3, message: 'execution reverted' } }
    : truth;

/** Puts a token at an address, of which the hot wallet holds plenty. */
async function aToken(kind: 'BlackListToken' | 'ThirstyToken', address: string): Promise<void> {
  const { address: model } = await lab.deploy(kind);
  await lab.node.tell('anvil_setCode', address, await lab.codeOf(model));
  await lab.mint({ address, codec: oddContract(kind).codec }, await hotWallet(), 10n ** 15n);
}

async function hotWallet(): Promise<string> {
  const [row] = await scene.database.query<{ address: string }>(`select address from hot_wallet`);
  return row?.address ?? '';
}

const newDestination = (): string => `0x${(places += 1).toString(16).padStart(40, 'c')}`;

/** An address that the issuer of the token has put on its black list. */
async function aListedDestination(): Promise<string> {
  const destination = newDestination();
  const token = { address: scene.chain.contract, codec: oddContract('BlackListToken').codec };
  await lab.call(walletOf('issuer'), token, 'freeze', destination);
  return destination;
}

const order = async (traits: OrderTraits = {}): Promise<Ordered> =>
  scene.order(await scene.merchant(), { destination: newDestination(), isSimulated: false, ...traits });
const sign = ({ id }: Ordered): Promise<string | null> => scene.signer.sign(scene.vault, id);
const newest = (id: string, purpose: PaymentPurpose = 'withdrawal'): Promise<RecordedSimulation | null> =>
  newestSimulation(scene.database, purpose, id);
const callsOf = ({ asked }: FaultProxy): number => asked.get('eth_call') ?? 0;

async function failureOf({ id }: Ordered): Promise<string | null | undefined> {
  const [row] = await scene.database.query<{ failure_code: string | null }>(
    `select failure_code from withdrawal where id = $1`,
    [id],
  );
  return row?.failure_code;
}

it('a payment is executed on the newest block, written down with it, and the vault is woken to sign it [I-116]', async () => {
  const ordered = await order();
  await simulator.simulateDue();
  const head = await lab.node.head();
  const simulation = await newest(ordered.id);
  expect(simulation).toMatchObject({
    outcome: 'accepts',
    nodes: 1,
    blockHeight: String(head.height),
    blockHash: head.hash,
  });
  expect(await queue.woken('withdrawals.sign')).toEqual([{ withdrawalId: ordered.id }]);
  expect(await sign(ordered)).toBeNull();
  expect(await scene.waitsFor(ordered.id)).toBeNull();
});

it('one that the token refuses, or that needs more gas, fails, and the vault signs nothing for it [I-116]', async () => {
  const refused = await order({ destination: await aListedDestination() });
  const thirsty = await order({ token: 'USDT' });
  await simulator.simulateDue();
  expect([await sign(refused), await sign(thirsty)]).toEqual([null, null]);
  expect(await failureOf(refused)).toBe('destination_rejects');
  expect(await failureOf(thirsty)).toBe('destination_needs_gas');
});

it('is not simulated while our funds do not suffice: it waits for a sweep, and the vault says so [I-117]', async () => {
  const ordered = await order({ destination: await aListedDestination() });
  const before = callsOf(nodes[0]);
  await scene.hold(0n, COIN);
  await simulator.simulateDue();
  expect([await newest(ordered.id), callsOf(nodes[0])]).toEqual([null, before]);
  expect(await queue.woken('withdrawals.sign')).toEqual([{ withdrawalId: ordered.id }]);
  expect(await sign(ordered)).toBe('coins_missing');
  // Not asked again before the vault has found that there is enough.
  await scene.hold(10n ** 12n, 1_000n * COIN);
  await simulator.simulateDue();
  expect(await newest(ordered.id)).toBeNull();
  expect(await sign(ordered)).toBe('not_simulated');
  await simulator.simulateDue();
  expect(await newest(ordered.id)).toMatchObject({ outcome: 'rejects' });
});

it('waits, and is refused by nothing, while the chain says that the hot wallet has less than the books [I-117]', async () => {
  const ordered = await order({ destination: await aListedDestination() });
  const holder = await hotWallet();
  const balanceOf = oddContract('BlackListToken').codec.encodeFunctionData('balanceOf', [holder]);
  lie(nodes[0], ({ params }, truth) =>
    JSON.stringify(params).includes(balanceOf) ? { result: `0x${'0'.repeat(64)}` } : truth,
  );
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  await simulator.simulateDue();
  const asked = callsOf(nodes[0]);
  expect(asked).toBeGreaterThan(0);
  // The nodes are not asked again every second.
  await simulator.simulateDue();
  expect([await newest(ordered.id), callsOf(nodes[0])]).toEqual([null, asked]);
  nodes[0].arm([]);
  vi.setSystemTime(Date.now() + 1_001);
  await simulator.simulateDue();
  expect(await newest(ordered.id)).toMatchObject({ outcome: 'rejects' });
});

it('waits while no node answers, and is simulated once one does [I-116]', async () => {
  const ordered = await order();
  lie(nodes[0], breaking);
  await simulator.simulateDue();
  expect(await newest(ordered.id)).toBeNull();
  expect(await sign(ordered)).toBe('not_simulated');
  nodes[0].arm([]);
  await vi.waitFor(async () => {
    await simulator.simulateDue();
    expect(await newest(ordered.id)).toMatchObject({ outcome: 'accepts' });
  }, 20_000);
});

describe('of two nodes [I-121]', () => {
  beforeEach(async () => {
    await chains.beforeApplicationShutdown();
    serveBy(...nodes);
  });

  it('one that says that the destination refuses it is not believed: the other one executes it', async () => {
    const ordered = await order();
    lie(nodes[0], reverting);
    await simulator.simulateDue();
    expect(await newest(ordered.id)).toMatchObject({ outcome: 'accepts', nodes: 1 });
    expect([await sign(ordered), await failureOf(ordered)]).toEqual([null, null]);
  });

  it('one that executes no calls is left for the other one', async () => {
    const ordered = await order();
    lie(nodes[0], ({ method }, truth) =>
      method === 'eth_call' ? { error: { code: -32_000, message: 'header not found' } } : truth,
    );
    await simulator.simulateDue();
    expect(await newest(ordered.id)).toMatchObject({ outcome: 'accepts', nodes: 1 });
  });

  it('both have to say so of the same block, and then it fails', async () => {
    const ordered = await order({ destination: await aListedDestination() });
    await simulator.simulateDue();
    expect(await newest(ordered.id)).toMatchObject({ outcome: 'rejects', nodes: 2 });
    await sign(ordered);
    expect(await failureOf(ordered)).toBe('destination_rejects');
  });

  it('one that lags behind says it of its own newest block, and then it fails', async () => {
    const ordered = await order({ destination: await aListedDestination() });
    await lab.node.mine();
    nodes[1].arm([{ name: 'lag', about: 'lags', begin: () => lag(1).begin(new SeededRandom(0)) }]);
    await simulator.simulateDue();
    expect(await newest(ordered.id)).toMatchObject({ outcome: 'rejects', nodes: 2 });
  });

  it('what one that lags behind executes on an older block overrules no refusal', async () => {
    const ordered = await order({ destination: await aListedDestination() });
    nodes[1].arm([{ name: 'lag', about: 'lags', begin: () => lag(1).begin(new SeededRandom(0)) }]);
    await simulator.simulateDue();
    const head = await lab.node.head();
    expect(await newest(ordered.id)).toMatchObject({ outcome: 'unconfirmed', nodes: 1, blockHash: head.hash });
    expect(await sign(ordered)).toBe('not_simulated');
  });

  it('where a newer block overrules a refusal, that block is written down', async () => {
    const destination = newDestination();
    await lab.node.tell('anvil_setCode', destination, PAYEE_CODE.reverts);
    await lab.node.mine();
    const refusing = await lab.node.head();
    await lab.node.mine();
    await lab.node.tell('anvil_setCode', destination, '0x');
    await lab.node.mine();
    const ordered = await order({ destination, token: 'POL' });
    nodes[0].arm([{ name: 'lag', about: 'lags', begin: () => lag(2).begin(new SeededRandom(0)) }]);
    lie(nodes[1], ({ method, params }, truth) =>
      method === 'eth_call' && JSON.stringify(params).includes(refusing.hash)
        ? { error: { code: -32_000, message: 'header not found' } }
        : truth,
    );
    await simulator.simulateDue();
    const head = await lab.node.head();
    expect(await newest(ordered.id)).toMatchObject({
      outcome: 'accepts',
      nodes: 1,
      blockHeight: String(head.height),
      blockHash: head.hash,
    });
  });

  it('two that refuse it for different reasons agree that it is refused', async () => {
    const ordered = await order({ token: 'USDT' });
    lie(nodes[1], (asked, truth, node) =>
      JSON.stringify(asked.params).includes(`"to":"${USDT}"`) ? reverting(asked, truth, node) : truth,
    );
    await simulator.simulateDue();
    expect(await newest(ordered.id)).toMatchObject({ outcome: 'rejects', nodes: 2 });
  });

  it('where the other one is away, it waits for its word, beside others that are signed', async () => {
    const listed = await aListedDestination();
    lie(nodes[1], breaking);
    const [doubted, fine] = [await order({ destination: listed }), await order()];
    await simulator.simulateDue();
    await vi.waitFor(
      async () => expect(await newest(doubted.id)).toMatchObject({ outcome: 'unconfirmed', nodes: 1 }),
      20_000,
    );
    expect([await sign(doubted), await sign(fine)]).toEqual(['not_simulated', null]);
    expect(await failureOf(doubted)).toBeNull();
  });
});

it('records which destinations of coins have code [I-116]', async () => {
  const [contract, plain] = [newDestination(), newDestination()];
  await lab.node.tell('anvil_setCode', contract, PAYEE_CODE.takes);
  const orders = [
    await order({ destination: contract, token: 'POL' }),
    await order({ destination: plain, token: 'POL' }),
  ];
  await simulator.simulateDue();
  const rows = await scene.database.query<{ has_code: boolean }>(
    `select destination_has_code as has_code from payment_simulation where purpose_id = any($1) order by amount, id`,
    [orders.map(({ id }) => id)],
  );
  expect(rows).toEqual([{ has_code: true }, { has_code: false }]);
});

it('is not simulated while no vault is open, while the wallet is frozen, or while a rule holds it', async () => {
  const ordered = await order();
  vaultState.isOpen = false;
  await simulator.simulateDue();
  vaultState.isOpen = true;
  await scene.database.query(`update hot_wallet set frozen_reason = 'asked for'`);
  await simulator.simulateDue();
  await scene.database.query(`update hot_wallet set frozen_reason = null`);
  await scene.database.query(`update withdrawal set waiting_reason = 'approval_missing' where id = $1`, [ordered.id]);
  await simulator.simulateDue();
  expect(await newest(ordered.id)).toBeNull();
});

it('a return that the token refuses is in suspense again, and one that it accepts is signed [I-116]', async () => {
  const returns = await ReturnScene.open(scene);
  const [refused, accepted] = [await returns.anOrder(await aListedDestination()), await returns.anOrder()];
  await scene.db.owner.transaction(async (tx) => {
    await tx.execute(`set local session_replication_role = replica`);
    await tx.execute(`delete from payment_simulation where purpose = 'deposit_return'`);
  });
  await simulator.simulateDue();
  expect(await newest(refused.id, 'deposit_return')).toMatchObject({ outcome: 'rejects' });
  await returns.signer.signWaiting(scene.vault);
  expect(await returns.facts(refused.id)).toMatchObject({
    status: 'failed',
    failureCode: 'destination_rejects',
    isSigned: false,
    heldAs: 'suspense',
  });
  expect(await returns.facts(accepted.id)).toMatchObject({ status: 'broadcasting', isSigned: true });
});

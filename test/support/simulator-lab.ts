import { z } from 'zod';
import type { Lie } from '../../src/devtools/chaos/fault.js';
import { FaultProxy } from '../../src/devtools/chaos/fault-proxy.js';
import { lag } from '../../src/devtools/chaos/lag.js';
import { SeededRandom } from '../../src/devtools/chaos/seeded-random.js';
import { createLogger } from '../../src/platform/logging.js';
import { Metrics } from '../../src/platform/metrics.js';
import { HotBalances } from '../../src/treasury/wallets/hot-balances.service.js';
import { newestSimulation, type RecordedSimulation } from '../../src/treasury/simulation/payment-simulations.js';
import { PaymentSimulator } from '../../src/treasury/simulation/payment-simulator.service.js';
import type { PaymentPurpose } from '../../src/treasury/transactions/transaction-order.js';
import { TreasuryChains } from '../../src/treasury/treasury-chains.service.js';
import { VaultState } from '../../src/vault-status/vault-state.service.js';
import { VaultHeartbeat } from '../../src/vault-status/vault-heartbeat.service.js';
import { eventually } from './eventually.js';
import { oddContract } from './odd-tokens.js';
import { type Ordered, type OrderTraits, PayoutScene } from './payout-scene.js';
import { RecordingQueue } from './recording-queue.js';
import { runtimeServing, sourceOf } from './served-chains.js';
import { query } from './sql.js';
import { SweepLab, walletOf } from './sweep-lab.js';

const USDT = `0x${'a2'.repeat(20)}`;
const COIN = 10n ** 18n;
const silent = createLogger('silent');

/** Payment orders on a dev chain behind two nodes that can be made to lie, and the simulator that calls these nodes. */
export class SimulatorLab {
  vaultState = new VaultState();
  queue = new RecordingQueue();
  private chains: TreasuryChains | null = null;
  private served: PaymentSimulator | null = null;
  private places = 0;

  private constructor(
    readonly scene: PayoutScene,
    readonly lab: SweepLab,
    readonly nodes: readonly [FaultProxy, FaultProxy],
  ) {}

  static async open(): Promise<SimulatorLab> {
    const [scene, lab] = await Promise.all([PayoutScene.open(), SweepLab.start()]);
    const aProxy = (): Promise<FaultProxy> => FaultProxy.start({ target: { url: lab.node.url }, seed: 0 });
    const opened = new SimulatorLab(scene, lab, [await aProxy(), await aProxy()]);
    // As far as the scene's chain is read.
    await lab.node.mine(100);
    const genesis = await lab.node.ask(z.object({ hash: z.string() }), 'eth_getBlockByNumber', '0x0', false);
    await scene.query(`update chain set genesis_hash = $1`, [genesis.hash]);
    // What the payments offer for gas.
    await lab.fund(await opened.hotWallet(), 1_000n * COIN);
    await opened.putToken('BlackListToken', scene.chain.contract);
    await opened.putToken('ThirstyToken', USDT);
    return opened;
  }

  async close(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()));
    await this.lab.stop();
    await this.scene.close();
  }

  /** Begins a test: the nodes are honest, a vault is open, and these nodes are configured. */
  begin(...served: readonly FaultProxy[]): void {
    for (const node of this.nodes) node.arm([]);
    this.vaultState = Object.assign(new VaultState(), { isOpen: true });
    const source = { ...sourceOf('polygon', ''), rpcUrls: served.map(({ url }) => url) };
    const { database } = this.scene;
    this.chains = new TreasuryChains(database, runtimeServing([source]), silent);
    this.queue = new RecordingQueue();
    const balances = new HotBalances(database, new Metrics(), this.chains, silent);
    const heartbeat = new VaultHeartbeat(database, this.vaultState, silent);
    this.served = new PaymentSimulator(database, balances, heartbeat, this.chains, this.queue.queue, silent);
  }

  /** Ends a test. Its unsigned orders must not reach the next one. */
  async end(): Promise<void> {
    await this.chains?.beforeApplicationShutdown();
    await query(
      this.scene.database,
      `update withdrawal set status = 'failed', failure_code = 'cancelled', failure_message = '-' where status = 'broadcasting' and signed_at is null`,
    );
  }

  async simulateDue(): Promise<void> {
    if (this.served === null) throw new Error('No nodes are configured.');
    await this.served.simulateDue();
  }

  newDestination(): string {
    this.places += 1;
    return `0x${this.places.toString(16).padStart(40, 'c')}`;
  }

  /** An address that the issuer of the token has put on its black list. */
  async aListedDestination(): Promise<string> {
    const destination = this.newDestination();
    const token = { address: this.scene.chain.contract, codec: oddContract('BlackListToken').codec };
    await this.lab.call(walletOf('issuer'), token, 'freeze', destination);
    return destination;
  }

  async order(traits: OrderTraits = {}): Promise<Ordered> {
    const destination = this.newDestination();
    return this.scene.order(await this.scene.merchant(), { destination, isSimulated: false, ...traits });
  }

  sign({ id }: Ordered): Promise<string | null> {
    return this.scene.signer.sign(this.scene.vault, id);
  }

  newest(id: string, purpose: PaymentPurpose = 'withdrawal'): Promise<RecordedSimulation | null> {
    return newestSimulation(this.scene.database, purpose, id);
  }

  /** Waits for the newest simulation: with a slow node it continues beside the test. */
  simulated(id: string, purpose?: PaymentPurpose): Promise<RecordedSimulation> {
    return eventually(() => this.newest(id, purpose), 20_000);
  }

  async failureOf({ id }: Ordered): Promise<string | null | undefined> {
    const [row] = await query<{ failure_code: string | null }>(
      this.scene.database,
      `select failure_code from withdrawal where id = $1`,
      [id],
    );
    return row?.failure_code;
  }

  async hotWallet(): Promise<string> {
    const [row] = await query<{ address: string }>(this.scene.database, `select address from hot_wallet`);
    return row?.address ?? '';
  }

  /** Puts a token at an address, of which the hot wallet holds plenty. */
  private async putToken(kind: 'BlackListToken' | 'ThirstyToken', address: string): Promise<void> {
    const { address: model } = await this.lab.deploy(kind);
    await this.lab.node.send('anvil_setCode', address, await this.lab.codeOf(model));
    await this.lab.mint({ address, codec: oddContract(kind).codec }, await this.hotWallet(), 10n ** 15n);
  }
}

/** Makes the node answer with this lie from now on. */
export function lie(node: FaultProxy, falsify: Lie): void {
  node.arm([{ name: 'lie', about: 'answers as the spec says', begin: () => ({ kind: 'answer', falsify }) }]);
}

/** Makes the node lag by these blocks from now on. */
export function lagBehind(node: FaultProxy, blocks: number): void {
  node.arm([{ name: 'lag', about: 'lags', begin: () => lag(blocks).begin(new SeededRandom(0)) }]);
}

export const breaking: Lie = () => Promise.reject(new Error('The connection breaks.'));

/** The node says that every call from the hot wallet is reverted. */
export const reverting: Lie = ({ method, params }, truth) =>
  method === 'eth_call' && JSON.stringify(params).includes('"from"')
    ? { error: { code: 3, message: 'execution reverted' } }
    : truth;

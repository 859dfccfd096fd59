import type { RunningService } from '../../src/app/start/service.js';
import type { MinedTransaction } from '../../src/devtools/devnet/mined-transaction.js';
import type { PaymentIntentObject } from '../../src/payments/intents/payment-intent.schema.js';
import { addressOf, intentWithAddress } from '../http/intents.js';
import { type BnbTestnet, startBnbTestnet } from '../support/bnb-testnet.js';
import { startListener } from '../support/listener-process.js';
import { startWorld, type World } from '../support/world.js';
import { untilWatched } from './watching.js';

/** A world that collects on BNB's test network, read by a listener of its own that a spec stops and starts again. */
export class WatchedTestnet {
  private listener: RunningService | null = null;

  private constructor(
    readonly world: World,
    readonly testnet: BnbTestnet,
  ) {}

  static async start(): Promise<WatchedTestnet> {
    const [world, testnet] = await Promise.all([startWorld(), startBnbTestnet()]);
    const watched = new WatchedTestnet(world, testnet);
    await watched.startListener();
    // A head that is older than 30 s is not collected on, and the world may take that long.
    await testnet.controls.mine();
    await untilWatched(world, 'bnb');
    return watched;
  }

  async stop(): Promise<void> {
    await this.stopListener();
    await this.testnet.stop();
    await this.world.stop();
  }

  /** Starts the listener on the network's node, or on another one. */
  async startListener(url = this.testnet.url): Promise<void> {
    this.listener = await startListener(this.world, url);
  }

  async stopListener(): Promise<void> {
    await this.listener?.stop();
    this.listener = null;
  }

  /** An intent of 25 dollars in USDC there, with its address. */
  intent(): Promise<PaymentIntentObject> {
    return intentWithAddress(this.world.api, { network: 'bnb' });
  }

  /** Pays what is due, or one of several equal parts of it. */
  pay(intent: PaymentIntentObject, parts = 1n): Promise<MinedTransaction> {
    const amount = BigInt(intent.crypto_amount ?? 0) / parts;
    return this.testnet.controls.pay({ to: addressOf(intent), token: 'USDC', amount });
  }
}

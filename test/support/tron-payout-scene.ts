import { TronClient } from '../../src/chains/tron/tron-client.js';
import { ExpiringPayoutScene, type PaidMerchant as PaidMerchantOf } from './expiring-payout-scene.js';
import type { SeededChain } from './factories.js';
import { unownedKeyIn } from './random-values.js';
import { type ExpiringPlace, sceneVault } from './scene-vault.js';
import { TronLiar } from './tron-liar.js';
import { TronScene } from './tron-scene.js';

const INTERVAL_MS = 3_000;
/** From the head at the signature to the first block at the expiration: 90 s. */
export const BLOCKS_OF_LIFE = 30;
const TERMS = {
  coin: 'TRX',
  usual: 'USDT',
  tokens: ['USDT', 'USDC'],
  prices: { USDC: '1', USDT: '1', TRX: '0.25' },
  orderedCoins: 2_000_000,
} as const;

export type TronToken = 'USDC' | 'USDT' | 'TRX';
export type PaidMerchant = PaidMerchantOf<TronToken>;

/** Everything between an order of a merchant and a final transaction on a Tron development chain. */
export class TronPayoutScene extends ExpiringPayoutScene<TronToken, TronClient> {
  private readonly liars: TronLiar[] = [];

  private constructor(
    readonly base: TronScene,
    opened: ExpiringPlace,
  ) {
    super(opened, TERMS);
  }

  static async open(): Promise<TronPayoutScene> {
    const [base, opened] = await Promise.all([TronScene.open(), sceneVault()]);
    const { address: hotWallet } = await opened.vault.hotWallet('sandbox', 'tron');
    const { db, log, profile, rig } = base;
    const scene = new TronPayoutScene(base, { ...opened, db, log, profile, rpcUrl: rig.url, hotWallet });
    base.listen();
    await scene.provide();
    return scene;
  }

  /** Opens the scene with a wallet that can pay, and whose records are trusted. */
  static async funded(): Promise<TronPayoutScene> {
    const scene = await TronPayoutScene.open();
    await scene.fundHotWallet();
    await scene.trust();
    return scene;
  }

  /** The controls of the chain. */
  get controls() {
    return this.base.rig.controls;
  }

  async pass(seconds: number): Promise<void> {
    await this.controls.mine(Math.ceil((seconds * 1_000) / INTERVAL_MS));
    await this.makeFinal();
  }

  async makeFinal(): Promise<void> {
    await this.base.settle();
    await this.base.untilRead();
  }

  async freshAddress(): Promise<string> {
    return unownedKeyIn('tron');
  }

  async pastExpiry(): Promise<void> {
    await this.controls.mine(BLOCKS_OF_LIFE);
    await this.makeFinal();
  }

  /** Makes blocks one by one until the newest final one is of this time, in ms. */
  async untilFinalTime(time: number): Promise<void> {
    while ((await this.asking((client) => client.finalProgress())) < time) await this.controls.mine();
  }

  /** A second way to the chain, which may lie. */
  async liar(): Promise<TronLiar> {
    const liar = await TronLiar.start(this.base.rig.url);
    this.liars.push(liar);
    return liar;
  }

  protected chain(token: TronToken): SeededChain {
    return this.base.chain(token);
  }

  protected async give(owner: string, token: TronToken | null, amount: bigint): Promise<void> {
    await this.controls.fund(owner, token === 'TRX' ? null : token, amount);
  }

  protected newClient(): TronClient {
    return new TronClient({ profile: this.base.profile, rpcUrl: this.base.rig.url });
  }

  protected async closeChain(): Promise<void> {
    await Promise.all(this.liars.map((liar) => liar.stop()));
    await this.base.close();
  }
}

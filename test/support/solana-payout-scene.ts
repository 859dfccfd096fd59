import { generateKeyPairSigner } from '@solana/kit';
import { SolanaClient } from '../../src/chains/solana/solana-client.js';
import { eventually } from './eventually.js';
import { ExpiringPayoutScene, type PaidMerchant as PaidMerchantOf } from './expiring-payout-scene.js';
import type { SeededChain } from './factories.js';
import { type ExpiringPlace, sceneVault } from './scene-vault.js';
import { SolanaScene } from './solana-scene.js';

/** More than the 151 blocks in which a transaction may be, after the one that it names. */
const BLOCKS_OF_LIFE = 155;
const TERMS = {
  coin: 'SOL',
  usual: 'USDC',
  tokens: ['USDC', 'USDT'],
  prices: { USDC: '1', USDT: '1', SOL: '100' },
  orderedCoins: 1_000_000,
} as const;

export type SolanaToken = 'USDC' | 'USDT' | 'SOL';
export type PaidMerchant = PaidMerchantOf<SolanaToken>;

/** Everything between an order of a merchant and a final transaction on a Solana development chain. */
export class SolanaPayoutScene extends ExpiringPayoutScene<SolanaToken, SolanaClient> {
  /** By how much the clock of the chain is ahead of that of the database. */
  aheadMs = 0;

  private constructor(
    readonly base: SolanaScene,
    opened: ExpiringPlace,
  ) {
    super(opened, TERMS);
  }

  static async open(): Promise<SolanaPayoutScene> {
    const [base, opened] = await Promise.all([SolanaScene.open(), sceneVault()]);
    const { address: hotWallet } = await opened.vault.hotWallet('sandbox', 'solana');
    const { db, log, profile, lab } = base;
    const scene = new SolanaPayoutScene(base, { ...opened, db, log, profile, rpcUrl: lab.chain.url, hotWallet });
    await scene.provide();
    return scene;
  }

  /** Opens the scene with a wallet that can pay, and whose records are trusted. */
  static async funded(): Promise<SolanaPayoutScene> {
    const scene = await SolanaPayoutScene.open();
    await scene.fundHotWallet();
    await scene.trust();
    return scene;
  }

  get lab() {
    return this.base.lab;
  }

  async pass(seconds: number): Promise<void> {
    this.aheadMs += seconds * 1_000;
    await this.lab.controls.advanceClock(seconds);
    await this.makeFinal();
  }

  async makeFinal(): Promise<void> {
    await this.lab.controls.mine();
    await this.lab.settle();
    await this.untilRead();
  }

  /** Waits until the listener has read the newest final block. */
  async untilRead(): Promise<void> {
    const final = Number(await this.lab.rpc.getSlot({ commitment: 'finalized' }).send());
    await eventually(
      () => {
        this.base.nudge();
        return this.base.cursor();
      },
      ({ finalizedHeight }) => finalizedHeight >= final,
    );
  }

  async freshAddress(): Promise<string> {
    return (await generateKeyPairSigner()).address;
  }

  async pastExpiry(): Promise<void> {
    await this.lab.controls.mine(BLOCKS_OF_LIFE);
    await this.makeFinal();
  }

  protected chain(token: SolanaToken): SeededChain {
    return this.base.chain(token);
  }

  protected async give(owner: string, token: SolanaToken | null, amount: bigint): Promise<void> {
    await this.lab.controls.fund({ owner, token, amount });
  }

  protected newClient(): SolanaClient {
    return new SolanaClient({ profile: { network: 'solana' }, rpcUrl: this.lab.chain.url });
  }

  protected closeChain(): Promise<void> {
    return this.base.close();
  }
}

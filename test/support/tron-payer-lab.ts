import { rm } from 'node:fs/promises';
import type { ExpiringPayment, PlannedPayment } from '../../src/chains/expiring.js';
import type { SignedBytes } from '../../src/chains/expiring-transaction.js';
import { developmentProfile, type NetworkProfile } from '../../src/chains/networks.js';
import { TronClient } from '../../src/chains/tron/tron-client.js';
import { TronPayer } from '../../src/chains/tron/tron-payer.js';
import type { UnsignedTronTransaction } from '../../src/chains/tron/unsigned-transaction.js';
import type { LocalVault } from '../../src/vault/local-vault.js';
import { sceneVault } from './scene-vault.js';
import { TronNodeRig } from './tron-node-rig.js';

const DECIMALS = 6;
const SOLIDITY_DISTANCE = 3;

/** A payment of tron that is signed, with its plan. */
export interface SignedTronPayment extends SignedBytes {
  readonly payment: ExpiringPayment;
  readonly planned: PlannedPayment<UnsignedTronTransaction>;
}

/** A development chain with a vault whose hot wallet has coins and tokens, and what plans, signs, checks and sends. */
export class TronPayerLab {
  readonly payer = new TronPayer();
  private sequence = 0;

  private constructor(
    readonly rig: TronNodeRig,
    readonly profile: NetworkProfile,
    readonly client: TronClient,
    readonly vault: LocalVault,
    readonly hotWallet: string,
    readonly tokens: { readonly USDT: string; readonly USDC: string },
    private readonly dir: string,
  ) {}

  static async open(): Promise<TronPayerLab> {
    const [rig, { dir, vault }] = await Promise.all([TronNodeRig.start(), sceneVault()]);
    await rig.controls.setSolidityDistance(SOLIDITY_DISTANCE);
    const { genesisId, tokens } = await rig.controls.mine(SOLIDITY_DISTANCE + 1);
    const { address } = await vault.hotWallet('sandbox', 'tron');
    const profile = developmentProfile({ network: 'tron', chainId: genesisId, contracts: tokens });
    const client = new TronClient({ profile, rpcUrl: rig.url });
    const lab = new TronPayerLab(rig, profile, client, vault, address, tokens, dir);
    await lab.fund(address, null, 10_000_000_000n);
    await lab.fund(address, 'USDT', 1_000_000_000n);
    await lab.fund(address, 'USDC', 1_000_000_000n);
    await lab.settle();
    return lab;
  }

  async close(): Promise<void> {
    await this.client.close();
    await Promise.all([this.vault.close(), this.rig.remove()]);
    await rm(this.dir, { recursive: true });
  }

  /** A client of the same chain, through another address of its node. */
  clientAt(rpcUrl: string): TronClient {
    return new TronClient({ profile: this.profile, rpcUrl, timeoutMs: 5_000 });
  }

  /** Gives coins (null) or tokens to an owner, in a block of their own. */
  async fund(owner: string, token: 'USDC' | 'USDT' | null, amount: bigint): Promise<void> {
    await this.rig.controls.fund(owner, token, amount);
    await this.rig.controls.mine();
  }

  /** Makes blocks until everything is final. */
  async settle(): Promise<void> {
    await this.rig.controls.mine(SOLIDITY_DISTANCE + 1);
  }

  payment(recipient: string, token: string, amount: bigint): ExpiringPayment {
    return { sender: this.hotWallet, recipient, token, decimals: DECIMALS, amount };
  }

  /** Plans and signs a payment on the newest block, with the next sequence number, and checks the bytes. */
  async sign(payment: ExpiringPayment): Promise<SignedTronPayment> {
    const [signed] = await this.signAll([payment]);
    if (signed === undefined) throw new Error('Nothing was signed.');
    return signed;
  }

  /** Does the same with many payments on one block. */
  async signAll(payments: readonly ExpiringPayment[]): Promise<readonly SignedTronPayment[]> {
    const at = await this.client.conditions(this.hotWallet);
    const signed: SignedTronPayment[] = [];
    for (const payment of payments) {
      const planned = this.payer.plan(payment, 'standard', (this.sequence += 1), at);
      const bytes = await this.vault.signExpiring('sandbox', [{ kind: 'hot_wallet' }], planned.unsigned);
      this.payer.check(bytes, planned, payment);
      signed.push({ ...bytes, payment, planned });
    }
    return signed;
  }

  /** Sends signed payments, which a node must accept, and makes a block. */
  async land(...signed: readonly SignedTronPayment[]): Promise<void> {
    for (const answer of await this.client.broadcastAll(signed.map(({ raw }) => raw))) {
      if (!answer.accepted) throw new Error(answer.message);
    }
    await this.rig.controls.mine();
  }
}

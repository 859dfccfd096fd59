import { rm } from 'node:fs/promises';
import type { BalanceChange, ExpiringPayment, PlannedPayment } from '../../src/chains/expiring.js';
import { SolanaClient } from '../../src/chains/solana/solana-client.js';
import { SolanaPayer } from '../../src/chains/solana/solana-payer.js';
import type { SignedBytes } from '../../src/chains/expiring-transaction.js';
import type { UnsignedMoves } from '../../src/chains/solana/unsigned-moves.js';
import { NATIVE_COIN } from '../../src/domain/network.js';
import type { LocalVault } from '../../src/vault/local-vault.js';
import { sceneVault } from './scene-vault.js';
import { SolanaLab } from './solana-lab.js';

const DECIMALS = 6;

/** A payment that is signed, with its plan. */
export interface SignedPayment extends SignedBytes {
  readonly payment: ExpiringPayment;
  readonly planned: PlannedPayment<UnsignedMoves>;
}

/** A development chain with a vault whose hot wallet has coins and tokens, and what plans, signs, checks and sends. */
export class SolanaPayerLab {
  readonly payer = new SolanaPayer();
  private sequence = 0;

  private constructor(
    readonly lab: SolanaLab,
    readonly client: SolanaClient,
    readonly vault: LocalVault,
    readonly hotWallet: string,
    readonly mints: { readonly USDC: string; readonly USDT: string },
    private readonly dir: string,
  ) {}

  static async open(): Promise<SolanaPayerLab> {
    const [lab, { dir, vault }] = await Promise.all([SolanaLab.open(), sceneVault()]);
    const client = new SolanaClient({ profile: { network: 'solana' }, rpcUrl: lab.chain.url });
    const { address } = await vault.hotWallet('sandbox', 'solana');
    const { mints } = await lab.controls.info();
    const known = { USDC: mints['USDC'] ?? '', USDT: mints['USDT'] ?? '' };
    const payerLab = new SolanaPayerLab(lab, client, vault, address, known, dir);
    await payerLab.fund(address, null, 100_000_000_000n);
    await payerLab.fund(address, 'USDC', 1_000_000_000n);
    await payerLab.fund(address, 'USDT', 1_000_000_000n);
    await lab.settle();
    return payerLab;
  }

  async close(): Promise<void> {
    await this.client.close();
    await Promise.all([this.vault.close(), this.lab.close()]);
    await rm(this.dir, { recursive: true });
  }

  /** Gives coins (null) or tokens to an owner, in a block of their own. */
  async fund(owner: string, token: 'USDC' | 'USDT' | null, amount: bigint): Promise<void> {
    await this.lab.controls.fund({ owner, token, amount });
    await this.lab.controls.mine();
  }

  payment(recipient: string, token: string, amount: bigint): ExpiringPayment {
    const decimals = token === NATIVE_COIN ? 9 : DECIMALS;
    return { sender: this.hotWallet, recipient, token, decimals, amount };
  }

  /** Plans and signs a payment on the newest block, with the next sequence number, and checks the bytes. */
  async sign(payment: ExpiringPayment): Promise<SignedPayment> {
    const [signed] = await this.signAll([payment]);
    if (signed === undefined) throw new Error('Nothing was signed.');
    return signed;
  }

  /** Does the same with many payments on one block. */
  async signAll(payments: readonly ExpiringPayment[]): Promise<readonly SignedPayment[]> {
    const at = await this.client.conditions();
    const signed: SignedPayment[] = [];
    for (const payment of payments) {
      const planned = this.payer.plan(payment, 'standard', (this.sequence += 1), at);
      const bytes = await this.vault.signExpiring('sandbox', [{ kind: 'hot_wallet' }], planned.unsigned);
      this.payer.check(bytes, planned, payment);
      signed.push({ ...bytes, payment, planned });
    }
    return signed;
  }

  /** Sends signed payments, which a node must accept, and makes a block. */
  async land(...signed: readonly SignedPayment[]): Promise<void> {
    for (const answer of await this.client.broadcastAll(signed.map(({ raw }) => raw))) {
      if (!answer.accepted) throw new Error(answer.message);
    }
    await this.lab.controls.mine();
  }

  /** Returns the balances of owners of the coin and of both tokens at a final block. */
  async balances(owners: readonly string[]): Promise<ReadonlyMap<string, bigint>> {
    const tokens = this.tokens;
    const balances = new Map<string, bigint>();
    for (const owner of owners) {
      const { units } = await this.client.finalBalancesOf(owner, tokens, 0);
      for (const [place, token] of tokens.entries()) balances.set(`${owner} ${token}`, units[place] ?? -1n);
    }
    return balances;
  }

  get tokens(): readonly string[] {
    return [NATIVE_COIN, this.mints.USDC, this.mints.USDT];
  }
}

/** Returns balances after changes. */
export function changed(
  balances: ReadonlyMap<string, bigint>,
  changes: readonly BalanceChange[],
): ReadonlyMap<string, bigint> {
  const after = new Map(balances);
  for (const { owner, token, units } of changes) {
    const key = `${owner} ${token}`;
    const before = after.get(key);
    if (before !== undefined) after.set(key, before + units);
  }
  return after;
}

import { rm } from 'node:fs/promises';
import { checkRules } from '../../src/auditor/books-verification.js';
import type { SignedBytes } from '../../src/chains/expiring-transaction.js';
import type { ExpiringClient } from '../../src/chains/expiring.js';
import { expiringPayerOf } from '../../src/chains/registry.js';
import { NATIVE_COIN } from '../../src/domain/network.js';
import type { Database } from '../../src/platform/database/database.js';
import type { SqlParameter } from '../../src/platform/sql/sql.js';
import type { LocalVault } from '../../src/vault/local-vault.js';
import { eventually } from './eventually.js';
import { ExpiringTreasury } from './expiring-treasury.js';
import type { SeededChain } from './factories.js';
import { RecordingQueue } from './recording-queue.js';
import { environmentAt, type ExpiringPlace } from './scene-vault.js';
import { query } from './sql.js';
import { vaultServices, type VaultServices } from './vault-services.js';

/** What the wallet holds in these scenes. */
export interface WalletFunds<Token extends string> {
  readonly coin: Token;
  readonly tokens: readonly Token[];
}

/** The hot wallet of a development chain whose transactions expire, with the worker and the vault that pay from it. */
export abstract class ExpiringWalletScene<
  Token extends string,
  Client extends ExpiringClient & { close(): Promise<void> },
> {
  private vaultSide: VaultServices;
  private current: ExpiringTreasury;
  private readonly workers: ExpiringTreasury[] = [];

  protected constructor(
    private readonly opened: ExpiringPlace,
    private readonly funds: WalletFunds<Token>,
  ) {
    this.vaultSide = this.newVaultSide();
    this.current = this.newWorker();
  }

  /** The chain as it offers a token, or its coin by its symbol. */
  protected abstract chain(token: Token): SeededChain;
  /** Sends coins (null) or tokens to an address. */
  protected abstract give(owner: string, token: Token | null, amount: bigint): Promise<void>;
  /** Makes everything that is in a block final, and waits until the listener has read it. */
  abstract makeFinal(): Promise<void>;
  /** Puts the clock of the chain forward, and makes final blocks. */
  abstract pass(seconds: number): Promise<void>;
  /** A client of the chain itself. */
  protected abstract newClient(): Client;

  async close(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.close()));
    await this.vault.close();
    await this.closeChain();
    await rm(this.opened.dir, { recursive: true });
  }

  protected abstract closeChain(): Promise<void>;

  /** What another process needs to pay in this scene. */
  get place() {
    return environmentAt(this.opened);
  }

  get vault(): LocalVault {
    return this.opened.vault;
  }

  get hotWallet(): string {
    return this.opened.hotWallet;
  }

  get database(): Database {
    return this.opened.db.database;
  }

  get chainRef(): string {
    return this.chain(this.funds.coin).chainRef;
  }

  /** The worker that runs now. */
  get worker(): ExpiringTreasury {
    return this.current;
  }

  /** The services of the vault role. */
  get vaultRole(): VaultServices {
    return this.vaultSide;
  }

  /** Starts a worker with these nodes. `lifetimeMs` is the longest lifetime of a transaction. */
  newWorker(rpcUrls: readonly string[] = [this.opened.rpcUrl], lifetimeMs = 0): ExpiringTreasury {
    const profile = { ...this.opened.profile, transactionLifetimeMs: lifetimeMs };
    const { database, owner } = this.opened.db;
    const worker = new ExpiringTreasury({ database, owner, profile, rpcUrls, log: this.opened.log });
    this.workers.push(worker);
    return worker;
  }

  /** Replaces the worker by one with these nodes. */
  workThrough(rpcUrls?: readonly string[], lifetimeMs?: number): void {
    this.current = this.newWorker(rpcUrls, lifetimeMs);
  }

  /** Starts the vault role again: it has forgotten everything, and trusts no records. */
  async restartVault(): Promise<void> {
    this.vaultSide = this.newVaultSide();
    await this.vaultSide.wallets.distrustCounts();
  }

  query<Row>(text: string, parameters: readonly SqlParameter[] = []): Promise<Row[]> {
    return query<Row>(this.database, text, parameters);
  }

  /** Stores the wallet of the vault, and an empty sanctions list. */
  protected async provide(): Promise<void> {
    await this.vaultSide.wallets.provide(this.vault);
    await this.query(
      `insert into sanctions_import (source, published_on, addresses, content_hash) values ('test', now(), 1, repeat('a', 64))`,
    );
  }

  /** Gives the hot wallet coins and tokens, and books them as a top-up. */
  async fundHotWallet({ coins = 100_000_000_000n, tokens = 1_000_000_000_000n } = {}): Promise<void> {
    if (coins > 0n) await this.give(this.hotWallet, null, coins);
    for (const token of tokens > 0n ? this.funds.tokens : []) await this.give(this.hotWallet, token, tokens);
    await this.makeFinal();
    await this.worker.readBalances();
    await this.worker.bookTopUps();
  }

  /** Makes final blocks until the worker trusts the records of the wallet. */
  async trust(): Promise<void> {
    await eventually(async () => {
      // Times of blocks are whole seconds.
      await this.pass(1);
      await this.worker.checkSent();
      return this.isTrusted();
    });
  }

  async isTrusted(): Promise<boolean> {
    const [row] = await this.query<{ trusted: boolean }>(`select chain_nonce is not null as trusted from hot_wallet`);
    return row?.trusted ?? false;
  }

  /** What an owner has of a token in final blocks, in smallest units. */
  async balanceOf(owner: string, token: Token): Promise<bigint> {
    return this.asking(async (client) => {
      const { units } = await client.finalBalancesOf(owner, [this.chain(token).contract], 0);
      return units[0] ?? -1n;
    });
  }

  /** Asks the chain itself. */
  async asking<T>(question: (client: Client) => Promise<T>): Promise<T> {
    const client = this.newClient();
    try {
      return await question(client);
    } finally {
      await client.close();
    }
  }

  /** The final transactions that the hot wallet has sent. */
  async sent(): Promise<readonly string[]> {
    return this.asking(async (client) => {
      const hashes: string[] = [];
      for (let above = -1, upTo = 0; upTo > above;) {
        above = upTo;
        const { sent, completeUpTo } = await client.sentBy(this.hotWallet, above);
        hashes.push(...sent.map(({ txHash }) => txHash));
        upTo = completeUpTo;
      }
      return hashes;
    });
  }

  async frozenReason(): Promise<string | null> {
    const [row] = await this.query<{ frozen_reason: string | null }>(`select frozen_reason from hot_wallet`);
    return row?.frozen_reason ?? null;
  }

  /** The rules of the books that are broken. */
  async breaches(): Promise<readonly unknown[]> {
    const { rules } = await this.database.transaction((tx) => checkRules(tx));
    return rules.filter(({ finding }) => finding !== null);
  }

  /** Signs a payment of the hot wallet that no database records. */
  async signedElsewhere(recipient: string, amount: bigint, sequence = 3_000): Promise<SignedBytes> {
    const { network, decimals } = this.chain(this.funds.coin);
    const payment = { sender: this.hotWallet, recipient, token: NATIVE_COIN, decimals, amount };
    const at = await this.asking((client) => client.conditions(this.hotWallet));
    const { unsigned } = expiringPayerOf(network).plan(payment, 'standard', sequence, at);
    return this.vault.signExpiring('sandbox', [{ kind: 'hot_wallet' }], unsigned);
  }

  /** Hands bytes to the chain itself. */
  async handOver({ raw }: Pick<SignedBytes, 'raw'>): Promise<boolean> {
    const [answer] = await this.asking((client) => client.broadcastAll([raw]));
    return answer?.accepted ?? false;
  }

  private newVaultSide(): VaultServices {
    return vaultServices(this.database, new RecordingQueue().queue);
  }
}

import { rm } from 'node:fs/promises';
import { checkRules } from '../../src/auditor/books-verification.js';
import type { SignedBytes } from '../../src/chains/expiring-transaction.js';
import type { ExpiringClient } from '../../src/chains/expiring.js';
import { expiringPayerOf } from '../../src/chains/registry.js';
import { NATIVE_COIN } from '../../src/domain/network.js';
import type { Tenant } from '../../src/domain/tenant.js';
import { NetworkViews } from '../../src/offers/network-views.service.js';
import type { Database } from '../../src/platform/database/database.js';
import { NoQueue } from '../../src/platform/queue/job-waker.js';
import type { SqlParameter } from '../../src/platform/sql/sql.js';
import { PricingService } from '../../src/pricing/pricing.service.js';
import { FeeQuotes } from '../../src/treasury/fees/fee-quotes.service.js';
import type { LocalVault } from '../../src/vault/local-vault.js';
import { DestinationAccounts } from '../../src/withdrawals/destination-accounts.service.js';
import { WithdrawalChecks } from '../../src/withdrawals/withdrawal-checks.service.js';
import type { CreateWithdrawalBody, WithdrawalObject } from '../../src/withdrawals/withdrawal.schema.js';
import { WithdrawalsService } from '../../src/withdrawals/withdrawals.service.js';
import { eventually } from './eventually.js';
import { ExpiringTreasury } from './expiring-treasury.js';
import { aMerchant, anIntent, aPriceSnapshot, type SeededChain } from './factories.js';
import { RecordingQueue } from './recording-queue.js';
import { environmentAt, type ExpiringPlace } from './scene-vault.js';
import { settlementOn } from './settlement.js';
import { query } from './sql.js';
import { vaultServices, type VaultServices } from './vault-services.js';
import { writePlanned } from './write-planned.js';

/** A merchant whose pocket a customer has filled on the chain. */
export interface PaidMerchant<Token extends string = string> {
  readonly token: Token;
  readonly tenant: Tenant;
  readonly pocketId: string;
}

/** A withdrawal as its row says. */
export interface ShownWithdrawal {
  readonly status: string;
  readonly failure_code: string | null;
  readonly waiting_reason: string | null;
  readonly tx_hash: string | null;
  readonly is_signed: boolean;
}

/** A transaction that was signed for a withdrawal. */
export interface SignedPayout {
  readonly id: string;
  readonly status: string;
  readonly tx_hash: string;
  readonly raw: string;
  readonly fee_paid: string | null;
  readonly mined_height: string | null;
  readonly until: string;
}

/** What is paid in these scenes. */
export interface SceneTerms<Token extends string> {
  readonly coin: Token;
  /** The token that is paid when a spec names none. */
  readonly usual: Token;
  readonly tokens: readonly Token[];
  readonly prices: Readonly<Record<Token, string>>;
  /** What an order pays of the coin, in its minor units; of a token it is a dollar. */
  readonly orderedCoins: number;
}

/** Everything between an order of a merchant and a final transaction, on a development chain whose transactions expire. */
export abstract class ExpiringPayoutScene<
  Token extends string,
  Client extends ExpiringClient & { close(): Promise<void> },
> {
  private vaultSide: VaultServices;
  private current: ExpiringTreasury;
  private readonly workers: ExpiringTreasury[] = [];

  protected constructor(
    private readonly opened: ExpiringPlace,
    private readonly terms: SceneTerms<Token>,
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
  /** Makes final blocks until one is past the lifetime of everything that is signed. */
  abstract pastExpiry(): Promise<void>;
  /** An address that has nothing. */
  abstract freshAddress(): Promise<string>;
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
    return this.chain(this.terms.coin).chainRef;
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
    for (const token of tokens > 0n ? this.terms.tokens : []) await this.give(this.hotWallet, token, tokens);
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

  /** New merchants, whose customers have paid for 25 dollars, or 25 coins. */
  async merchants(count: number, token: Token = this.terms.usual): Promise<readonly PaidMerchant<Token>[]> {
    const chain = this.chain(token);
    const intents = [];
    for (let made = 0; made < count; made += 1) {
      const tenant = await aMerchant(this.database);
      const intent = await anIntent(this.database, { tenant, chain });
      await this.give(intent.address, token === this.terms.coin ? null : token, intent.cryptoAmount);
      intents.push(intent);
    }
    await this.makeFinal();
    const settlement = settlementOn(this.database);
    for (const { id } of intents) {
      await eventually(
        () => this.query(`select from deposit where intent_id = $1 and status = 'confirmed'`, [id]),
        (found) => found.length > 0,
      );
      await settlement.settle(id);
    }
    return Promise.all(
      intents.map(async ({ tenant }) => {
        const [pocket] = await this.query<{ id: string }>(`select id from pocket where merchant_id = $1`, [
          tenant.merchantId,
        ]);
        return { token, tenant, pocketId: pocket?.id ?? '' };
      }),
    );
  }

  async merchant(token: Token = this.terms.usual): Promise<PaidMerchant<Token>> {
    const [merchant] = await this.merchants(1, token);
    if (merchant === undefined) throw new Error('There is no merchant.');
    return merchant;
  }

  /** The orders of merchants, as the API checks and accepts them. */
  ordersBy(worker: ExpiringTreasury = this.worker): WithdrawalsService {
    const checks = new WithdrawalChecks(
      new NetworkViews(this.database),
      new FeeQuotes(new PricingService(this.database)),
    );
    const destinations = new DestinationAccounts(this.database, worker.chains);
    return new WithdrawalsService(this.database, checks, destinations, new NoQueue());
  }

  /** Reads the prices and the fees that the next order is quoted by. */
  async readQuotes(): Promise<void> {
    await aPriceSnapshot(this.database, this.terms.prices);
    await this.worker.readConditions();
  }

  /** Accepts a withdrawal of one dollar, or of some coins, to a fresh address. */
  async order(
    { tenant, pocketId, token }: PaidMerchant<Token>,
    fields: Partial<CreateWithdrawalBody> = {},
  ): Promise<WithdrawalObject> {
    await this.readQuotes();
    const body: CreateWithdrawalBody = {
      pocket_id: pocketId,
      amount_cents: token === this.terms.coin ? this.terms.orderedCoins : 100,
      destination: fields.destination ?? (await this.freshAddress()),
      fee_strategy: 'standard',
      dry_run: false,
      ...fields,
    };
    return writePlanned(this.database, await this.ordersBy().plan(tenant, body));
  }

  /** Simulates and signs what waits. */
  async sign(): Promise<void> {
    await this.worker.readBalances();
    await this.worker.simulate();
    await this.vaultSide.signer.signWaiting(this.vault);
  }

  /** Sends what is signed, and records how it ended in final blocks. */
  async finish(): Promise<void> {
    await this.worker.send();
    await this.makeFinal();
    await this.worker.confirm();
  }

  async shown(id: string): Promise<ShownWithdrawal | undefined> {
    const [row] = await this.query<ShownWithdrawal>(
      `select status, failure_code, waiting_reason, tx_hash, signed_at is not null as is_signed
         from withdrawal where id = $1`,
      [id],
    );
    return row;
  }

  /** The transactions of a withdrawal, the oldest first. */
  payouts(id: string): Promise<SignedPayout[]> {
    return this.query(
      `select transaction.id, status, tx_hash, raw_transaction as raw, fee_paid, mined_height, valid_until as "until"
         from chain_transaction transaction join transaction_attempt on transaction_id = transaction.id
        where purpose_id = $1 order by nonce`,
      [id],
    );
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

  /** What the pocket of a merchant can spend, in smallest units. */
  async availableTo({ pocketId }: PaidMerchant<Token>): Promise<bigint> {
    const [row] = await this.query<{ balance: string }>(
      `select balance from pocket join account on account.id = available_account_id where pocket.id = $1`,
      [pocketId],
    );
    return BigInt(row?.balance ?? -1);
  }

  /** Signs a payment of the hot wallet that no database records. */
  async signedElsewhere(recipient: string, amount: bigint, sequence = 3_000): Promise<SignedBytes> {
    const { network, decimals } = this.chain(this.terms.coin);
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

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateKeyPairSigner } from '@solana/kit';
import { SolanaClient } from '../../src/chains/solana/solana-client.js';
import { SolanaPayer } from '../../src/chains/solana/solana-payer.js';
import type { SignedBytes } from '../../src/chains/expiring-transaction.js';
import { checkRules } from '../../src/auditor/books-verification.js';
import { NATIVE_COIN } from '../../src/domain/network.js';
import type { Tenant } from '../../src/domain/tenant.js';
import { NetworkViews } from '../../src/offers/network-views.service.js';
import type { Database } from '../../src/platform/database/database.js';
import { NoQueue } from '../../src/platform/queue/job-waker.js';
import type { SqlParameter } from '../../src/platform/sql/sql.js';
import { PricingService } from '../../src/pricing/pricing.service.js';
import { FeeQuotes } from '../../src/treasury/fees/fee-quotes.service.js';
import { LocalVault } from '../../src/vault/local-vault.js';
import { createVaultFile } from '../../src/vault/vault-file.js';
import { SCRYPT_N } from '../../src/vault/vault-format.js';
import { DestinationAccounts } from '../../src/withdrawals/destination-accounts.service.js';
import { WithdrawalChecks } from '../../src/withdrawals/withdrawal-checks.service.js';
import type { CreateWithdrawalBody, WithdrawalObject } from '../../src/withdrawals/withdrawal.schema.js';
import { WithdrawalsService } from '../../src/withdrawals/withdrawals.service.js';
import { aMerchant, anIntent, aPriceSnapshot } from './factories.js';
import { eventually } from './eventually.js';
import { RecordingQueue } from './recording-queue.js';
import { settlementOn } from './settlement.js';
import { SolanaScene } from './solana-scene.js';
import { SolanaTreasury } from './solana-treasury.js';
import { query } from './sql.js';
import { vaultServices, type VaultServices } from './vault-services.js';
import { writePlanned } from './write-planned.js';

/** More than the 151 blocks in which a transaction may be, after the one that it names. */
const BLOCKS_OF_LIFE = 155;
const PASSPHRASE = 'correct horse battery staple';
const PRICES = { USDC: '1', USDT: '1', SOL: '100' };

export type SolanaToken = 'USDC' | 'USDT' | 'SOL';

/** A merchant whose pocket a customer has filled on the chain. */
export interface PaidMerchant {
  readonly token: SolanaToken;
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

/** Everything between an order of a merchant and a final transaction on a Solana development chain. */
export class SolanaPayoutScene {
  private vaultSide: VaultServices;
  /** By how much the clock of the chain is ahead of that of the database. */
  aheadMs = 0;
  private current: SolanaTreasury;
  private readonly workers: SolanaTreasury[] = [];

  private constructor(
    readonly base: SolanaScene,
    readonly vault: LocalVault,
    readonly hotWallet: string,
    private readonly dir: string,
  ) {
    this.vaultSide = this.newVaultSide();
    this.current = this.newWorker();
  }

  static async open(): Promise<SolanaPayoutScene> {
    const dir = await mkdtemp(join(tmpdir(), 'coffer-solana-payouts-'));
    const path = vaultPath(dir);
    await createVaultFile(path, PASSPHRASE, { scryptN: SCRYPT_N.min });
    const [base, vault] = await Promise.all([SolanaScene.open(), LocalVault.open(path, PASSPHRASE)]);
    const { address } = await vault.hotWallet('sandbox', 'solana');
    const scene = new SolanaPayoutScene(base, vault, address, dir);
    await scene.vaultSide.wallets.provide(vault);
    await scene.query(
      `insert into sanctions_import (source, published_on, addresses, content_hash) values ('test', now(), 1, repeat('a', 64))`,
    );
    return scene;
  }

  /** Opens the scene with a wallet that can pay, and whose records are trusted. */
  static async funded(): Promise<SolanaPayoutScene> {
    const scene = await SolanaPayoutScene.open();
    await scene.fundHotWallet();
    await scene.trust();
    return scene;
  }

  async close(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.close()));
    await this.vault.close();
    await this.base.close();
    await rm(this.dir, { recursive: true });
  }

  /** What another process needs to pay in this scene. */
  get place() {
    const { url: SERVICE_URL, ownerUrl: OWNER_URL } = this.base.db;
    const vault = { VAULT_PATH: vaultPath(this.dir), VAULT_PASSPHRASE: PASSPHRASE };
    return { SERVICE_URL, OWNER_URL, RPC_URL: this.lab.chain.url, ...vault };
  }

  get lab() {
    return this.base.lab;
  }

  get database(): Database {
    return this.base.db.database;
  }

  get chainRef(): string {
    return this.base.chain().chainRef;
  }

  /** The worker that runs now. */
  get worker(): SolanaTreasury {
    return this.current;
  }

  /** The services of the vault role. */
  get vaultRole(): VaultServices {
    return this.vaultSide;
  }

  /** Starts a worker with these nodes. `lifetimeMs` is the longest lifetime of a transaction. */
  newWorker(rpcUrls: readonly string[] = [this.lab.chain.url], lifetimeMs = 0): SolanaTreasury {
    const profile = { ...this.base.profile, transactionLifetimeMs: lifetimeMs };
    const { database, owner } = this.base.db;
    const worker = new SolanaTreasury({ database, owner, profile, rpcUrls, log: this.base.log });
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

  /** Gives the hot wallet coins and tokens, and books them as a top-up. */
  async fundHotWallet({ coins = 100_000_000_000n, tokens = 1_000_000_000_000n } = {}): Promise<void> {
    const { controls } = this.lab;
    const owner = this.hotWallet;
    if (coins > 0n) await controls.fund({ owner, token: null, amount: coins });
    for (const token of tokens > 0n ? ['USDC', 'USDT'] : []) await controls.fund({ owner, token, amount: tokens });
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

  /** Puts the clock of the chain forward, and makes final blocks. */
  async pass(seconds: number): Promise<void> {
    this.aheadMs += seconds * 1_000;
    await this.lab.controls.advanceClock(seconds);
    await this.makeFinal();
  }

  async isTrusted(): Promise<boolean> {
    const [row] = await this.query<{ trusted: boolean }>(`select chain_nonce is not null as trusted from hot_wallet`);
    return row?.trusted ?? false;
  }

  /** Makes everything that is in a block final, and waits until the listener has read it. */
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

  /** New merchants, whose customers have paid for 25 dollars, or 25 coins. */
  async merchants(count: number, token: SolanaToken = 'USDC'): Promise<readonly PaidMerchant[]> {
    const { lab } = this;
    const chain = this.base.chain(token);
    const intents = [];
    for (let made = 0; made < count; made += 1) {
      const tenant = await aMerchant(this.database);
      const intent = await anIntent(this.database, { tenant, chain });
      await lab.controls.fund({
        owner: intent.address,
        token: token === 'SOL' ? null : token,
        amount: intent.cryptoAmount,
      });
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

  async merchant(token: SolanaToken = 'USDC'): Promise<PaidMerchant> {
    const [merchant] = await this.merchants(1, token);
    if (merchant === undefined) throw new Error('There is no merchant.');
    return merchant;
  }

  /** An address that has nothing. */
  async freshAddress(): Promise<string> {
    return (await generateKeyPairSigner()).address;
  }

  /** The orders of merchants, as the API checks and accepts them. */
  ordersBy(worker: SolanaTreasury = this.worker): WithdrawalsService {
    const checks = new WithdrawalChecks(
      new NetworkViews(this.database),
      new FeeQuotes(new PricingService(this.database)),
    );
    const destinations = new DestinationAccounts(this.database, worker.chains);
    return new WithdrawalsService(this.database, checks, destinations, new NoQueue());
  }

  /** Reads the prices and the fees that the next order is quoted by. */
  async readQuotes(): Promise<void> {
    await aPriceSnapshot(this.database, PRICES);
    await this.worker.readConditions();
  }

  /** Accepts a withdrawal of one dollar, or of 0.01 coins, to a fresh address. */
  async order(
    { tenant, pocketId, token }: PaidMerchant,
    fields: Partial<CreateWithdrawalBody> = {},
  ): Promise<WithdrawalObject> {
    await this.readQuotes();
    const body: CreateWithdrawalBody = {
      pocket_id: pocketId,
      amount_cents: token === 'SOL' ? 1_000_000 : 100,
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
  async balanceOf(owner: string, token: SolanaToken): Promise<bigint> {
    return this.asking(async (client) => {
      const { units } = await client.finalBalancesOf(owner, [this.base.chain(token).contract], 0);
      return units[0] ?? -1n;
    });
  }

  /** Asks the chain itself. */
  async asking<T>(question: (client: SolanaClient) => Promise<T>): Promise<T> {
    const client = new SolanaClient({ profile: { network: 'solana' }, rpcUrl: this.lab.chain.url });
    try {
      return await question(client);
    } finally {
      await client.close();
    }
  }

  /** The final transactions that the hot wallet has sent. */
  async sent(): Promise<readonly string[]> {
    return this.asking(async (client) => (await client.sentBy(this.hotWallet, 0)).sent.map(({ txHash }) => txHash));
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
  async availableTo({ pocketId }: PaidMerchant): Promise<bigint> {
    const [row] = await this.query<{ balance: string }>(
      `select balance from pocket join account on account.id = available_account_id where pocket.id = $1`,
      [pocketId],
    );
    return BigInt(row?.balance ?? -1);
  }

  /** Makes final blocks until one is past the lifetime of everything that is signed. */
  async pastExpiry(): Promise<void> {
    await this.lab.controls.mine(BLOCKS_OF_LIFE);
    await this.makeFinal();
  }

  /** Signs a payment of the hot wallet that no database records. */
  async signedElsewhere(recipient: string, amount: bigint, sequence = 3_000): Promise<SignedBytes> {
    const payer = new SolanaPayer();
    const payment = { sender: this.hotWallet, recipient, token: NATIVE_COIN, decimals: 9, amount };
    const at = await this.asking((client) => client.conditions());
    const { unsigned } = payer.plan(payment, 'standard', sequence, at);
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

const vaultPath = (dir: string): string => join(dir, 'vault.json');

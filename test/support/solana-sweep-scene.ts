import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { auditAccountChain } from '../../src/cli/chain-audit.js';
import { checkRules } from '../../src/auditor/books-verification.js';
import type { SweepSource } from '../../src/chains/expiring-sweeps.js';
import { SolanaClient } from '../../src/chains/solana/solana-client.js';
import { SolanaSweeper } from '../../src/chains/solana/solana-sweeper.js';
import type { SignedBytes } from '../../src/chains/expiring-transaction.js';
import { newId } from '../../src/domain/ids.js';
import { NATIVE_COIN } from '../../src/domain/network.js';
import { assetOf, transfer } from '../../src/domain/posting.js';
import { LedgerService } from '../../src/ledger/ledger.service.js';
import { createLogger } from '../../src/platform/logging.js';
import { Metrics } from '../../src/platform/metrics.js';
import { PricingService } from '../../src/pricing/pricing.service.js';
import type { Adopted } from '../../src/recovery/adoption.service.js';
import { ExpiringAdoption } from '../../src/recovery/expiring/expiring-adoption.service.js';
import { OtherAccounts } from '../../src/suspense/other-accounts/other-accounts.service.js';
import { SuspenseBooking } from '../../src/suspense/suspense-booking.service.js';
import { ConditionSamples } from '../../src/treasury/expiring/condition-samples.service.js';
import { ExpiredTransactions } from '../../src/treasury/expiring/expired-transactions.service.js';
import { ExpiringBalances } from '../../src/treasury/expiring/expiring-balances.service.js';
import { ExpiringConfirmer } from '../../src/treasury/expiring/expiring-confirmer.service.js';
import { SentCheck } from '../../src/treasury/expiring/sent-check.service.js';
import { ExpiringSweepDrafts } from '../../src/treasury/sweeps/expiring/expiring-sweep-drafts.service.js';
import { ExpiringSweepPlanner } from '../../src/treasury/sweeps/expiring/expiring-sweep-planner.service.js';
import { FundedSweepPlanner } from '../../src/treasury/sweeps/funding/funded-sweep-planner.service.js';
import { insertSweep } from '../../src/treasury/sweeps/sweep-rows.js';
import { Broadcaster } from '../../src/treasury/transactions/broadcaster.service.js';
import { OutcomeRecorder } from '../../src/treasury/transactions/outcome-recorder.service.js';
import { TreasuryChains } from '../../src/treasury/treasury-chains.service.js';
import { TopUps } from '../../src/treasury/wallets/top-ups.service.js';
import { LocalVault } from '../../src/vault/local-vault.js';
import { createVaultFile } from '../../src/vault/vault-file.js';
import { SCRYPT_N } from '../../src/vault/vault-format.js';
import type { AdoptionOptions } from './adoption-scene.js';
import { eventually } from './eventually.js';
import { anIntent, aPriceSnapshot, type SeededIntent } from './factories.js';
import { hotWalletCap } from './hot-wallet-cap.js';
import { RecordingQueue } from './recording-queue.js';
import { runtimeServing } from './served-chains.js';
import { settlementOn } from './settlement.js';
import { SolanaScene } from './solana-scene.js';
import { query } from './sql.js';
import { vaultServices } from './vault-services.js';

const PASSPHRASE = 'correct horse battery staple';
const PRICES = { USDC: '1', USDT: '1', SOL: '1' };

/** A sweep, as specs compare it. */
export interface ShownSweep {
  readonly id: string;
  readonly reason: string;
  readonly waiting_reason: string | null;
  readonly status: string | null;
  /** What became of its items, in their order; null while open. */
  readonly swept: readonly (string | null)[];
}

/** A Solana development chain, its listener, a vault, and the parts of the treasury that sweep. */
export class SolanaSweepScene {
  private nextIndex = 0;
  private sequence = 2_000;

  private constructor(
    readonly scene: SolanaScene,
    readonly client: SolanaClient,
    readonly vault: LocalVault,
    readonly hotWallet: string,
    readonly planner: ExpiringSweepPlanner,
    readonly broadcaster: Broadcaster,
    readonly confirmer: ExpiringConfirmer,
    private readonly samples: ConditionSamples,
    private readonly balances: ExpiringBalances,
    private readonly topUps: TopUps,
    private readonly chains: TreasuryChains,
    private readonly dir: string,
  ) {}

  static async open(): Promise<SolanaSweepScene> {
    const dir = await mkdtemp(join(tmpdir(), 'coffer-vault-'));
    const path = vaultPath(dir);
    await createVaultFile(path, PASSPHRASE, { scryptN: SCRYPT_N.min });
    const [scene, vault] = await Promise.all([SolanaScene.open(), LocalVault.open(path, PASSPHRASE)]);
    const { database } = scene.db;
    const logger = createLogger('info', { destination: scene.log });
    const rpcUrl = scene.lab.chain.url;
    const chains = new TreasuryChains(
      database,
      runtimeServing([{ profile: scene.profile, rpcUrls: [rpcUrl] }]),
      logger,
    );
    const treasury = { stuckAfterMs: 1, unexplainedAfterMs: 1, sweepFeeShareBps: 100, hotWalletCapCents: 0 };
    const { wallets, outcomes } = vaultServices(database, new RecordingQueue().queue);
    await wallets.provide(vault);
    // The records of a wallet that is new are complete.
    await query(database, `update hot_wallet set chain_nonce = 0`);
    await query(
      database,
      `insert into sanctions_import (source, published_on, addresses, content_hash) values ('test', now(), 1, repeat('a', 64))`,
    );
    const ledger = new LedgerService();
    const expired = new ExpiredTransactions(database, outcomes, logger);
    const drafts = new ExpiringSweepDrafts(database, new PricingService(database), hotWalletCap(database), {
      treasury,
    });
    const made = new SolanaSweepScene(
      scene,
      new SolanaClient({ profile: { network: 'solana' }, rpcUrl }),
      vault,
      (await vault.hotWallet('sandbox', 'solana')).address,
      new ExpiringSweepPlanner(
        database,
        chains,
        drafts,
        new FundedSweepPlanner(database, logger),
        { treasury },
        logger,
      ),
      new Broadcaster(database, chains, outcomes, logger),
      new ExpiringConfirmer(database, chains, new OutcomeRecorder(database, ledger, outcomes, logger), expired, logger),
      new ConditionSamples(database, chains, logger),
      new ExpiringBalances(database, chains, logger),
      new TopUps(database, ledger, new Metrics(), chains, logger),
      chains,
      dir,
    );
    await scene.fund({ owner: made.hotWallet, token: null, amount: 10_000_000_000n });
    scene.listen();
    await made.compare();
    return made;
  }

  async close(): Promise<void> {
    await this.scene.stopListening();
    await this.client.close();
    await this.chains.beforeApplicationShutdown();
    await this.vault.close();
    await this.scene.close();
    await rm(this.dir, { recursive: true });
  }

  /** What another process needs to sweep in this scene. */
  get place() {
    const { url: SERVICE_URL, ownerUrl: OWNER_URL } = this.scene.db;
    const vault = { VAULT_PATH: vaultPath(this.dir), VAULT_PASSPHRASE: PASSPHRASE };
    return { SERVICE_URL, OWNER_URL, RPC_URL: this.scene.lab.chain.url, NETWORK: 'solana', ...vault };
  }

  query<Row>(text: string, parameters: readonly (string | bigint)[] = []): Promise<Row[]> {
    return query<Row>(this.scene.db.database, text, parameters);
  }

  /** The token of a symbol, as the chain knows it. */
  token(symbol: string): string {
    return this.scene.chain(symbol).contract;
  }

  /** An open intent of 25 dollars at an address of the vault. */
  async intent(symbol: string): Promise<SeededIntent> {
    const { database } = this.scene.db;
    const [derived] = await this.vault.deriveAddresses('sandbox', 'solana', this.nextIndex++, 1);
    if (derived === undefined) throw new Error('The vault derives an address.');
    const { index, path, address, addressKey } = derived;
    await this.query(
      `insert into pool_address (environment, family, derivation_index, derivation_path, address, address_key)
       values ('sandbox', 'solana', $1, $2, $3, $4)`,
      [BigInt(index), path, address, addressKey],
    );
    return anIntent(database, { tenant: this.scene.tenant, chain: this.scene.chain(symbol), address });
  }

  /** Pays to an address, and waits until the payment is final and booked. */
  async pay(address: string, symbol: string, amount: bigint): Promise<void> {
    const token = symbol === 'SOL' ? null : symbol;
    const txHash = await this.scene.fund({ owner: address, token, amount });
    await this.untilCredited(txHash);
  }

  /** Waits until the deposit of a transaction is final and booked. */
  async untilCredited(txHash: string): Promise<void> {
    await this.scene.lab.settle();
    await eventually(
      () => this.query<{ status: string }>(`select status from deposit where tx_hash = $1`, [txHash]),
      ([deposit]) => deposit?.status === 'confirmed',
    );
    const { database } = this.scene.db;
    for (const { intent_id: id } of await this.query<{ intent_id: string }>(`select intent_id from dirty_intent`)) {
      await settlementOn(database).settle(id);
    }
    await new SuspenseBooking(database, new LedgerService(), createLogger('silent')).bookFinal();
  }

  /** An intent that is paid, with its last payment in the past for long enough that its accounts may be closed. */
  async paid(symbol: string, amount: bigint): Promise<SeededIntent> {
    const intent = await this.intent(symbol);
    await this.pay(intent.address, symbol, amount);
    await this.age(intent);
    return intent;
  }

  /** Moves the end of an intent into the past. */
  async age({ id }: SeededIntent): Promise<void> {
    await this.scene.db.owner.transaction(async (tx) => {
      await query(tx, `set local session_replication_role = replica`);
      await query(tx, `update payment_intent set updated_at = now() - interval '2 hours' where id = $1`, [id]);
    });
  }

  /** Searches for other accounts of the addresses of open intents. */
  async search(): Promise<void> {
    const logger = createLogger('info', { destination: this.scene.log });
    await new OtherAccounts(this.scene.db.database, this.chains, logger).search();
  }

  /** Takes prices that are fresh. */
  async price(): Promise<void> {
    await aPriceSnapshot(this.scene.db.database, PRICES);
  }

  /** Makes a block and everything final, and waits until the listener has read it. */
  async settle(): Promise<void> {
    await this.scene.lab.controls.mine();
    await this.scene.lab.settle();
    await this.untilFinal();
  }

  /** Plans sweeps, as the worker does. Returns those that have not ended. */
  async plan(): Promise<readonly ShownSweep[]> {
    await this.price();
    await this.sample();
    await this.planner.plan();
    return this.sweeps('sweep.finished_at is null');
  }

  /** Records a sweep of one balance as planned, whether or not it is due: its account stays open. */
  async planned(address: string, symbol: string, amount: bigint, account: string | null = null): Promise<void> {
    const [pool] = await this.query<{ id: string }>(`select id from pool_address where address = $1`, [address]);
    const { chainRef } = this.scene.chain();
    const item = { token: this.token(symbol), addressId: pool?.id ?? '', expected: amount, authorizationNonce: null };
    await this.scene.db.database.transaction((tx) =>
      insertSweep(tx, {
        chainRef,
        reason: 'withdrawal',
        contracts: null,
        items: [{ ...item, account, opensAccount: true, closesAccount: false, costMax: null }],
      }),
    );
  }

  /** Orders a withdrawal of 10 USDC to an address, and lets the vault find that the hot wallet lacks them. */
  async order(destination: string): Promise<void> {
    const { database } = this.scene.db;
    const { merchantId } = this.scene.tenant;
    const id = newId('wd_');
    const [pocket] = await this.query<{ id: string; available: string; held: string }>(
      `select id, available_account_id as available, held_account_id as held from pocket where token = 'USDC'`,
    );
    if (pocket === undefined) throw new Error('The merchant has a pocket.');
    const legs = transfer({
      from: Number(pocket.available),
      to: Number(pocket.held),
      asset: assetOf('solana', this.token('USDC')),
      amount: 10_010_000n,
    });
    const entry = { reference: `withdrawal:${id}`, kind: 'withdrawal', environment: 'sandbox', legs } as const;
    await database.transaction((tx) => new LedgerService().book(tx, entry));
    await this.query(
      `insert into withdrawal (id, merchant_id, environment, pocket_id, chain_ref, network, token, token_contract,
         token_decimals, minor_unit_exponent, amount_cents, amount, network_fee_cents, fee_amount, destination,
         destination_key, fee_strategy, status, created_at, updated_at)
       values ($1, $2, 'sandbox', $3, $4, 'solana', 'USDC', $5, 6, 2, 1000, 10000000, 1, 10000, $6, $6, 'standard',
               'broadcasting', now(), now())`,
      [id, merchantId, pocket.id, this.scene.chain().chainRef, this.token('USDC'), destination],
    );
    await this.sample();
    const logger = createLogger('info', { destination: this.scene.log });
    await vaultServices(database, new RecordingQueue().queue, logger).signer.signWaiting(this.vault);
    const waiting = await this.query<{ waiting_reason: string }>(`select waiting_reason from withdrawal`);
    expect(waiting).toEqual([{ waiting_reason: 'coins_missing' }]);
  }

  /** Signs a sweep that no database records. */
  async signedElsewhere(sources: readonly SweepSource[]): Promise<SignedBytes> {
    const missingAccounts: string[] = [];
    for (const token of [this.token('USDC'), this.token('USDT')]) {
      if (await this.client.needsAccount(this.hotWallet, token)) missingAccounts.push(token);
    }
    const opened = missingAccounts.filter((token) =>
      sources.some(({ funds }) => funds.some((one) => one.token === token)),
    );
    const target = { hotWallet: this.hotWallet, missingAccounts: opened };
    this.sequence += 1;
    const terms = { strategy: 'standard', sequence: this.sequence, costMax: null } as const;
    const { unsigned } = new SolanaSweeper().plan(target, sources, terms, await this.client.conditions());
    const owners = sources.map(({ owner }) => owner);
    const pool = await this.query<{ address: string; index: number }>(
      `select address, derivation_index::int as index from pool_address`,
    );
    const deposits = pool
      .filter(({ address }) => owners.includes(address))
      .map(({ index }) => ({ kind: 'deposit', index }) as const);
    return this.vault.signExpiring('sandbox', [{ kind: 'hot_wallet' }, ...deposits], unsigned);
  }

  /** Puts bytes into a final block that the listener has read. Returns their id. */
  async land({ raw, txHash }: SignedBytes): Promise<string> {
    await this.client.broadcastAll([raw]);
    await this.settle();
    return txHash;
  }

  /** Adopts a transaction like an operator. */
  async adopt(txHash: string, { asLoss = false, supersede = false }: AdoptionOptions = {}): Promise<Adopted> {
    const [chain] = await this.chains.expiring.active();
    if (chain === undefined) throw new Error('The chain is not served.');
    const staff = { actor: 'alice@vault-1', reason: 'restored to 03:00' };
    const order = { ...staff, txHashes: [txHash], orderId: null, asLoss, supersede };
    const [adopted] = await new ExpiringAdoption(this.scene.db.database).adopt(chain, order);
    if (adopted === undefined) throw new Error(`${txHash} was not adopted.`);
    return adopted;
  }

  /** Makes balances whose sweep failed due again. */
  async retry(): Promise<void> {
    await this.query(`update deposit_balance set retry_at = null`);
  }

  /** Signs what waits, with fresh conditions. */
  async sign(): Promise<void> {
    await this.sample();
    await vaultServices(this.scene.db.database, new RecordingQueue().queue).sweepSigner.signWaiting(this.vault);
  }

  /** Sends what is signed, and makes a block. */
  async send(): Promise<void> {
    await this.broadcaster.sendDue();
    await this.scene.lab.controls.mine();
  }

  /** Makes everything final, and records how transactions ended. Returns all sweeps. */
  async confirm(): Promise<readonly ShownSweep[]> {
    await this.scene.lab.settle();
    await this.untilFinal();
    await this.confirmer.confirmAll();
    return this.sweeps('true');
  }

  /** Plans, signs, sends and confirms. */
  async sweep(): Promise<readonly ShownSweep[]> {
    await this.plan();
    await this.sign();
    await this.send();
    return this.confirm();
  }

  /** Every sweep, the oldest first. */
  sweeps(condition: string): Promise<ShownSweep[]> {
    return this.query(
      `select sweep.id, sweep.reason, sweep.waiting_reason, sent.status,
              array(select swept::text from sweep_item where sweep_id = sweep.id order by position) as swept
         from sweep left join chain_transaction sent on sent.purpose = 'sweep' and sent.purpose_id = sweep.id
        where ${condition} order by sweep.created_at, sweep.id`,
    );
  }

  /** What an address holds at a final block: USDC, USDT and coins. */
  async holds(owner: string): Promise<readonly bigint[]> {
    const tokens = [this.token('USDC'), this.token('USDT'), NATIVE_COIN];
    return (await this.client.finalBalancesOf(owner, tokens, 0)).units;
  }

  /** Compares the hot wallet with the books. Returns the top-ups that were ever booked, in smallest units. */
  async compare(): Promise<readonly string[]> {
    await this.scene.lab.settle();
    await this.untilFinal();
    await this.query(`update hot_balance set taken_at = now() - interval '1 hour'`);
    await this.balances.refresh();
    await this.checkSent();
    await this.topUps.bookFound();
    const waiting = await this.query(`select from stocktaking where booked_height is distinct from height`);
    expect(waiting).toEqual([]);
    const found = await this.query<{ amount: string }>(`select amount from top_up order by found_at, amount`);
    return found.map(({ amount }) => amount);
  }

  /** Compares what the hot wallet has sent with the records. */
  async checkSent(): Promise<void> {
    const logger = createLogger('info', { destination: this.scene.log });
    await new SentCheck(this.scene.db.database, this.chains, logger).check();
  }

  /** The rules of the books, and those that compare them with the chain, that do not hold. */
  async brokenRules(): Promise<readonly string[]> {
    const { database } = this.scene.db;
    const { rules } = await database.transaction((tx) => checkRules(tx));
    const [chain] = await this.chains.accounts.active();
    if (chain === undefined) throw new Error('The chain is not served.');
    const compared = await auditAccountChain(database, chain);
    return [...rules, ...compared.rules].flatMap(({ name, finding }) =>
      finding === null ? [] : [`${name}: ${JSON.stringify(finding)}`],
    );
  }

  private async sample(): Promise<void> {
    await this.query(`delete from fee_round`);
    await this.samples.takeDue();
  }

  private async untilFinal(): Promise<void> {
    const final = Number(await this.scene.lab.rpc.getSlot({ commitment: 'finalized' }).send());
    await eventually(
      () => this.scene.cursor(),
      ({ finalizedHeight }) => finalizedHeight >= final,
    );
  }
}

const vaultPath = (dir: string): string => join(dir, 'vault.json');

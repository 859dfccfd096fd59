import type { SweepSource } from '../../src/chains/expiring-sweeps.js';
import { SolanaClient } from '../../src/chains/solana/solana-client.js';
import { SolanaSweeper } from '../../src/chains/solana/solana-sweeper.js';
import type { SignedBytes } from '../../src/chains/expiring-transaction.js';
import { newId } from '../../src/domain/ids.js';
import { NATIVE_COIN } from '../../src/domain/network.js';
import { assetOf, transfer } from '../../src/domain/posting.js';
import type { Tenant } from '../../src/domain/tenant.js';
import { LedgerService } from '../../src/ledger/ledger.service.js';
import { createLogger } from '../../src/platform/logging.js';
import type { Adopted } from '../../src/recovery/adoption.service.js';
import { ExpiringAdoption } from '../../src/recovery/expiring/expiring-adoption.service.js';
import { OtherAccounts } from '../../src/suspense/other-accounts/other-accounts.service.js';
import { insertSweep } from '../../src/treasury/sweeps/sweep-rows.js';
import type { AdoptionOptions } from './adoption-scene.js';
import { eventually } from './eventually.js';
import { ExpiringSweepScene } from './expiring-sweep-scene.js';
import type { SeededChain } from './factories.js';
import { RecordingQueue } from './recording-queue.js';
import { type ExpiringPlace, sceneVault } from './scene-vault.js';
import type { SolanaLab } from './solana-lab.js';
import { SolanaScene } from './solana-scene.js';
import { vaultServices } from './vault-services.js';

const TERMS = { prices: { USDC: '1', USDT: '1', SOL: '1' }, feeShareBps: 100 };

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
export class SolanaSweepScene extends ExpiringSweepScene<ShownSweep, SolanaClient> {
  private sequence = 2_000;

  private constructor(
    readonly scene: SolanaScene,
    opened: ExpiringPlace,
  ) {
    super(opened, new SolanaClient({ profile: { network: 'solana' }, rpcUrl: opened.rpcUrl }), TERMS);
  }

  /** @param shared a chain of several scenes, as in `SolanaScene` */
  static async open(shared?: SolanaLab): Promise<SolanaSweepScene> {
    const [scene, opened] = await Promise.all([SolanaScene.open(shared), sceneVault()]);
    const { db, log, profile, lab } = scene;
    const { address: hotWallet } = await opened.vault.hotWallet('sandbox', 'solana');
    const made = new SolanaSweepScene(scene, { ...opened, db, log, profile, rpcUrl: lab.chain.url, hotWallet });
    await vaultServices(db.database, new RecordingQueue().queue).wallets.provide(opened.vault);
    // The records of a wallet that is new are complete.
    await made.query(`update hot_wallet set chain_nonce = 0`);
    await made.provideList();
    await scene.fund({ owner: hotWallet, token: null, amount: 10_000_000_000n });
    scene.listen();
    await made.compare();
    return made;
  }

  /** The token of a symbol, as the chain knows it. */
  token(symbol: string): string {
    return this.scene.chain(symbol).contract;
  }

  /** Searches for other accounts of the addresses of open intents. */
  async search(): Promise<void> {
    const logger = createLogger('info', { destination: this.scene.log });
    await new OtherAccounts(this.scene.db.database, this.worker.chains, logger).search();
  }

  /** Makes a block and everything final, and waits until the listener has read it. */
  override async settle(): Promise<void> {
    await this.mine();
    await super.settle();
  }

  /** Plans sweeps, as the worker does. Returns those that have not ended. */
  async plan(): Promise<readonly ShownSweep[]> {
    await this.price();
    await this.worker.plan();
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
    await this.worker.readConditions();
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
    const staff = { actor: 'alice@vault-1', reason: 'restored to 03:00' };
    const order = { ...staff, txHashes: [txHash], orderId: null, asLoss, supersede };
    const [adopted] = await new ExpiringAdoption(this.scene.db.database).adopt(await this.worker.chain(), order);
    if (adopted === undefined) throw new Error(`${txHash} was not adopted.`);
    return adopted;
  }

  /** Plans, signs, sends and confirms. */
  async sweep(): Promise<readonly ShownSweep[]> {
    await this.plan();
    await this.sign();
    await this.send();
    return this.confirm();
  }

  /** Every sweep, the oldest first. */
  sweeps(condition = 'true'): Promise<ShownSweep[]> {
    return this.query(
      `select sweep.id, sweep.reason, sweep.waiting_reason, sent.status,
              array(select swept::text from sweep_item where sweep_id = sweep.id order by position) as swept
         from sweep left join chain_transaction sent on sent.purpose = 'sweep' and sent.purpose_id = sweep.id
        where ${condition} order by sweep.created_at, sweep.id`,
    );
  }

  protected get tenant(): Tenant {
    return this.scene.tenant;
  }

  /** USDC, USDT and coins. */
  protected get held(): readonly string[] {
    return [this.token('USDC'), this.token('USDT'), NATIVE_COIN];
  }

  protected chain(symbol: string): SeededChain {
    return this.scene.chain(symbol);
  }

  protected give(address: string, symbol: string, amount: bigint): Promise<string> {
    return this.scene.fund({ owner: address, token: symbol === 'SOL' ? null : symbol, amount });
  }

  protected async makeFinal(): Promise<void> {
    await this.scene.lab.settle();
    const final = Number(await this.scene.lab.rpc.getSlot({ commitment: 'finalized' }).send());
    await eventually(
      () => {
        this.hurry();
        return this.scene.cursor();
      },
      ({ finalizedHeight }) => finalizedHeight >= final,
    );
  }

  protected hurry(): void {
    this.scene.hurry();
  }

  protected async mine(): Promise<void> {
    await this.scene.lab.controls.mine();
  }

  protected closeChain(): Promise<void> {
    return this.scene.close();
  }
}

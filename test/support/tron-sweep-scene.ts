import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkRules } from '../../src/auditor/books-verification.js';
import { TronClient } from '../../src/chains/tron/tron-client.js';
import { NATIVE_COIN } from '../../src/domain/network.js';
import { LedgerService } from '../../src/ledger/ledger.service.js';
import { createLogger } from '../../src/platform/logging.js';
import type { SqlParameter } from '../../src/platform/sql/sql.js';
import { SuspenseBooking } from '../../src/suspense/suspense-booking.service.js';
import { seedOf } from '../../src/vault/derivation.js';
import { LocalVault } from '../../src/vault/local-vault.js';
import { createVaultFile, openVaultFile } from '../../src/vault/vault-file.js';
import { SCRYPT_N } from '../../src/vault/vault-format.js';
import { eventually, eventuallyPasses } from './eventually.js';
import { anIntent, aPriceSnapshot, type SeededIntent } from './factories.js';
import { RecordingQueue } from './recording-queue.js';
import { settlementOn } from './settlement.js';
import { query } from './sql.js';
import { TronScene } from './tron-scene.js';
import { sendAs, type Staking } from './tron-staking.js';
import { ExpiringSweepWorker } from './expiring-sweep-worker.js';
import { vaultServices } from './vault-services.js';

const PASSPHRASE = 'correct horse battery staple';
const PRICES = { USDC: '1', USDT: '1', TRX: '0.3' };
const HOT_TRX = 1_000_000_000n;

/** A sweep and its funding, as specs compare them. */
export interface ShownSweep {
  readonly id: string;
  readonly reason: string;
  readonly waiting_reason: string | null;
  /** Of its transactions, the newest last. */
  readonly status: readonly string[];
  readonly swept: string | null;
  readonly burned: string | null;
  readonly funding: string | null;
  readonly funded: readonly string[];
  /** The stake that was to be lent, and the statuses of its transactions: of the loan, and of its return. */
  readonly loan: string | null;
  readonly lent: readonly string[];
  readonly returned: readonly string[];
}

/** A Tron development chain, its listener, a vault, and the parts of the treasury that sweep. */
export class TronSweepScene {
  private nextIndex = 0;
  private current: ExpiringSweepWorker;

  private constructor(
    readonly base: TronScene,
    readonly client: TronClient,
    readonly vault: LocalVault,
    readonly hotWallet: string,
    private readonly dir: string,
    private readonly firstFunds: bigint,
  ) {
    this.current = this.newWorker();
  }

  /** @param stake the sun that the hot wallet has staked for energy, beside `coins` */
  static async open(stake = 0n, coins = HOT_TRX): Promise<TronSweepScene> {
    const dir = await mkdtemp(join(tmpdir(), 'coffer-tron-sweeps-'));
    await createVaultFile(vaultPath(dir), PASSPHRASE, { scryptN: SCRYPT_N.min });
    const [base, vault] = await Promise.all([TronScene.open(), LocalVault.open(vaultPath(dir), PASSPHRASE)]);
    const client = new TronClient({ profile: base.profile, rpcUrl: base.rig.url });
    const { address, path } = await vault.hotWallet('sandbox', 'tron');
    const scene = new TronSweepScene(base, client, vault, address, dir, coins + stake);
    await base.rig.controls.fund(address, null, coins + stake);
    await base.rig.controls.mine();
    if (stake > 0n) await scene.stake(stake);
    await base.settle();
    // The records of a wallet that is new are complete up to here.
    await scene.query(
      `insert into hot_wallet (chain_ref, address, address_key, derivation_path, chain_nonce, complete_height)
       values ($1, $2, $2, $3, 0, $4)`,
      [scene.chainRef, address, path, stake > 0n ? (await base.rig.controls.info()).solid : null],
    );
    await scene.query(
      `insert into sanctions_import (source, published_on, addresses, content_hash) values ('test', now(), 1, repeat('a', 64))`,
    );
    base.listen();
    await scene.compare();
    return scene;
  }

  async close(): Promise<void> {
    await this.client.close();
    await this.current.close();
    await this.vault.close();
    await this.base.close();
    await rm(this.dir, { recursive: true });
  }

  /** What another process needs to sweep in this scene. */
  get place() {
    const { url: SERVICE_URL, ownerUrl: OWNER_URL } = this.base.db;
    const vault = { VAULT_PATH: vaultPath(this.dir), VAULT_PASSPHRASE: PASSPHRASE };
    return { SERVICE_URL, OWNER_URL, RPC_URL: this.base.rig.url, NETWORK: 'tron', ...vault };
  }

  get chainRef(): string {
    return this.base.chain().chainRef;
  }

  get worker(): ExpiringSweepWorker {
    return this.current;
  }

  /** Stakes coins of the hot wallet for energy, as its owner does who has its key. Returns the transaction's id. */
  stake(frozen: bigint): Promise<string> {
    return this.asWallet({ type: 'FreezeBalanceV2Contract', frozen });
  }

  /** Takes a stake of the hot wallet back in the same way. */
  unstake(unfrozen: bigint): Promise<string> {
    return this.asWallet({ type: 'UnfreezeBalanceV2Contract', unfrozen });
  }

  /** Replaces the worker by one that has just started, and asks these nodes. */
  async restartWorker(rpcUrls = [this.base.rig.url]): Promise<void> {
    await this.current.close();
    this.current = this.newWorker(rpcUrls);
  }

  query<Row>(text: string, parameters: readonly SqlParameter[] = []): Promise<Row[]> {
    return query<Row>(this.base.db.database, text, parameters);
  }

  /** Changes rows as only a restored backup does. */
  async asOwner(...statements: readonly string[]): Promise<void> {
    await this.base.db.owner.transaction(async (tx) => {
      await query(tx, `set local session_replication_role = replica`);
      for (const statement of statements) await query(tx, statement);
    });
  }

  /** An open intent of 25 dollars at an address of the vault that was never activated. */
  async intent(symbol: string): Promise<SeededIntent> {
    const [derived] = await this.vault.deriveAddresses('sandbox', 'tron', this.nextIndex++, 1);
    if (derived === undefined) throw new Error('The vault derives an address.');
    const { index, path, address, addressKey } = derived;
    await this.query(
      `insert into pool_address (environment, family, derivation_index, derivation_path, address, address_key)
       values ('sandbox', 'tron', $1, $2, $3, $4)`,
      [index, path, address, addressKey],
    );
    const { db, tenant } = this.base;
    return anIntent(db.database, { tenant, chain: this.base.chain(symbol), address });
  }

  /** Pays to an address, and waits until the payment is final and booked. */
  async pay(address: string, symbol: string, amount: bigint): Promise<void> {
    const txHash = await this.base.rig.controls.fund(address, tokenOf(symbol), amount);
    await this.untilCredited(txHash);
  }

  async untilCredited(txHash: string): Promise<void> {
    await this.settle();
    await eventually(
      () => this.query<{ status: string }>(`select status from deposit where tx_hash = $1`, [txHash]),
      ([deposit]) => deposit?.status === 'confirmed',
    );
    await this.book();
  }

  /** Books the final deposits. */
  async book(): Promise<void> {
    const { database } = this.base.db;
    for (const { intent_id: id } of await this.query<{ intent_id: string }>(`select intent_id from dirty_intent`)) {
      await settlementOn(database).settle(id);
    }
    await new SuspenseBooking(database, new LedgerService(), createLogger('silent')).bookFinal();
  }

  /** An intent that is paid, and has ended for long enough that its funds may leave. */
  async paid(symbol: string, amount: bigint): Promise<SeededIntent> {
    const intent = await this.intent(symbol);
    await this.pay(intent.address, symbol, amount);
    await this.age(intent);
    return intent;
  }

  /** Moves the end of an intent into the past. */
  async age({ id }: SeededIntent): Promise<void> {
    await this.asOwner(`update payment_intent set updated_at = now() - interval '2 hours' where id = '${id}'`);
  }

  /** Makes everything final, and waits until the listener has read it. */
  async settle(): Promise<void> {
    await this.base.settle();
    await this.base.untilRead();
  }

  /** Takes prices that are fresh. */
  async price(): Promise<void> {
    await aPriceSnapshot(this.base.db.database, PRICES);
  }

  /** Plans sweeps, as the worker does. Returns those that have not ended. */
  async plan(): Promise<readonly ShownSweep[]> {
    await this.price();
    await this.current.plan();
    return (await this.sweeps()).filter(({ swept }) => swept === null);
  }

  /** Signs what waits, with fresh conditions. */
  async sign(): Promise<void> {
    await this.current.readBalances();
    await this.current.readConditions();
    await vaultServices(this.base.db.database, new RecordingQueue().queue).sweepSigner.signWaiting(this.vault);
  }

  /** Sends what is signed, and makes a block. */
  async send(): Promise<void> {
    await this.current.send();
    await this.base.rig.controls.mine(1);
  }

  /** Makes everything final, and records how transactions ended. Returns all sweeps. */
  async confirm(): Promise<readonly ShownSweep[]> {
    await this.settle();
    await this.current.confirm();
    return this.sweeps();
  }

  /** Signs, sends and confirms what is due: fundings, or sweeps that are funded. */
  async step(): Promise<readonly ShownSweep[]> {
    await this.sign();
    await this.send();
    return this.confirm();
  }

  /** Plans, funds and sweeps. */
  async sweep(): Promise<readonly ShownSweep[]> {
    await this.plan();
    await this.step();
    return this.step();
  }

  /** Makes blocks until everything that is signed has expired. */
  async pastExpiry(): Promise<void> {
    await this.base.rig.controls.mine(40);
    await this.settle();
  }

  /** Makes balances whose sweep failed due again. */
  async retry(): Promise<void> {
    await this.query(`update deposit_balance set retry_at = null`);
  }

  /** Every sweep, the oldest first. */
  sweeps(): Promise<ShownSweep[]> {
    const statuses = (purpose: string, id: string): string =>
      `array(select status from chain_transaction where purpose = '${purpose}' and purpose_id = ${id} order by nonce)`;
    return this.query(
      `select sweep.id, sweep.reason, sweep.waiting_reason, ${statuses('sweep', 'sweep.id')} as status, item.swept,
              item.burned, funding.amount as funding, ${statuses('funding', 'funding.id')} as funded,
              energy_loan.stake as loan, ${statuses('energy_loan', 'energy_loan.id')} as lent,
              array(select status from chain_transaction join energy_return on energy_return.id = purpose_id
                     where purpose = 'energy_return' and loan_id = energy_loan.id order by nonce) as returned
         from sweep join sweep_item item on item.sweep_id = sweep.id
         left join funding on funding.sweep_id = sweep.id
         left join energy_loan on energy_loan.sweep_id = sweep.id
        order by sweep.created_at, sweep.id`,
    );
  }

  /** What an address holds at a final block: USDT and TRX. */
  async holds(owner: string): Promise<readonly bigint[]> {
    return (await this.client.finalBalancesOf(owner, [this.base.chain('USDT').contract, NATIVE_COIN], 0)).units;
  }

  /** What the books say about the TRX of an address. */
  async coinsOf(address: string): Promise<{ readonly received: string; readonly held: string } | undefined> {
    const [row] = await this.query<{ received: string; held: string }>(
      `select received, received + funded - swept - burned as held from deposit_balance
         join pool_address on id = address_id where token_contract = 'native' and address = $1`,
      [address],
    );
    return row;
  }

  /** Compares the hot wallet with the books. Returns the top-ups that were ever booked, in smallest units. */
  async compare(): Promise<readonly string[]> {
    await this.settle();
    await this.current.readBalances();
    // A check of sent transactions reads some hundred blocks.
    await eventuallyPasses(async () => {
      await this.current.bookTopUps();
      const waiting = await this.query(`select from stocktaking where booked_height is distinct from height`);
      expect(waiting).toEqual([]);
    });
    const found = await this.query<{ amount: string }>(`select amount from top_up order by found_at, amount`);
    return found.map(({ amount }) => amount);
  }

  /** The rules of the books, and those that compare them with the chain, that do not hold. */
  async brokenRules(): Promise<readonly string[]> {
    const { rules } = await this.base.db.database.transaction((tx) => checkRules(tx));
    const compared = await this.current.audit();
    return [...rules, ...compared.rules].flatMap(({ name, finding }) =>
      finding === null ? [] : [`${name}: ${JSON.stringify(finding)}`],
    );
  }

  /** The books and the chain agree, and nothing but the first funds of the hot wallet was a top-up. */
  async expectBooksInOrder(): Promise<void> {
    expect(await this.compare()).toEqual([String(this.firstFunds)]);
    expect(await this.brokenRules()).toEqual([]);
    expect(this.base.log.named('An address holds less than the books say.')).toEqual([]);
  }

  private async asWallet(staking: Staking): Promise<string> {
    const { sandbox } = await openVaultFile(vaultPath(this.dir), PASSPHRASE);
    const id = await sendAs(this.base.rig, seedOf(sandbox), staking);
    await this.base.rig.controls.mine();
    return id;
  }

  private newWorker(rpcUrls: readonly string[] = [this.base.rig.url]): ExpiringSweepWorker {
    const { db, profile, log } = this.base;
    return new ExpiringSweepWorker({ database: db.database, owner: db.owner, profile, rpcUrls, log });
  }
}

const tokenOf = (symbol: string): 'USDT' | 'USDC' | null => (symbol === 'USDT' || symbol === 'USDC' ? symbol : null);

const vaultPath = (dir: string): string => join(dir, 'vault.json');

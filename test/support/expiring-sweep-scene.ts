import { rm } from 'node:fs/promises';
import { checkRules } from '../../src/auditor/books-verification.js';
import type { ExpiringClient } from '../../src/chains/expiring.js';
import type { Tenant } from '../../src/domain/tenant.js';
import { LedgerService } from '../../src/ledger/ledger.service.js';
import { createLogger } from '../../src/platform/logging.js';
import type { SqlParameter } from '../../src/platform/sql/sql.js';
import { SuspenseBooking } from '../../src/suspense/suspense-booking.service.js';
import type { LocalVault } from '../../src/vault/local-vault.js';
import { eventually, eventuallyPasses } from './eventually.js';
import { ExpiringSweepWorker } from './expiring-sweep-worker.js';
import { anIntent, aPriceSnapshot, type SeededChain, type SeededIntent } from './factories.js';
import { RecordingQueue } from './recording-queue.js';
import { environmentAt, type ExpiringPlace } from './scene-vault.js';
import { settlementOn } from './settlement.js';
import { query } from './sql.js';
import { vaultServices } from './vault-services.js';

/** What sweeps are decided by in these scenes. */
export interface SweepTerms {
  readonly prices: Readonly<Record<string, string>>;
  /** The largest cost of a sweep as a share of its value, in basis points. */
  readonly feeShareBps: number;
}

/** Everything between a payment and the final sweep of it, on a development chain whose transactions expire. */
export abstract class ExpiringSweepScene<Sweep, Client extends ExpiringClient & { close(): Promise<void> }> {
  private nextIndex = 0;
  private current: ExpiringSweepWorker;

  protected constructor(
    protected readonly opened: ExpiringPlace,
    readonly client: Client,
    private readonly terms: SweepTerms,
  ) {
    this.current = this.newWorker();
  }

  protected abstract readonly tenant: Tenant;
  /** The chain as it offers a token, or its coin by its symbol. */
  protected abstract chain(symbol: string): SeededChain;
  /** Pays to an address. Returns the transaction's id. */
  protected abstract give(address: string, symbol: string, amount: bigint): Promise<string>;
  /** Makes what is in a block final, and waits until the listener has read it. */
  protected abstract makeFinal(): Promise<void>;
  /** Lets the listener read now, if there is one. */
  protected abstract hurry(): void;
  /** Makes a block. */
  protected abstract mine(): Promise<void>;
  /** The tokens that `holds` reads, in its order. */
  protected abstract readonly held: readonly string[];
  /** Every sweep, the oldest first. */
  abstract sweeps(): Promise<readonly Sweep[]>;
  protected abstract closeChain(): Promise<void>;

  async close(): Promise<void> {
    await this.client.close();
    await this.current.close();
    await this.vault.close();
    await this.closeChain();
    await rm(this.opened.dir, { recursive: true });
  }

  /** What another process needs to sweep in this scene. */
  get place() {
    return environmentAt(this.opened);
  }

  get vault(): LocalVault {
    return this.opened.vault;
  }

  get hotWallet(): string {
    return this.opened.hotWallet;
  }

  get worker(): ExpiringSweepWorker {
    return this.current;
  }

  /** Replaces the worker by one that has just started, and asks these nodes. */
  async restartWorker(rpcUrls?: readonly string[]): Promise<void> {
    await this.current.close();
    this.current = this.newWorker(rpcUrls);
  }

  query<Row>(text: string, parameters: readonly SqlParameter[] = []): Promise<Row[]> {
    return query<Row>(this.opened.db.database, text, parameters);
  }

  /** Changes rows as only a restored backup does. */
  async asOwner(...statements: readonly string[]): Promise<void> {
    await this.opened.db.owner.transaction(async (tx) => {
      await query(tx, `set local session_replication_role = replica`);
      for (const statement of statements) await query(tx, statement);
    });
  }

  /** Stores an empty sanctions list. */
  protected async provideList(): Promise<void> {
    await this.query(
      `insert into sanctions_import (source, published_on, addresses, content_hash) values ('test', now(), 1, repeat('a', 64))`,
    );
  }

  /** An open intent of 25 dollars at an address of the vault, which has nothing yet. */
  async intent(symbol: string): Promise<SeededIntent> {
    const { addressFamily } = this.opened.profile;
    const [derived] = await this.vault.deriveAddresses('sandbox', addressFamily, this.nextIndex++, 1);
    if (derived === undefined) throw new Error('The vault derives an address.');
    const { index, path, address, addressKey } = derived;
    await this.query(
      `insert into pool_address (environment, family, derivation_index, derivation_path, address, address_key)
       values ('sandbox', $1, $2, $3, $4, $5)`,
      [addressFamily, index, path, address, addressKey],
    );
    return anIntent(this.opened.db.database, { tenant: this.tenant, chain: this.chain(symbol), address });
  }

  /** Pays to an address, and waits until the payment is final and booked. */
  async pay(address: string, symbol: string, amount: bigint): Promise<void> {
    await this.untilCredited(await this.give(address, symbol, amount));
  }

  /** Waits until the deposit of a transaction is final and booked. */
  async untilCredited(txHash: string): Promise<void> {
    await this.makeFinal();
    await eventually(
      () => {
        this.hurry();
        return this.query<{ status: string }>(`select status from deposit where tx_hash = $1`, [txHash]);
      },
      ([deposit]) => deposit?.status === 'confirmed',
    );
    await this.book();
  }

  /** Books the final deposits. */
  async book(): Promise<void> {
    const { database } = this.opened.db;
    for (const { intent_id: id } of await this.query<{ intent_id: string }>(`select intent_id from dirty_intent`)) {
      await settlementOn(database).settle(id);
    }
    await new SuspenseBooking(database, new LedgerService(), createLogger('silent')).bookFinal();
  }

  /** An intent that is paid, and has ended for long enough that its funds may leave and its accounts be closed. */
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
  settle(): Promise<void> {
    return this.makeFinal();
  }

  /** Takes prices that are fresh. */
  async price(): Promise<void> {
    await aPriceSnapshot(this.opened.db.database, this.terms.prices);
  }

  /** Signs what waits, with fresh conditions. */
  async sign(): Promise<void> {
    await this.current.readConditions();
    await vaultServices(this.opened.db.database, new RecordingQueue().queue).sweepSigner.signWaiting(this.vault);
  }

  /** Sends what is signed, and makes a block. */
  async send(): Promise<void> {
    await this.current.send();
    await this.mine();
  }

  /** Makes everything final, and records how transactions ended. Returns all sweeps. */
  async confirm(): Promise<readonly Sweep[]> {
    await this.makeFinal();
    await this.current.confirm();
    return this.sweeps();
  }

  /** Makes balances whose sweep failed due again. */
  async retry(): Promise<void> {
    await this.query(`update deposit_balance set retry_at = null`);
  }

  /** What an address holds at a final block. */
  async holds(owner: string): Promise<readonly bigint[]> {
    return (await this.client.finalBalancesOf(owner, this.held, 0)).units;
  }

  /** Compares the hot wallet with the books. Returns the top-ups that were ever booked, in smallest units. */
  async compare(): Promise<readonly string[]> {
    await this.makeFinal();
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
    const { rules } = await this.opened.db.database.transaction((tx) => checkRules(tx));
    const compared = await this.current.audit();
    return [...rules, ...compared.rules].flatMap(({ name, finding }) =>
      finding === null ? [] : [`${name}: ${JSON.stringify(finding)}`],
    );
  }

  private newWorker(rpcUrls: readonly string[] = [this.opened.rpcUrl]): ExpiringSweepWorker {
    const { db, profile, log } = this.opened;
    const place = { database: db.database, owner: db.owner, profile, rpcUrls, log };
    return new ExpiringSweepWorker(place, this.terms.feeShareBps);
  }
}

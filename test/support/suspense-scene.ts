import { LedgerService } from '../../src/ledger/ledger.service.js';
import type { PocketObject } from '../../src/ledger/pocket.schema.js';
import { PocketReader } from '../../src/ledger/pocket-reader.service.js';
import type { Database } from '../../src/platform/database/database.js';
import { createLogger } from '../../src/platform/logging.js';
import { SuspenseBooking } from '../../src/suspense/suspense-booking.service.js';
import type { Tenant } from '../../src/domain/tenant.js';
import { type AuditEntry, auditEntriesOf } from './audit-entries.js';
import { type CliRun, runCommand } from './cli-run.js';
import { freshDatabase, type TestDatabase } from './database.js';
import {
  aChain,
  aDeposit,
  aMerchant,
  anIntent,
  type DepositTraits,
  type IntentTraits,
  type SeededChain,
  type SeededIntent,
} from './factories.js';
import { confirmAsListed, listExactly } from './listed-senders.js';
import { settlementOn } from './settlement.js';
import { anUnattributedDeposit, aToken } from './unattributed-deposits.js';

const LISTED = `0x${'ad'.repeat(20)}`;

/**
 * Unattributed and frozen deposits, and staff who decide about them by commands. Two chains: polygon with USDC and
 * USDT, bnb.
 */
export class SuspenseScene {
  private constructor(
    readonly db: TestDatabase,
    readonly polygon: SeededChain,
    readonly bnb: SeededChain,
    readonly usdt: string,
    /** The listing of the sender of every frozen payment. */
    readonly listing: string,
  ) {}

  static async open(): Promise<SuspenseScene> {
    const db = await freshDatabase();
    const { database } = db;
    const polygon = await aChain(database);
    const bnb = await aChain(database, { network: 'bnb', decimals: 18 });
    const usdt = await aToken(database, polygon, 'USDT');
    const [listing = ''] = await listExactly(database, LISTED);
    return new SuspenseScene(db, polygon, bnb, usdt, listing);
  }

  get database(): Database {
    return this.db.database;
  }

  close(): Promise<void> {
    return this.db.drop();
  }

  /** An intent of a new merchant in 25 USDC on polygon. */
  async anIntent(traits: Partial<IntentTraits> = {}): Promise<SeededIntent> {
    return anIntent(this.database, { tenant: await aMerchant(this.database), chain: this.polygon, ...traits });
  }

  /** 25 USDT that were sent to the address of an intent in USDC, booked unless they are not final. */
  async aWrongToken({ address }: SeededIntent, status: 'seen' | 'confirmed' = 'confirmed'): Promise<string> {
    const { polygon: chain, usdt: contract } = this;
    const id = await anUnattributedDeposit(this.database, { chain, address, reason: 'other_token', contract, status });
    await this.book();
    return id;
  }

  /** The payment of an intent by a listed sender, settled. */
  async aFrozenPayment(intent: SeededIntent, traits: Omit<DepositTraits, 'status'> = {}): Promise<string> {
    const id = await aDeposit(this.database, intent, traits);
    await confirmAsListed(this.database, id, this.listing);
    await settlementOn(this.database).settle(intent.id);
    return id;
  }

  /** Acts as the worker does every two seconds. */
  book(): Promise<number> {
    return new SuspenseBooking(this.database, new LedgerService(), createLogger('silent')).bookFinal();
  }

  /** Runs `coffer deposits ...`. */
  coffer(...args: readonly string[]): Promise<CliRun> {
    return runCommand(['deposits', ...args], { DATABASE_URL: this.db.url });
  }

  /** The error of a `coffer deposits ...` command that refuses. */
  async refusalOf(...args: readonly string[]): Promise<string> {
    const { code, out, err } = await this.coffer(...args);
    expect({ isFine: code === 0, out }).toEqual({ isFine: false, out: '' });
    return err;
  }

  /** The merchant's pocket in a token, as the API shows it. */
  async pocketOf(tenant: Tenant, token: string): Promise<PocketObject | undefined> {
    const { data } = await new PocketReader(this.database).list(tenant, { limit: 100 });
    return data.find((pocket) => pocket.token === token);
  }

  audited(subject: string): Promise<AuditEntry[]> {
    return auditEntriesOf(this.database, subject);
  }
}

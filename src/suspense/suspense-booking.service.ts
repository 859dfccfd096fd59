import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Environment } from '../domain/network.js';
import { type Asset, assetOf, transfer } from '../domain/posting.js';
import { LedgerService } from '../ledger/ledger.service.js';
import type { Booking } from '../ledger/new-entry.js';
import { systemAccount } from '../ledger/system-accounts.js';
import { Database, rows, type Tx } from '../platform/database/database.js';
import { isDatabaseUnavailable } from '../http/database-error.js';
import { LOGGER } from '../platform/logging.js';
import { RecurringJob } from '../platform/recurring/recurring-job.js';
import type { RowOf } from '../platform/sql/sql.js';
import { type BookedHolding, lockUnbooked, markBooked, nextUnbooked } from './suspense-booking.sql.js';

const BATCH = 500;
const firstUnbooked = nextUnbooked('', 1);

/**
 * Books final deposits that belong to no intent, once each: to suspense, or to the frozen account when their sender is
 * on the sanctions list. Settlement does the same for the deposits of intents.
 */
@Injectable()
export class SuspenseBooking {
  constructor(
    private readonly database: Database,
    private readonly ledger: LedgerService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Books all there are, in batches of one transaction each; returns how many. Any number of processes may run it. A
   * deposit that cannot be booked is logged and left out: it delays no other.
   */
  @RecurringJob({ role: 'worker', every: 2_000, when: firstUnbooked })
  async bookFinal(): Promise<number> {
    let booked = 0;
    let after: string | null = '';
    while (after !== null) {
      const unbooked: readonly RowOf<typeof nextUnbooked>[] = await this.database.rows(nextUnbooked(after, BATCH));
      const ids = unbooked.map(({ id }) => id);
      booked += await this.bookEach(ids);
      after = ids.length < BATCH ? null : (ids.at(-1) ?? null);
    }
    return booked;
  }

  /**
   * Books them together, and one by one when that fails.
   * @throws when the database is away or busy: no deposit caused that.
   */
  private async bookEach(ids: readonly string[]): Promise<number> {
    if (ids.length === 0) return 0;
    try {
      return await this.database.transaction((tx) => this.book(tx, ids));
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      if (ids.length === 1) {
        this.logger.error({ deposit: ids[0], err: error }, 'A deposit cannot be booked.');
        return 0;
      }
    }
    let booked = 0;
    for (const id of ids) booked += await this.bookEach([id]);
    return booked;
  }

  private async book(tx: Tx, ids: readonly string[]): Promise<number> {
    const deposits = await rows(tx, lockUnbooked(ids));
    if (deposits.length === 0) return 0;
    const accounts = new SystemAccounts(tx);
    const bookings: Booking[] = [];
    for (const { id, amount, environment, network, tokenContract, holding } of deposits) {
      const asset = assetOf(network, tokenContract);
      bookings.push({
        reference: `suspense:${id}`,
        kind: 'unattributed',
        environment,
        legs: transfer({
          from: await accounts.of('chain', environment, asset),
          to: await accounts.of(holding, environment, asset),
          asset,
          amount: BigInt(amount),
        }),
      });
    }
    await this.ledger.bookAll(tx, bookings);
    await rows(tx, markBooked(deposits));
    return deposits.length;
  }
}

/** Accounts that one batch asks for again and again, looked up once. */
class SystemAccounts {
  private readonly ids = new Map<string, number>();

  constructor(private readonly tx: Tx) {}

  async of(kind: 'chain' | BookedHolding, environment: Environment, asset: Asset): Promise<number> {
    const key = `${kind} ${environment} ${asset}`;
    const id = this.ids.get(key) ?? (await systemAccount(this.tx, kind, environment, asset));
    this.ids.set(key, id);
    return id;
  }
}

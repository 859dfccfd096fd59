import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Environment, Network } from '../domain/network.js';
import { type Asset, assetOf, transfer } from '../domain/posting.js';
import type { DepositHolding } from '../payments/deposits/deposit.entity.js';
import { type Booking, LedgerService } from '../ledger/ledger.service.js';
import { systemAccount } from '../ledger/system-accounts.js';
import { Database, type Tx, sql } from '../platform/database/database.js';
import { isDatabaseUnavailable } from '../http/database-error.js';
import { LOGGER } from '../platform/logging.js';
import { RecurringJob } from '../platform/recurring/recurring-job.js';

const BATCH = 500;

/** Where an unattributed deposit is booked first. */
type BookedHolding = Extract<DepositHolding, 'suspense' | 'frozen'>;

interface UnbookedRow {
  id: string;
  amount: string;
  token_contract: string;
  environment: Environment;
  network: Network;
  holding: BookedHolding;
}

/** SQL: final, on the chain, without an intent, and not booked. */
const IS_UNBOOKED = `
  deposit.status = 'confirmed' and deposit.intent_id is null and deposit.credited_at is null
    and deposit.gone_at is null`;

/** The next $2 unbooked deposits above the id $1. */
export const UNBOOKED_STATEMENT = `
  select id from deposit where ${IS_UNBOOKED} and id > $1 order by id limit $2`;

/** Those of the deposits $1 that are unbooked still; another process books those that it has locked. */
const LOCK_STATEMENT = `
  select deposit.id, deposit.amount, deposit.token_contract, chain.environment, chain.network,
         case when deposit.listed_sender_id is null then 'suspense' else 'frozen' end as holding
    from deposit join chain on chain.id = deposit.chain_ref
   where deposit.id = any($1) and ${IS_UNBOOKED}
   order by deposit.id for no key update of deposit skip locked`;

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
  @RecurringJob({ role: 'worker', every: 2_000 })
  async bookFinal(): Promise<number> {
    let booked = 0;
    let after: string | null = '';
    while (after !== null) {
      const rows: readonly { id: string }[] = await this.database.query(UNBOOKED_STATEMENT, [after, BATCH]);
      const ids = rows.map(({ id }) => id);
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
    const rows = await sql<UnbookedRow>(tx, LOCK_STATEMENT, [ids]);
    if (rows.length === 0) return 0;
    const accounts = new SystemAccounts(tx);
    const bookings: Booking[] = [];
    for (const { id, amount, environment, network, token_contract: contract, holding } of rows) {
      const asset = assetOf(network, contract);
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
    await sql(
      tx,
      `update deposit set credited_at = now(), held_as = fact.holding
         from unnest($1::text[], $2::text[]) as fact (id, holding) where deposit.id = fact.id`,
      [rows.map(({ id }) => id), rows.map(({ holding }) => holding)],
    );
    return rows.length;
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

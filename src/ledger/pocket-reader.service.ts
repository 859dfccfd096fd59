import { Injectable } from '@nestjs/common';
import { invalidParam, notFound } from '../domain/errors.js';
import { cappedJsonInteger, formatUnits, unitsToMinorDown } from '../domain/money.js';
import type { Tenant } from '../domain/tenant.js';
import { type ListPage, listPage } from '../http/pagination.js';
import { Database } from '../platform/database/database.js';
import type { RowOf } from '../platform/sql/sql.js';
import { Pocket } from './pocket.entity.js';
import { entryPage, findPocket, findPosting, pocketPage } from './pocket-page.sql.js';
import {
  type ListPocketsQuery,
  POCKET_ENTRY_KINDS,
  type PocketEntryObject,
  type PocketObject,
} from './pocket.schema.js';

type PocketRow = RowOf<typeof findPocket>;
type EntryRow = RowOf<typeof entryPage>;

/** Reads pockets and their entries. */
@Injectable()
export class PocketReader {
  constructor(private readonly database: Database) {}

  /** Returns one pocket of the caller. */
  async get(tenant: Tenant, id: string): Promise<PocketObject> {
    const [row] = await this.database.rows(findPocket(tenant, id));
    if (row === undefined) throw notFound('pocket');
    return present(row);
  }

  /** Returns one page of the caller's pockets, newest first. */
  async list(tenant: Tenant, query: ListPocketsQuery): Promise<ListPage<PocketObject>> {
    const after = query.starting_after ?? null;
    if (after !== null) await this.assertOwn(tenant, after);
    const rows = await this.database.rows(pocketPage(tenant, { after, limit: query.limit + 1 }));
    return listPage(rows.map(present), query.limit);
  }

  /** Returns one page of the entries on a pocket's available balance, newest first. */
  async entries(tenant: Tenant, pocketId: string, query: ListPocketsQuery): Promise<ListPage<PocketEntryObject>> {
    const pocket = await this.get(tenant, pocketId);
    const after = query.starting_after === undefined ? null : await this.postingOf(pocketId, query.starting_after);
    const rows = await this.database.rows(entryPage(pocketId, { after, limit: query.limit + 1 }));
    const entries = rows.map((row) => presentEntry(row, pocket.token_decimals));
    return listPage(entries, query.limit);
  }

  private async assertOwn(tenant: Tenant, pocketId: string): Promise<void> {
    const { merchantId, environment } = tenant;
    if ((await this.database.em().count(Pocket, { id: pocketId, merchantId, environment })) === 0)
      throw invalidParam('starting_after', 'starting_after is not one of your pockets.');
  }

  private async postingOf(pocketId: string, entryId: string): Promise<string> {
    const [row] = await this.database.rows(findPosting(pocketId, entryId));
    if (row === undefined) throw invalidParam('starting_after', 'starting_after is not an entry of this pocket.');
    return row.id;
  }
}

function present(row: PocketRow): PocketObject {
  const minor = (units: string): number =>
    cappedJsonInteger(unitsToMinorDown(BigInt(units), row.tokenDecimals, row.minorUnitExponent));
  return {
    id: row.id,
    object: 'pocket',
    environment: row.environment,
    network: row.network,
    token: row.token,
    token_decimals: row.tokenDecimals,
    minor_unit_exponent: row.minorUnitExponent,
    available_cents: minor(row.available),
    pending_cents: minor(row.pending),
    held_cents: minor(row.held),
    available_amount: row.available,
    created_at: new Date(row.createdAt).toISOString(),
  };
}

function presentEntry(row: EntryRow, decimals: number): PocketEntryObject {
  const amount = BigInt(row.amount);
  const decimal = formatUnits(amount < 0n ? -amount : amount, decimals);
  return {
    id: row.id,
    object: 'pocket_entry',
    kind: kindOf(row),
    reference: row.reference,
    payment_intent_id: row.paymentIntentId,
    withdrawal_id: row.withdrawalId,
    amount: row.amount,
    amount_decimal: amount < 0n ? `-${decimal}` : decimal,
    created_at: new Date(row.createdAt).toISOString(),
  };
}

function kindOf({ id, kind }: EntryRow): PocketEntryObject['kind'] {
  const known = POCKET_ENTRY_KINDS.find((one) => one === kind);
  if (known === undefined) throw new Error(`Entry ${id} of kind ${kind} moved the balance of a pocket.`);
  return known;
}

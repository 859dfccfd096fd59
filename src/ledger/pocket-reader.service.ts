import { Injectable } from '@nestjs/common';
import { invalidParam, notFound } from '../domain/errors.js';
import { cappedJsonInteger, formatUnits, unitsToMinorDown } from '../domain/money.js';
import type { Environment, Network } from '../domain/network.js';
import type { Tenant } from '../domain/tenant.js';
import { type ListPage, listPage } from '../http/pagination.js';
import { Database, type SqlParameter } from '../platform/database/database.js';
import type { ListPocketsQuery, PocketEntryObject, PocketObject } from './pocket.schema.js';

interface PocketRow {
  id: string;
  environment: Environment;
  network: Network;
  token: string;
  token_decimals: number;
  minor_unit_exponent: number;
  created_at: string;
  available: string;
  held: string;
  pending: string;
}

interface EntryRow {
  id: string;
  kind: PocketEntryObject['kind'];
  reference: string;
  payment_intent_id: string | null;
  withdrawal_id: string | null;
  amount: string;
  created_at: string;
}

/**
 * Pending money is the sum of deposits that were seen for the merchant's intents and are not final. The index
 * deposit_pending holds only these, so the cost does not grow with the merchant's history.
 */
const POCKET_COLUMNS = `
  pocket.id, pocket.environment, pocket.network, pocket.token, pocket.token_decimals, pocket.minor_unit_exponent,
  pocket.created_at, available.balance as available, held.balance as held,
  (select coalesce(sum(deposit.amount), 0)
     from deposit join chain on chain.id = deposit.chain_ref
    where deposit.status = 'seen' and deposit.merchant_id = pocket.merchant_id
      and deposit.token_contract = pocket.token_contract
      and chain.environment = pocket.environment and chain.network = pocket.network) as pending`;
const POCKET_TABLES = `
  pocket join account available on available.id = pocket.available_account_id
         join account held on held.id = pocket.held_account_id`;

/** The id in an entry's reference, such as `deposit:dep_...` or `withdrawal:wd_...:refund`. */
const NAMED = `split_part(entry.reference, ':', 2)`;

/** Reads pockets and their entries. */
@Injectable()
export class PocketReader {
  constructor(private readonly database: Database) {}

  /** Returns one pocket of the caller. */
  async get(tenant: Tenant, id: string): Promise<PocketObject> {
    const [row] = await this.database.query<PocketRow>(
      `select ${POCKET_COLUMNS} from ${POCKET_TABLES}
        where pocket.id = $1 and pocket.merchant_id = $2 and pocket.environment = $3`,
      [id, tenant.merchantId, tenant.environment],
    );
    if (row === undefined) throw notFound('pocket');
    return present(row);
  }

  /** Returns one page of the caller's pockets, newest first. */
  async list(tenant: Tenant, query: ListPocketsQuery): Promise<ListPage<PocketObject>> {
    const parameters: SqlParameter[] = [tenant.merchantId, tenant.environment, query.limit + 1];
    if (query.starting_after !== undefined) {
      await this.assertOwn(tenant, query.starting_after);
      parameters.push(query.starting_after);
    }
    const rows = await this.database.query<PocketRow>(
      `select ${POCKET_COLUMNS} from ${POCKET_TABLES}
        where pocket.merchant_id = $1 and pocket.environment = $2
          ${query.starting_after === undefined ? '' : 'and pocket.id < $4'}
        order by pocket.id desc limit $3`,
      parameters,
    );
    return listPage(rows.map(present), query.limit);
  }

  /** Returns one page of the entries on a pocket's available balance, newest first. */
  async entries(tenant: Tenant, pocketId: string, query: ListPocketsQuery): Promise<ListPage<PocketEntryObject>> {
    const pocket = await this.get(tenant, pocketId);
    const parameters: SqlParameter[] = [pocketId, query.limit + 1];
    if (query.starting_after !== undefined) parameters.push(await this.postingOf(pocketId, query.starting_after));
    const rows = await this.database.query<EntryRow>(
      `select entry.id, entry.kind, entry.reference, deposit.intent_id as payment_intent_id,
              withdrawal.id as withdrawal_id, posting.amount, entry.created_at
         from pocket join posting on posting.account_id = pocket.available_account_id
                     join entry on entry.id = posting.entry_id
                left join deposit on deposit.id = ${NAMED}
                left join withdrawal on withdrawal.id = ${NAMED}
        where pocket.id = $1 ${query.starting_after === undefined ? '' : 'and posting.id < $3'}
        order by posting.id desc limit $2`,
      parameters,
    );
    const entries = rows.map((row) => presentEntry(row, pocket.token_decimals));
    return listPage(entries, query.limit);
  }

  private async assertOwn(tenant: Tenant, pocketId: string): Promise<void> {
    const [row] = await this.database.query(
      `select from pocket where id = $1 and merchant_id = $2 and environment = $3`,
      [pocketId, tenant.merchantId, tenant.environment],
    );
    if (row === undefined) throw invalidParam('starting_after', 'starting_after is not one of your pockets.');
  }

  private async postingOf(pocketId: string, entryId: string): Promise<string> {
    const [row] = await this.database.query<{ id: string }>(
      `select posting.id from pocket join posting on posting.account_id = pocket.available_account_id
        where pocket.id = $1 and posting.entry_id = $2`,
      [pocketId, entryId],
    );
    if (row === undefined) throw invalidParam('starting_after', 'starting_after is not an entry of this pocket.');
    return row.id;
  }
}

function present(row: PocketRow): PocketObject {
  const minor = (units: string): number =>
    cappedJsonInteger(unitsToMinorDown(BigInt(units), row.token_decimals, row.minor_unit_exponent));
  return {
    id: row.id,
    object: 'pocket',
    environment: row.environment,
    network: row.network,
    token: row.token,
    token_decimals: row.token_decimals,
    minor_unit_exponent: row.minor_unit_exponent,
    available_cents: minor(row.available),
    pending_cents: minor(row.pending),
    held_cents: minor(row.held),
    available_amount: row.available,
    created_at: new Date(row.created_at).toISOString(),
  };
}

function presentEntry(row: EntryRow, decimals: number): PocketEntryObject {
  const amount = BigInt(row.amount);
  const decimal = formatUnits(amount < 0n ? -amount : amount, decimals);
  return {
    id: row.id,
    object: 'pocket_entry',
    kind: row.kind,
    reference: row.reference,
    payment_intent_id: row.payment_intent_id,
    withdrawal_id: row.withdrawal_id,
    amount: row.amount,
    amount_decimal: amount < 0n ? `-${decimal}` : decimal,
    created_at: new Date(row.created_at).toISOString(),
  };
}

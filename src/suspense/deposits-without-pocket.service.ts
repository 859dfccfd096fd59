import { Injectable } from '@nestjs/common';
import type { Network } from '../domain/network.js';
import type { DepositHolding, UnattributedReason } from '../payments/deposits/deposit.entity.js';
import { type StaffDeposit, staffDepositOf, type StaffDepositRow } from '../payments/deposits/staff-deposit.js';
import { unattributedReasonText } from '../payments/deposits/unattributed-reason.js';
import { Database } from '../platform/database/database.js';

/** Which deposits to list, and where the page begins: after the deposit of this id, or at the oldest. */
export interface DepositsWithoutPocketPage {
  readonly holdings: readonly DepositHolding[];
  readonly limit: number;
  readonly after: string | null;
}

/** A final deposit that is in no pocket: unattributed, frozen, kept or being refunded. */
export interface DepositWithoutPocket extends StaffDeposit {
  /** When it was booked, ISO 8601. */
  readonly bookedAt: string;
  readonly heldAs: DepositHolding;
  /** Null when a chain's own coin arrived inside of a contract. */
  readonly sender: string | null;
  /** In plain words, why it is in no pocket. */
  readonly explanation: string;
}

/** How many deposits have one holding, and the age of the oldest. */
export interface HoldingTotal {
  readonly heldAs: DepositHolding;
  readonly count: number;
  readonly oldestSeconds: number;
}

/** A worker books every two seconds. */
const BOOKED_WITHIN = `interval '1 minute'`;

interface WithoutPocketRow extends StaffDepositRow {
  credited_at: string;
  held_as: DepositHolding;
  from_address: string | null;
  unattributed_reason: UnattributedReason | null;
  intent_network: Network | null;
  intent_token: string | null;
  listed_name: string | null;
  return_id: string | null;
  return_destination: string | null;
}

const WITHOUT_POCKET_PAGE_STATEMENT = `
  select deposit.id, deposit.credited_at, deposit.held_as, chain.environment, chain.network, deposit.token_contract,
         token.symbol, token.decimals, deposit.amount, address.address, deposit.from_address, deposit.tx_hash,
         deposit.unattributed_reason, intent.id as intent_id, intent.merchant_id, intent.network as intent_network,
         intent.token as intent_token, listed.name as listed_name,
         deposit_return.id as return_id, deposit_return.destination as return_destination
    from deposit join chain on chain.id = deposit.chain_ref
    join pool_address address on address.id = deposit.address_id
    left join payment_intent intent on intent.id = address.intent_id
    left join chain_token token on token.chain_ref = deposit.chain_ref and token.contract = deposit.token_contract
    left join sanctioned_address listed on listed.id = deposit.listed_sender_id
    left join deposit_return on deposit_return.deposit_id = deposit.id and deposit_return.status = 'broadcasting'
   where deposit.held_as = any($1) and deposit.id > $2
   order by deposit.id limit $3`;

/** Reads the deposits that are in suspense, frozen or being refunded: for staff, over all merchants. */
@Injectable()
export class DepositsWithoutPocket {
  constructor(private readonly database: Database) {}

  /** Returns up to `limit` deposits, the oldest first. */
  async page({ holdings, limit, after }: DepositsWithoutPocketPage): Promise<readonly DepositWithoutPocket[]> {
    const rows = await this.database.query<WithoutPocketRow>(WITHOUT_POCKET_PAGE_STATEMENT, [
      holdings,
      after ?? '',
      limit,
    ]);
    return rows.map(depositWithoutPocketOf);
  }

  /** Returns the totals by holding; a holding without deposits is left out. */
  async totals(): Promise<readonly HoldingTotal[]> {
    const rows = await this.database.query<{ held_as: DepositHolding; count: number; oldest: number }>(
      `select held_as, count(*)::int as count, extract(epoch from now() - min(credited_at))::int as oldest
         from deposit where held_as is not null group by held_as order by held_as`,
    );
    return rows.map(({ held_as: heldAs, count, oldest }) => ({ heldAs, count, oldestSeconds: Math.max(0, oldest) }));
  }

  /** Counts the unattributed final deposits that a worker should have booked long ago. */
  async unbooked(): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      `select count(*)::int as count from deposit
        where status = 'confirmed' and intent_id is null and credited_at is null and gone_at is null
          and confirmed_at < now() - ${BOOKED_WITHIN}`,
    );
    return row?.count ?? 0;
  }
}

function depositWithoutPocketOf(row: WithoutPocketRow): DepositWithoutPocket {
  return {
    ...staffDepositOf(row),
    bookedAt: new Date(row.credited_at).toISOString(),
    heldAs: row.held_as,
    sender: row.from_address,
    explanation: explanationOf(row),
  };
}

function explanationOf(row: WithoutPocketRow): string {
  if (row.held_as === 'returning') return `on its way to ${row.return_destination} by ${row.return_id}`;
  if (row.held_as !== 'suspense') return `sender ${row.from_address} on the sanctions list${nameOf(row)}`;
  if (row.unattributed_reason === null) throw new Error(`Deposit ${row.id} is in suspense without a reason.`);
  return unattributedReasonText(row.unattributed_reason, { network: row.intent_network, token: row.intent_token });
}

const nameOf = ({ listed_name: name }: WithoutPocketRow): string => (name === null ? '' : ` (${name})`);

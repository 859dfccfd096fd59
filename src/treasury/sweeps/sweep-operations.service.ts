import { Injectable } from '@nestjs/common';
import { formatUnits } from '../../domain/money.js';
import type { Environment, Network } from '../../domain/network.js';
import { recordAction } from '../../platform/audit-trail.js';
import { Database, type Tx, sql } from '../../platform/database/database.js';
import type { SweepReason } from './sweep.entity.js';
import { SWEEP_WAITING_REASONS, type SweepWaitingReason } from './sweep-waiting.js';

/** A sweep that is not final yet. */
export interface OpenSweep {
  readonly id: string;
  readonly environment: Environment;
  readonly network: Network;
  readonly reason: SweepReason;
  readonly items: number;
  readonly ageSeconds: number;
  /** Why it waits, as a phrase. */
  readonly standing: string;
}

/** A balance that is not swept before an operator retries it. */
export interface SetAsideBalance {
  readonly environment: Environment;
  readonly network: Network;
  readonly token: string;
  /** Whole tokens, decimal. */
  readonly amount: string;
  readonly address: string;
  readonly reason: string;
}

type OpenRow = Omit<OpenSweep, 'standing' | 'ageSeconds'> & {
  age: number;
  waiting_reason: SweepWaitingReason | null;
  is_signed: boolean;
  is_sent: boolean;
};

/** Shows sweeps to operators and retries them. */
@Injectable()
export class SweepOperations {
  constructor(private readonly database: Database) {}

  /** Returns open sweeps, the oldest first. */
  async open(limit: number): Promise<OpenSweep[]> {
    const rows = await this.database.query<OpenRow>(
      `select sweep.id, chain.environment, chain.network, sweep.reason, sweep.waiting_reason,
              (select count(*)::int from sweep_item where sweep_id = sweep.id) as items,
              extract(epoch from clock_timestamp() - sweep.created_at)::int as age,
              sweep.signed_at is not null as is_signed, transaction.broadcast_at is not null as is_sent
         from sweep join chain on chain.id = sweep.chain_ref
         left join chain_transaction transaction
           on transaction.purpose = 'sweep' and transaction.purpose_id = sweep.id
        where sweep.finished_at is null order by sweep.created_at, sweep.id limit $1`,
      [limit],
    );
    return rows.map(({ age, waiting_reason: waiting, is_signed: isSigned, is_sent: isSent, ...row }) => ({
      ...row,
      ageSeconds: Math.max(0, age),
      standing: isSent
        ? 'a node has taken it, and it is not final yet'
        : isSigned
          ? 'it is signed, and no node has taken it yet'
          : waiting === null
            ? 'no open vault has checked it yet'
            : SWEEP_WAITING_REASONS[waiting],
    }));
  }

  /** Returns balances that were set aside, the largest of each token first. */
  async setAside(limit: number): Promise<SetAsideBalance[]> {
    const rows = await this.database.query<Omit<SetAsideBalance, 'amount'> & { units: string; decimals: number }>(
      `select chain.environment, chain.network, token.symbol as token, balance.received - balance.swept as units,
              token.decimals, address.address, balance.set_aside_reason as reason
         from chain
         join deposit_balance balance on balance.chain_ref = chain.id and balance.set_aside_reason is not null
         join chain_token token on token.chain_ref = chain.id and token.contract = balance.token_contract
         join pool_address address on address.id = balance.address_id
        where chain.active order by chain.id, token.symbol, balance.received - balance.swept desc limit $1`,
      [limit],
    );
    return rows.map(({ units, decimals, ...row }) => ({ ...row, amount: formatUnits(BigInt(units), decimals) }));
  }

  /**
   * Returns how many balances differ from their final deposits: none, unless rows were written by hand. It adds up
   * every deposit, so only a command calls it.
   */
  async miscounted(): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      `select count(*)::int as count
         from deposit_balance balance
         full join (select chain_ref, token_contract, address_id, sum(amount) as amount from deposit
                     where status = 'confirmed' group by chain_ref, token_contract, address_id) final
              using (chain_ref, token_contract, address_id)
        where balance.received is distinct from coalesce(final.amount, 0)`,
    );
    return row?.count ?? 0;
  }

  /**
   * Retries balances that were set aside: all of them with the failed deployments, or those of one address (lower
   * case). Returns the number of balances. Joins the caller's transaction.
   */
  async retry(
    tx: Tx,
    addressKey: string | null,
    order: { readonly actor: string; readonly reason: string },
  ): Promise<number> {
    const rows = await sql(
      tx,
      `update deposit_balance balance set failures = 0, retry_at = null, set_aside_reason = null
         from pool_address address
        where address.id = balance.address_id and balance.set_aside_reason is not null
          and ($1::text is null or address.address_key = $1)
       returning balance.address_id`,
      [addressKey],
    );
    // The planner writes a new row for a contract that is still needed.
    if (addressKey === null) {
      await sql(
        tx,
        `update sweep_contract set abandoned_at = now() where trouble = 'deployment_failed' and abandoned_at is null`,
      );
    }
    await recordAction(tx, { ...order, action: 'sweep.retry', subject: addressKey ?? 'all set-aside balances' });
    return rows.length;
  }
}

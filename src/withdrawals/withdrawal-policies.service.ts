import { Injectable } from '@nestjs/common';
import { notFound } from '../domain/errors.js';
import type { Tenant } from '../domain/tenant.js';
import type { WaitingReason } from '../domain/withdrawal.js';
import { type Tx, sql, sqlOne } from '../platform/database/database.js';
import type { Withdrawal } from './withdrawal.entity.js';

interface Verdict {
  is_frozen: boolean;
  is_destination_allowed: boolean;
  is_within_count: boolean;
  is_within_amount: boolean;
}

/** Asks the limits that staff set before anything is signed. What exceeds one waits, and is not refused: limits change. */
@Injectable()
export class WithdrawalPolicies {
  /** Why the withdrawal must wait, or null. Counts what was signed in the last 24 hours. */
  async verdict(tx: Tx, withdrawal: Withdrawal): Promise<WaitingReason | null> {
    // One at a time per merchant: two that are asked at once would each find room for one.
    await lockPolicy(tx, withdrawal);
    const verdict = await sqlOne<Verdict>(
      tx,
      `select policy.frozen_reason is not null as is_frozen,
              not coalesce(policy.allow_list_only, false) or exists (
                select from allowed_destination
                 where merchant_id = $1 and environment = $2 and destination_key = $3) as is_destination_allowed,
              policy.daily_count is null or policy.daily_count > (
                select count(*) from withdrawal
                 where merchant_id = $1 and environment = $2 and signed_at > now() - interval '24 hours')
                as is_within_count,
              limits.daily_amount is null or limits.daily_amount >= $5::numeric + (
                select coalesce(sum(amount), 0) from withdrawal
                 where pocket_id = $4 and signed_at > now() - interval '24 hours' and status <> 'failed')
                as is_within_amount
         from (values (1)) always (one)
         left join withdrawal_policy policy on policy.merchant_id = $1 and policy.environment = $2
         left join pocket_limit limits on limits.pocket_id = $4`,
      [
        withdrawal.merchantId,
        withdrawal.environment,
        withdrawal.destinationKey,
        withdrawal.pocketId,
        withdrawal.amount.toString(),
      ],
    );
    if (verdict.is_frozen) return 'merchant_frozen';
    if (!verdict.is_destination_allowed) return 'destination_not_allowed';
    return verdict.is_within_count && verdict.is_within_amount ? null : 'over_limit';
  }
}

/**
 * Locks the policy of a merchant, which is made without any limit when there is none: only a row that exists can hold up
 * the one who sets a limit while another signs, or two who sign at once. Joins the caller's transaction.
 * @throws DomainError not_found when there is no such merchant
 */
export async function lockPolicy(
  tx: Tx,
  { merchantId, environment }: Tenant,
): Promise<{ readonly frozenReason: string | null }> {
  const lock = (): Promise<{ frozen_reason: string | null }[]> =>
    sql(
      tx,
      `select frozen_reason from withdrawal_policy where merchant_id = $1 and environment = $2 for no key update`,
      [merchantId, environment],
    );
  let [policy] = await lock();
  if (policy === undefined) {
    await sql(
      tx,
      `insert into withdrawal_policy (merchant_id, environment) select id, $2 from merchant where id = $1
       on conflict do nothing`,
      [merchantId, environment],
    );
    [policy] = await lock();
  }
  if (policy === undefined) throw notFound('merchant');
  return { frozenReason: policy.frozen_reason };
}

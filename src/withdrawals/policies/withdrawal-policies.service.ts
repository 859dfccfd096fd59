import { Injectable } from '@nestjs/common';
import { notFound } from '../../domain/errors.js';
import type { Tenant } from '../../domain/tenant.js';
import type { WaitingReason } from '../../domain/withdrawal.js';
import { type Tx, sql, sqlOne } from '../../platform/database/database.js';
import type { Withdrawal } from '../withdrawal.entity.js';
import { IS_APPROVED, NEW_UNTIL } from './withdrawal-rules.sql.js';

interface Verdict {
  is_frozen: boolean;
  is_destination_allowed: boolean;
  is_within_count: boolean;
  is_within_amount: boolean;
  is_above_threshold: boolean;
  is_destination_new: boolean;
  is_approved: boolean;
}

/** What each rule says of the withdrawal $1. */
export const VERDICT_STATEMENT = `
  select policy.frozen_reason is not null as is_frozen,
         not coalesce(policy.allow_list_only, false) or exists (
           select from allowed_destination allowed
            where allowed.merchant_id = withdrawal.merchant_id and allowed.environment = withdrawal.environment
              and allowed.destination_key = withdrawal.destination_key) as is_destination_allowed,
         policy.daily_count is null or policy.daily_count > (
           select count(*) from withdrawal signed
            where signed.merchant_id = withdrawal.merchant_id and signed.environment = withdrawal.environment
              and signed.signed_at > now() - interval '24 hours') as is_within_count,
         limits.daily_amount is null or limits.daily_amount >= withdrawal.amount + (
           select coalesce(sum(signed.amount), 0) from withdrawal signed
            where signed.pocket_id = withdrawal.pocket_id and signed.signed_at > now() - interval '24 hours'
              and signed.status <> 'failed') as is_within_amount,
         coalesce(withdrawal.amount > threshold.amount, false) as is_above_threshold,
         coalesce(${NEW_UNTIL} > now(), false) as is_destination_new,
         ${IS_APPROVED} as is_approved
    from withdrawal
    left join withdrawal_policy policy
      on policy.merchant_id = withdrawal.merchant_id and policy.environment = withdrawal.environment
    left join pocket_limit limits on limits.pocket_id = withdrawal.pocket_id
    left join approval_threshold threshold on threshold.pocket_id = withdrawal.pocket_id
   where withdrawal.id = $1`;

/** Asks the rules that staff set before anything is signed. What breaks one waits, and is not refused: rules change. */
@Injectable()
export class WithdrawalPolicies {
  /** Why the withdrawal must wait, or null. Counts what was signed in the last 24 hours. */
  async verdict(tx: Tx, withdrawal: Withdrawal): Promise<WaitingReason | null> {
    // One at a time per merchant: two that are asked at once would each find room for one.
    await lockPolicy(tx, withdrawal);
    const verdict = await sqlOne<Verdict>(tx, VERDICT_STATEMENT, [withdrawal.id]);
    if (verdict.is_frozen) return 'merchant_frozen';
    if (!verdict.is_destination_allowed) return 'destination_not_allowed';
    if (!verdict.is_approved) {
      if (verdict.is_above_threshold) return 'approval_missing';
      if (verdict.is_destination_new) return 'new_destination';
    }
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

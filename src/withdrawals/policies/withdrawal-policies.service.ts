import { Injectable } from '@nestjs/common';
import { notFound } from '../../domain/errors.js';
import type { Tenant } from '../../domain/tenant.js';
import type { WaitingReason } from '../../domain/outgoing-payment.js';
import { type Tx, sql } from '../../platform/database/database.js';
import type { Withdrawal } from '../withdrawal.entity.js';
import { IS_APPROVED, NEW_UNTIL } from './withdrawal-rules.sql.js';

interface RuleRow {
  id: string;
  is_frozen: boolean;
  is_destination_allowed: boolean;
  /** Null = no limit. */
  count_left: number | null;
  /** Smallest units; null = no limit. */
  amount_left: string | null;
  is_above_threshold: boolean;
  is_destination_new: boolean;
  is_approved: boolean;
}

/** The state of each rule for the withdrawals $1, and how much of the daily limits is left for each of them alone. */
export const RULES_STATEMENT = `
  select withdrawal.id, policy.frozen_reason is not null as is_frozen,
         not coalesce(policy.allow_list_only, false) or exists (
           select from allowed_destination allowed
            where allowed.merchant_id = withdrawal.merchant_id and allowed.environment = withdrawal.environment
              and allowed.destination_key = withdrawal.destination_key) as is_destination_allowed,
         case when policy.daily_count is not null then policy.daily_count - (
           select count(*) from withdrawal signed
            where signed.merchant_id = withdrawal.merchant_id and signed.environment = withdrawal.environment
              and signed.signed_at > now() - interval '24 hours')::int end as count_left,
         case when limits.daily_amount is not null then limits.daily_amount - (
           select coalesce(sum(signed.amount), 0) from withdrawal signed
            where signed.pocket_id = withdrawal.pocket_id and signed.signed_at > now() - interval '24 hours'
              and signed.status <> 'failed') end as amount_left,
         coalesce(withdrawal.amount > threshold.amount, false) as is_above_threshold,
         coalesce(${NEW_UNTIL} > now(), false) as is_destination_new,
         ${IS_APPROVED} as is_approved
    from withdrawal
    left join withdrawal_policy policy
      on policy.merchant_id = withdrawal.merchant_id and policy.environment = withdrawal.environment
    left join pocket_limit limits on limits.pocket_id = withdrawal.pocket_id
    left join approval_threshold threshold on threshold.pocket_id = withdrawal.pocket_id
   where withdrawal.id = any($1)`;

/** The decisions of the rules on withdrawals that are signed together. */
class PolicyDecisions {
  /** Signed in this batch: the count by merchant, and the amount by pocket in smallest units. */
  private readonly signed = new Map<string, number>();
  private readonly spent = new Map<string, bigint>();

  constructor(
    private readonly asked: ReadonlyMap<string, { readonly withdrawal: Withdrawal; readonly rules: RuleRow }>,
  ) {}

  /** Returns why a withdrawal must wait, or null. Daily limits count the last 24 hours and the calls of `sign`. */
  decisionOn(id: string): WaitingReason | null {
    const { withdrawal, rules } = this.find(id);
    if (rules.is_frozen) return 'merchant_frozen';
    if (!rules.is_destination_allowed) return 'destination_not_allowed';
    if (!rules.is_approved) {
      if (rules.is_above_threshold) return 'approval_missing';
      if (rules.is_destination_new) return 'new_destination';
    }
    const { count_left: countLeft, amount_left: amountLeft } = rules;
    const signed = this.signed.get(withdrawal.merchantId) ?? 0;
    const spent = this.spent.get(withdrawal.pocketId) ?? 0n;
    const isWithinCount = countLeft === null || countLeft > signed;
    const isWithinAmount = amountLeft === null || BigInt(amountLeft) >= withdrawal.amount + spent;
    return isWithinCount && isWithinAmount ? null : 'over_limit';
  }

  /** Counts a withdrawal as signed. */
  sign(id: string): void {
    const { merchantId, pocketId, amount } = this.find(id).withdrawal;
    this.signed.set(merchantId, (this.signed.get(merchantId) ?? 0) + 1);
    this.spent.set(pocketId, (this.spent.get(pocketId) ?? 0n) + amount);
  }

  private find(id: string): { readonly withdrawal: Withdrawal; readonly rules: RuleRow } {
    const found = this.asked.get(id);
    if (found === undefined) throw new Error(`There is no decision on withdrawal ${id}.`);
    return found;
  }
}

/** Applies the rules of staff before anything is signed. A withdrawal that breaks one waits, because rules change. */
@Injectable()
export class WithdrawalPolicies {
  /** Returns the decisions on withdrawals of one environment. Locks their merchants' policies until the commit. */
  async decisions(tx: Tx, withdrawals: readonly Withdrawal[]): Promise<PolicyDecisions> {
    if (withdrawals.length === 0) return new PolicyDecisions(new Map());
    // One signer at a time per merchant: two at once could both use the last free place of a limit.
    await lockPolicies(tx, withdrawals);
    const ids = withdrawals.map(({ id }) => id);
    const rows = await sql<RuleRow>(tx, RULES_STATEMENT, [ids]);
    const rulesOf = new Map(rows.map((rules) => [rules.id, rules]));
    return new PolicyDecisions(
      new Map(
        withdrawals.flatMap((withdrawal) => {
          const rules = rulesOf.get(withdrawal.id);
          return rules === undefined ? [] : [[withdrawal.id, { withdrawal, rules }] as const];
        }),
      ),
    );
  }
}

/**
 * Locks the policy of a merchant. When there is none it creates one without limits, since only an existing row can be
 * locked against a concurrent change or signature. Joins the caller's transaction.
 * @throws DomainError not_found when there is no such merchant
 */
export async function lockPolicy(tx: Tx, tenant: Tenant): Promise<{ readonly frozenReason: string | null }> {
  const [policy] = await lockPolicies(tx, [tenant]);
  if (policy === undefined) throw notFound('merchant');
  return { frozenReason: policy.frozen_reason };
}

interface PolicyRow {
  merchant_id: string;
  frozen_reason: string | null;
}

/** Locks the policy of each merchant once, always in the same order, so that two signers never deadlock. */
async function lockPolicies(tx: Tx, tenants: readonly Tenant[]): Promise<readonly PolicyRow[]> {
  const keys = new Map(tenants.map((tenant) => [`${tenant.merchantId} ${tenant.environment}`, tenant]));
  const distinct = [...keys.values()];
  const parameters = [distinct.map(({ merchantId }) => merchantId), distinct.map(({ environment }) => environment)];
  const lock = (): Promise<PolicyRow[]> =>
    sql(
      tx,
      `select merchant_id, frozen_reason from withdrawal_policy
        where (merchant_id, environment) in (select * from unnest($1::text[], $2::text[]))
        order by merchant_id, environment for no key update`,
      parameters,
    );
  const locked = await lock();
  if (locked.length === distinct.length) return locked;
  await sql(
    tx,
    `insert into withdrawal_policy (merchant_id, environment)
     select merchant.id, asked.environment from unnest($1::text[], $2::text[]) as asked (merchant_id, environment)
       join merchant on merchant.id = asked.merchant_id order by 1, 2
     on conflict do nothing`,
    parameters,
  );
  return lock();
}

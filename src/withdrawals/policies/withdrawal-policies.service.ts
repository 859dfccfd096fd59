import { Injectable } from '@nestjs/common';
import { notFound } from '../../domain/errors.js';
import type { Tenant } from '../../domain/tenant.js';
import type { WaitingReason } from '../../domain/outgoing-payment.js';
import { rows, type Tx } from '../../platform/database/database.js';
import type { RowOf } from '../../platform/sql/sql.js';
import type { Withdrawal } from '../withdrawal.entity.js';
import { insertPolicies, lockPoliciesOf } from './withdrawal-policies.sql.js';
import { rulesOf } from './withdrawal-rules.sql.js';

type Rules = RowOf<typeof rulesOf>;

/** The decisions of the rules on withdrawals that are signed together. */
class PolicyDecisions {
  /** Signed in this batch: the count by merchant, and the amount by pocket in smallest units. */
  private readonly signed = new Map<string, number>();
  private readonly spent = new Map<string, bigint>();

  constructor(
    private readonly asked: ReadonlyMap<string, { readonly withdrawal: Withdrawal; readonly rules: Rules }>,
  ) {}

  /** Returns why a withdrawal must wait, or null. Daily limits count the last 24 hours and the calls of `sign`. */
  decisionOn(id: string): WaitingReason | null {
    const { withdrawal, rules } = this.find(id);
    if (rules.isFrozen) return 'merchant_frozen';
    if (!rules.isDestinationAllowed) return 'destination_not_allowed';
    if (!rules.isApproved) {
      if (rules.isAboveThreshold) return 'approval_missing';
      if (rules.isDestinationNew) return 'new_destination';
    }
    const { countLeft, amountLeft } = rules;
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

  private find(id: string): { readonly withdrawal: Withdrawal; readonly rules: Rules } {
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
    const found = new Map((await rows(tx, rulesOf(ids))).map((rules) => [rules.id, rules]));
    return new PolicyDecisions(
      new Map(
        withdrawals.flatMap((withdrawal) => {
          const rules = found.get(withdrawal.id);
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
export async function lockPolicy(tx: Tx, tenant: Tenant): Promise<PolicyRow> {
  const [policy] = await lockPolicies(tx, [tenant]);
  if (policy === undefined) throw notFound('merchant');
  return policy;
}

type PolicyRow = RowOf<typeof lockPoliciesOf>;

/** Locks the policy of each merchant once. */
async function lockPolicies(tx: Tx, tenants: readonly Tenant[]): Promise<readonly PolicyRow[]> {
  const keys = new Map(tenants.map((tenant) => [`${tenant.merchantId} ${tenant.environment}`, tenant]));
  const distinct = [...keys.values()];
  const locked = await rows(tx, lockPoliciesOf(distinct));
  if (locked.length === distinct.length) return locked;
  await rows(tx, insertPolicies(distinct));
  return rows(tx, lockPoliciesOf(distinct));
}

import { Injectable } from '@nestjs/common';
import { shownAddress } from '../../domain/address-form.js';
import { invalidParam, notFound } from '../../domain/errors.js';
import { formatUnits, minorToUnits } from '../../domain/money.js';
import type { Environment } from '../../domain/network.js';
import type { Tenant } from '../../domain/tenant.js';
import type { AuditedState } from '../../platform/audit-entry.entity.js';
import { type Author, by, recordAction } from '../../platform/audit-trail.js';
import { Pocket } from '../../ledger/pocket.entity.js';
import { Database, row, rows, type Tx } from '../../platform/database/database.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { destinationOnAnyNetwork } from '../../treasury/transactions/payable-destination.js';
import { subjectOf } from '../payouts/signing-freeze.service.js';
import { AllowedDestination } from './allowed-destination.entity.js';
import { ApprovalThreshold } from './approval-threshold.entity.js';
import {
  addDestination,
  findPolicy,
  pocketRules,
  removeDestination,
  setApprovalThreshold,
  setPocketLimit,
} from './policy-operations.sql.js';
import { PocketLimit } from './pocket-limit.entity.js';
import { lockPolicy } from './withdrawal-policies.service.js';
import { changePolicy } from './withdrawal-policies.sql.js';
import { WithdrawalPolicy } from './withdrawal-policy.entity.js';

/** A change of a merchant's withdrawal rules. Absent fields keep their values. */
export interface PolicyChange {
  /** Withdrawals signed within 24 hours; null = no limit. */
  readonly dailyCount?: number | null;
  readonly allowListOnly?: boolean;
  /** Hours for which a destination counts as new, and nothing is signed for it; null = none. */
  readonly newDestinationHours?: number | null;
}

/** The rules of one merchant in one environment. */
export interface PolicyView extends Omit<RowOf<typeof findPolicy>, 'allowListOnly'> {
  readonly allowListOnly: boolean;
  /** With their checksums. */
  readonly allowed: readonly string[];
  readonly pockets: readonly PocketRules[];
}

/** The rules of one pocket that has any; amounts are whole tokens, decimal, null without such a rule. */
export interface PocketRules extends Pick<RowOf<typeof pocketRules>, 'network' | 'token'> {
  readonly pocketId: string;
  /** Within 24 hours. */
  readonly daily: string | null;
  /** The most that one withdrawal may pay without an approval. */
  readonly unapproved: string | null;
}

/** A rule about amounts, named by its table. */
export type PocketRule = 'pocket_limit' | 'approval_threshold';

const POCKET_RULES = {
  pocket_limit: {
    set: setPocketLimit,
    remove: (tx: Tx, pocketId: string) => tx.nativeDelete(PocketLimit, { pocketId }),
    detail: 'daily',
    stored: 'daily',
  },
  approval_threshold: {
    set: setApprovalThreshold,
    remove: (tx: Tx, pocketId: string) => tx.nativeDelete(ApprovalThreshold, { pocketId }),
    detail: 'above',
    stored: 'unapproved',
  },
} as const satisfies Readonly<Record<PocketRule, object>>;

/** Reads and changes the rules that the vault checks before it signs. Every change is audited and applies once it commits. */
@Injectable()
export class PolicyOperations {
  constructor(private readonly database: Database) {}

  /** @throws DomainError not_found when there is no such merchant */
  async show(tenant: Tenant): Promise<PolicyView> {
    const { merchantId, environment } = tenant;
    const em = this.database.em();
    const [policy] = await rows(em, findPolicy(tenant));
    if (policy === undefined) throw notFound('merchant');
    const allowed = await em.find(
      AllowedDestination,
      { merchantId, environment },
      { orderBy: { destinationKey: 'asc' } },
    );
    return {
      ...policy,
      allowListOnly: policy.allowListOnly ?? false,
      allowed: allowed.map(({ destinationKey }) => shownAddress(destinationKey)),
      pockets: await this.pockets(tenant),
    };
  }

  /** Returns those of the merchants whose withdrawals are frozen in an environment. */
  async frozenAmong(environment: Environment, merchantIds: readonly string[]): Promise<ReadonlySet<string>> {
    const frozen = await this.database
      .em()
      .find(WithdrawalPolicy, { environment, merchantId: { $in: [...merchantIds] }, frozenReason: { $ne: null } });
    return new Set(frozen.map(({ merchantId }) => merchantId));
  }

  /** @throws DomainError not_found when there is no such merchant */
  async set(tx: Tx, tenant: Tenant, change: PolicyChange, author: Author, reason: string | null = null): Promise<void> {
    const { dailyCount, allowListOnly, newDestinationHours } = change;
    await lockPolicy(tx, tenant);
    const before = ruleTexts(change, await row(tx, findPolicy(tenant)));
    await rows(tx, changePolicy(tenant, { dailyCount, allowListOnly, newDestinationHours }));
    const after = ruleTexts(change, change);
    await recordAction(tx, { ...by(author), action: 'policy.set', subject: subjectOf(tenant), reason, before, after });
  }

  /** Adds an address to the allow-list, or removes it. Returns false when nothing changed. @throws DomainError */
  async allow(
    tx: Tx,
    tenant: Tenant,
    { address, isAllowed }: { readonly address: string; readonly isAllowed: boolean },
    author: Author,
    reason: string | null = null,
  ): Promise<boolean> {
    const destination = destinationOnAnyNetwork(address);
    if ('refusal' in destination) throw invalidParam('address', `${address} cannot be paid. ${destination.refusal}`);
    await lockPolicy(tx, tenant);
    const { merchantId, environment } = tenant;
    const entry = { merchantId, environment, destinationKey: destination.key };
    const changed = await rows(tx, isAllowed ? addDestination(entry) : removeDestination(entry));
    if (changed.length === 0) return false;
    await recordAction(tx, {
      ...by(author),
      action: isAllowed ? 'policy.allow' : 'policy.disallow',
      subject: subjectOf(tenant),
      reason,
      details: { address: destination.shown },
    });
    return true;
  }

  /**
   * Sets a limit of a pocket, in minor units of its token: the most that may leave it within 24 hours (`pocket_limit`), or
   * the most that one withdrawal may pay without an approval (`approval_threshold`). Null removes the rule. Returns the
   * amount in words.
   * @throws DomainError not_found, invalid_request when the token cannot express the amount
   */
  async setPocket(
    tx: Tx,
    rule: PocketRule,
    { pocketId, minorUnits }: { readonly pocketId: string; readonly minorUnits: bigint | null },
    author: Author,
  ): Promise<string> {
    const { token, tokenDecimals: decimals, minorUnitExponent } = await lockPolicyOf(tx, pocketId);
    const units = minorUnits === null ? null : minorToUnits(minorUnits, decimals, minorUnitExponent);
    if (minorUnits !== null && units === null)
      throw invalidParam('amount', `The amount has more decimals than ${token}.`);
    return this.setUnits(tx, rule, { pocketId, units }, author);
  }

  /** The same in smallest units. @throws DomainError not_found */
  async setUnits(
    tx: Tx,
    rule: PocketRule,
    { pocketId, units }: { readonly pocketId: string; readonly units: bigint | null },
    author: Author,
    reason: string | null = null,
  ): Promise<string> {
    const { set, remove, detail, stored } = POCKET_RULES[rule];
    const pocket = await lockPolicyOf(tx, pocketId);
    const { token, tokenDecimals: decimals } = pocket;
    const now = (await rows(tx, pocketRules(pocket))).find(({ id }) => id === pocketId)?.[stored] ?? null;
    if (units === null) await remove(tx, pocketId);
    else await rows(tx, set(pocketId, units));
    const textOf = (limit: bigint | null): string =>
      limit === null ? 'off' : `${formatUnits(limit, decimals)} ${token}`;
    const before = { [detail]: textOf(now === null ? null : BigInt(now)) };
    const after = { [detail]: textOf(units) };
    await recordAction(tx, { ...by(author), action: `policy.${rule}`, subject: pocketId, reason, before, after });
    return textOf(units);
  }

  private async pockets(tenant: Tenant): Promise<PocketRules[]> {
    const found = await this.database.rows(pocketRules(tenant));
    return found.map(({ id, network, token, tokenDecimals: decimals, daily, unapproved }) => ({
      pocketId: id,
      network,
      token,
      daily: daily === null ? null : formatUnits(BigInt(daily), decimals),
      unapproved: unapproved === null ? null : formatUnits(BigInt(unapproved), decimals),
    }));
  }
}

/** Returns the rules that a change names, as the audit shows them. */
function ruleTexts(
  named: PolicyChange,
  {
    dailyCount,
    allowListOnly,
    newDestinationHours,
  }: { readonly [Rule in keyof PolicyChange]?: PolicyChange[Rule] | null },
): NonNullable<AuditedState> {
  return {
    ...(named.dailyCount !== undefined && { daily_count: String(dailyCount ?? 'off') }),
    ...(named.allowListOnly !== undefined && { allow_list_only: allowListOnly === true ? 'on' : 'off' }),
    ...(named.newDestinationHours !== undefined && { new_destination_hours: String(newDestinationHours ?? 'off') }),
  };
}

/** Returns the pocket and locks its merchant's policy, so that no withdrawal is signed meanwhile. */
async function lockPolicyOf(tx: Tx, pocketId: string): Promise<Pocket> {
  const pocket = await tx.findOne(Pocket, { id: pocketId });
  if (pocket === null) throw notFound('pocket');
  await lockPolicy(tx, pocket);
  return pocket;
}

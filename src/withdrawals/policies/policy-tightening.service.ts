import { Injectable } from '@nestjs/common';
import { DomainError, invalidParam, notFound } from '../../domain/errors.js';
import { formatUnits, parseUnits } from '../../domain/money.js';
import type { Tenant } from '../../domain/tenant.js';
import { Pocket } from '../../ledger/pocket.entity.js';
import type { Author } from '../../platform/audit-trail.js';
import { row, rows, type Tx } from '../../platform/database/database.js';
import { findPolicy, pocketRules } from './policy-operations.sql.js';
import { type PocketRule, PolicyOperations } from './policy-operations.service.js';
import { lockPolicy } from './withdrawal-policies.service.js';

/** Rules to tighten. Absent fields keep their values. */
export interface Tightening {
  readonly dailyCount?: number | undefined;
  readonly allowListOnly?: true | undefined;
  readonly newDestinationHours?: number | undefined;
}

/** Limits of a pocket to tighten, in whole tokens, decimal. Absent fields keep their values. */
export interface PocketTightening {
  readonly pocketId: string;
  /** The most that may leave it within 24 hours. */
  readonly daily?: string | undefined;
  /** The most that one withdrawal may pay without an approval. */
  readonly unapproved?: string | undefined;
}

/** Who tightens, and why. */
export interface TighteningOrder {
  readonly author: Author;
  readonly reason: string;
}

/**
 * Changes a merchant's rules so that they allow less: what staff may do without an administrator. The policy is locked before
 * it is compared, so that nothing that is decided meanwhile makes a loosening of it.
 */
@Injectable()
export class PolicyTightening {
  constructor(private readonly policies: PolicyOperations) {}

  /** @throws DomainError `not_found`; `invalid_state_transition` for a value that does not allow less; `invalid_request` for none */
  async tighten(tx: Tx, tenant: Tenant, change: Tightening, { author, reason }: TighteningOrder): Promise<void> {
    await lockPolicy(tx, tenant);
    const now = await row(tx, findPolicy(tenant));
    const { dailyCount, allowListOnly, newDestinationHours } = change;
    if (dailyCount === undefined && allowListOnly === undefined && newDestinationHours === undefined) {
      throw invalidParam('daily_count', 'Name at least one rule to tighten.');
    }
    if (dailyCount !== undefined && now.dailyCount !== null && dailyCount >= now.dailyCount) {
      throw notTighter(`${now.dailyCount} withdrawals in 24 hours are allowed now; ${dailyCount} is not fewer`);
    }
    if (allowListOnly !== undefined && now.allowListOnly === true) {
      throw notTighter('Only destinations on the allow-list are paid already');
    }
    if (newDestinationHours !== undefined && newDestinationHours <= (now.newDestinationHours ?? 0)) {
      throw notTighter(`New destinations wait for ${now.newDestinationHours ?? 0} hours now; more are needed`);
    }
    const tighter = {
      ...(dailyCount !== undefined && { dailyCount }),
      ...(allowListOnly !== undefined && { allowListOnly }),
      ...(newDestinationHours !== undefined && { newDestinationHours }),
    };
    await this.policies.set(tx, tenant, tighter, author, reason);
  }

  /** Removes an address from the allow-list. @throws DomainError `invalid_request`; `invalid_state_transition` if it is not there */
  async disallow(tx: Tx, tenant: Tenant, address: string, { author, reason }: TighteningOrder): Promise<void> {
    const isChanged = await this.policies.allow(tx, tenant, { address, isAllowed: false }, author, reason);
    if (!isChanged) throw notTighter('The address is not on the allow-list');
  }

  /** @throws DomainError as `tighten` */
  async tightenPocket(
    tx: Tx,
    tenant: Tenant,
    { pocketId, daily, unapproved }: PocketTightening,
    { author, reason }: TighteningOrder,
  ): Promise<void> {
    const { merchantId, environment } = tenant;
    const pocket = await tx.findOne(Pocket, { id: pocketId, merchantId, environment });
    if (pocket === null) throw notFound('pocket');
    await lockPolicy(tx, tenant);
    const rules = (await rows(tx, pocketRules(tenant))).find(({ id }) => id === pocketId);
    const wanted: readonly (readonly [PocketRule, string | undefined, string | null | undefined, string])[] = [
      ['pocket_limit', daily, rules?.daily, 'daily_amount'],
      ['approval_threshold', unapproved, rules?.unapproved, 'unapproved_amount'],
    ];
    if (wanted.every(([, amount]) => amount === undefined)) {
      throw invalidParam('daily_amount', 'Name at least one limit to tighten.');
    }
    for (const [rule, amount, now, param] of wanted) {
      if (amount === undefined) continue;
      const units = unitsOf(pocket, amount, param);
      if (now !== undefined && now !== null && units >= BigInt(now)) {
        const shown = formatUnits(BigInt(now), pocket.tokenDecimals);
        throw notTighter(`The limit is ${shown} ${pocket.token} now; ${amount} is not less`);
      }
      await this.policies.setUnits(tx, rule, { pocketId, units }, author, reason);
    }
  }
}

function unitsOf({ token, tokenDecimals: decimals }: Pocket, amount: string, param: string): bigint {
  const units = parseUnits(amount, decimals);
  if (units === null)
    throw invalidParam(param, `${param} must be a decimal amount with at most ${decimals} places of ${token}.`);
  return units;
}

const notTighter = (what: string): DomainError =>
  new DomainError(
    'invalid_state_transition',
    `${what}. The console only tightens rules. To loosen them, an operator runs npx coffer policy.`,
  );

import { Injectable } from '@nestjs/common';
import { checksumEvmAddress, parseEvmAddress } from '../../domain/evm-address.js';
import { invalidParam, notFound } from '../../domain/errors.js';
import { formatUnits, minorToUnits } from '../../domain/money.js';
import type { Tenant } from '../../domain/tenant.js';
import { recordAction } from '../../platform/audit-trail.js';
import { Database, type Tx, sql, sqlOne } from '../../platform/database/database.js';
import { subjectOf } from '../payouts/signing-freeze.service.js';
import { lockPolicy } from './withdrawal-policies.service.js';

/** A change of a merchant's withdrawal rules. Absent fields keep their values. */
export interface PolicyChange {
  /** Withdrawals signed within 24 hours; null = no limit. */
  readonly dailyCount?: number | null;
  readonly allowListOnly?: boolean;
  /** Hours for which a destination counts as new, and nothing is signed for it; null = none. */
  readonly newDestinationHours?: number | null;
}

/** The rules of one merchant in one environment. */
export interface PolicyView {
  readonly frozenReason: string | null;
  readonly dailyCount: number | null;
  readonly allowListOnly: boolean;
  readonly newDestinationHours: number | null;
  /** Signed within the last 24 hours. */
  readonly signedToday: number;
  /** With their checksums. */
  readonly allowed: readonly string[];
  readonly pockets: readonly PocketRules[];
}

/** The rules of one pocket that has any; amounts are whole tokens, decimal, null without such a rule. */
export interface PocketRules {
  readonly pocketId: string;
  readonly network: string;
  readonly token: string;
  /** Within 24 hours. */
  readonly daily: string | null;
  /** The most that one withdrawal may pay without an approval. */
  readonly unapproved: string | null;
}

/** A rule about amounts, named by its table. */
type PocketRule = 'pocket_limit' | 'approval_threshold';

const POCKET_RULES = {
  pocket_limit: { column: 'daily_amount', detail: 'daily' },
  approval_threshold: { column: 'amount', detail: 'above' },
} as const satisfies Readonly<Record<PocketRule, object>>;

/** Reads and changes the rules that the vault checks before it signs. Every change is audited and applies once it commits. */
@Injectable()
export class PolicyOperations {
  constructor(private readonly database: Database) {}

  /** @throws DomainError not_found when there is no such merchant */
  async show(tenant: Tenant): Promise<PolicyView> {
    const key = [tenant.merchantId, tenant.environment];
    const em = this.database.em();
    const found = await sql(em, `select from merchant where id = $1`, [tenant.merchantId]);
    if (found.length === 0) throw notFound('merchant');
    const policy = await sqlOne<{
      frozen_reason: string | null;
      daily_count: number | null;
      allow_list_only: boolean | null;
      new_destination_hours: number | null;
      signed: number;
    }>(
      em,
      `select policy.frozen_reason, policy.daily_count, policy.allow_list_only, policy.new_destination_hours,
              (select count(*)::int from withdrawal where merchant_id = $1 and environment = $2
                  and signed_at > now() - interval '24 hours') as signed
         from (values (1)) always (one)
         left join withdrawal_policy policy on policy.merchant_id = $1 and policy.environment = $2`,
      key,
    );
    const allowed = await sql<{ destination_key: string }>(
      em,
      `select destination_key from allowed_destination where merchant_id = $1 and environment = $2 order by 1`,
      key,
    );
    return {
      frozenReason: policy.frozen_reason,
      dailyCount: policy.daily_count,
      allowListOnly: policy.allow_list_only ?? false,
      newDestinationHours: policy.new_destination_hours,
      signedToday: policy.signed,
      allowed: allowed.map((row) => checksumEvmAddress(row.destination_key)),
      pockets: await this.pockets(tenant),
    };
  }

  /** @throws DomainError not_found when there is no such merchant */
  async set(tx: Tx, tenant: Tenant, change: PolicyChange, actor: string): Promise<void> {
    const { dailyCount, allowListOnly, newDestinationHours } = change;
    await lockPolicy(tx, tenant);
    await sql(
      tx,
      `update withdrawal_policy
          set daily_count = case when $3 then $4 else daily_count end,
              allow_list_only = coalesce($5, allow_list_only),
              new_destination_hours = case when $6 then $7 else new_destination_hours end, updated_at = now()
        where merchant_id = $1 and environment = $2`,
      [
        tenant.merchantId,
        tenant.environment,
        dailyCount !== undefined,
        dailyCount ?? null,
        allowListOnly ?? null,
        newDestinationHours !== undefined,
        newDestinationHours ?? null,
      ],
    );
    const details = {
      ...(dailyCount !== undefined && { daily_count: String(dailyCount ?? 'off') }),
      ...(allowListOnly !== undefined && { allow_list_only: allowListOnly ? 'on' : 'off' }),
      ...(newDestinationHours !== undefined && { new_destination_hours: String(newDestinationHours ?? 'off') }),
    };
    await recordAction(tx, { actor, action: 'policy.set', subject: subjectOf(tenant), reason: null, details });
  }

  /** Adds an address to the allow-list, or removes it. Returns false when nothing changed. @throws DomainError */
  async allow(
    tx: Tx,
    tenant: Tenant,
    { address, isAllowed }: { readonly address: string; readonly isAllowed: boolean },
    actor: string,
  ): Promise<boolean> {
    const destination = parseEvmAddress(address);
    if (destination === null) throw invalidParam('address', `${address} is not an address with a valid checksum.`);
    await lockPolicy(tx, tenant);
    const changed = await sql(
      tx,
      isAllowed
        ? `insert into allowed_destination (merchant_id, environment, destination_key) values ($1, $2, $3)
           on conflict do nothing returning destination_key`
        : `delete from allowed_destination where merchant_id = $1 and environment = $2 and destination_key = $3
           returning destination_key`,
      [tenant.merchantId, tenant.environment, destination.lower],
    );
    if (changed.length === 0) return false;
    await recordAction(tx, {
      actor,
      action: isAllowed ? 'policy.allow' : 'policy.disallow',
      subject: subjectOf(tenant),
      reason: null,
      details: { address: destination.checksummed },
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
    actor: string,
  ): Promise<string> {
    const { column, detail } = POCKET_RULES[rule];
    const pocket = await lockPolicyOf(tx, pocketId);
    const { token, token_decimals: decimals, minor_unit_exponent: exponent } = pocket;
    const units = minorUnits === null ? null : minorToUnits(minorUnits, decimals, exponent);
    if (minorUnits !== null && units === null)
      throw invalidParam('amount', `The amount has more decimals than ${token}.`);
    if (units === null) await sql(tx, `delete from ${rule} where pocket_id = $1`, [pocketId]);
    else {
      await sql(
        tx,
        `insert into ${rule} (pocket_id, ${column}) values ($1, $2)
         on conflict (pocket_id) do update set ${column} = excluded.${column}, updated_at = now()`,
        [pocketId, units.toString()],
      );
    }
    const amount = units === null ? 'off' : `${formatUnits(units, decimals)} ${token}`;
    const details = { [detail]: amount };
    await recordAction(tx, { actor, action: `policy.${rule}`, subject: pocketId, reason: null, details });
    return amount;
  }

  private async pockets({ merchantId, environment }: Tenant): Promise<PocketRules[]> {
    const rows = await this.database.query<{
      id: string;
      network: string;
      token: string;
      token_decimals: number;
      daily: string | null;
      unapproved: string | null;
    }>(
      `select pocket.id, network, token, token_decimals, limits.daily_amount as daily, threshold.amount as unapproved
         from pocket
         left join pocket_limit limits on limits.pocket_id = pocket.id
         left join approval_threshold threshold on threshold.pocket_id = pocket.id
        where merchant_id = $1 and environment = $2 and coalesce(limits.pocket_id, threshold.pocket_id) is not null
        order by network, token`,
      [merchantId, environment],
    );
    return rows.map(({ id, network, token, token_decimals: decimals, daily, unapproved }) => ({
      pocketId: id,
      network,
      token,
      daily: daily === null ? null : formatUnits(BigInt(daily), decimals),
      unapproved: unapproved === null ? null : formatUnits(BigInt(unapproved), decimals),
    }));
  }
}

interface PocketRow {
  merchant_id: string;
  environment: Tenant['environment'];
  token: string;
  token_decimals: number;
  minor_unit_exponent: number;
}

/** Returns the pocket and locks its merchant's policy, so that no withdrawal is signed meanwhile. */
async function lockPolicyOf(tx: Tx, pocketId: string): Promise<PocketRow> {
  const [pocket] = await sql<PocketRow>(
    tx,
    `select merchant_id, environment, token, token_decimals, minor_unit_exponent from pocket where id = $1`,
    [pocketId],
  );
  if (pocket === undefined) throw notFound('pocket');
  await lockPolicy(tx, { merchantId: pocket.merchant_id, environment: pocket.environment });
  return pocket;
}

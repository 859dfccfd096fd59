import type { KeyOfMerchant } from '../../auth/key-operations.service.js';
import type { ListedMerchant } from '../../auth/merchant-operations.service.js';
import { API_KEY_PREFIX } from '../../domain/api-key.js';
import type { Tenant } from '../../domain/tenant.js';
import type { PolicyView } from '../../withdrawals/policies/policy-operations.service.js';
import type { KeyObject, MerchantObject } from './merchants.schema.js';
import type { PolicyObject } from './policies.schema.js';

const timeOf = (text: string): string => new Date(text).toISOString();
const timeOrNull = (text: string | null): string | null => (text === null ? null : timeOf(text));

/** A merchant as staff see it. */
export const presentMerchant = (merchant: ListedMerchant, isFrozen: boolean): MerchantObject => ({
  id: merchant.id,
  object: 'merchant',
  name: merchant.name,
  verified_at: timeOrNull(merchant.liveVerifiedAt),
  tolerance_bps: merchant.underpaymentToleranceBps,
  working_keys: merchant.workingKeys,
  key_last_used_at: timeOrNull(merchant.lastUsedAt),
  signing_frozen: isFrozen,
  created_at: timeOf(merchant.createdAt),
});

/** A key without its secret, which is not stored. */
export const presentKey = ({ merchantId, environment }: Tenant, key: KeyOfMerchant): KeyObject => ({
  id: key.id,
  object: 'api_key',
  merchant_id: merchantId,
  name: key.name,
  shown_key: `${API_KEY_PREFIX[environment]}…${key.last4}`,
  scopes: [...key.scopes],
  status: key.isWorking ? 'active' : key.revokedAt === null ? 'expired' : 'revoked',
  created_at: timeOf(key.createdAt),
  last_used_at: timeOrNull(key.lastUsedAt),
  expires_at: timeOrNull(key.expiresAt),
  revoked_at: timeOrNull(key.revokedAt),
});

/** The rules of a merchant. */
export const presentPolicy = ({ merchantId, environment }: Tenant, policy: PolicyView): PolicyObject => ({
  object: 'withdrawal_policy',
  merchant_id: merchantId,
  environment,
  frozen_reason: policy.frozenReason,
  daily_count: policy.dailyCount,
  signed_today: policy.signedToday,
  allow_list_only: policy.allowListOnly,
  new_destination_hours: policy.newDestinationHours,
  allowed: [...policy.allowed],
  pockets: policy.pockets.map(({ pocketId, network, token, daily, unapproved }) => ({
    pocket_id: pocketId,
    network,
    token,
    daily_amount: daily,
    unapproved_amount: unapproved,
  })),
});

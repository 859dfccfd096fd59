import type { KeyObject, MerchantObject } from './merchants.schema.js';
import type { PolicyObject } from './policies.schema.js';

export const merchantExample: MerchantObject = {
  id: 'mer_01jqzk8v6m3n5p7r9t1w2x4y6z',
  object: 'merchant',
  name: 'Acme GmbH',
  verified_at: '2026-01-02T09:00:00.000Z',
  tolerance_bps: 50,
  working_keys: 2,
  key_last_used_at: '2026-01-31T12:00:00.000Z',
  signing_frozen: false,
  created_at: '2026-01-01T12:00:00.000Z',
};

export const keyExample: KeyObject = {
  id: 'key_01jqzk8v6m3n5p7r9t1w2x4y6z',
  object: 'api_key',
  merchant_id: merchantExample.id,
  name: 'Shop',
  shown_key: 'sk_sb_…4f7q',
  scopes: ['read', 'payments:write'],
  status: 'active',
  created_at: '2026-01-01T12:00:00.000Z',
  last_used_at: '2026-01-31T12:00:00.000Z',
  expires_at: null,
  revoked_at: null,
};

export const policyExample: PolicyObject = {
  object: 'withdrawal_policy',
  merchant_id: merchantExample.id,
  environment: 'sandbox',
  frozen_reason: null,
  daily_count: 20,
  signed_today: 3,
  allow_list_only: true,
  new_destination_hours: null,
  allowed: ['0x52908400098527886E0F7030069857D2E4169EE7'],
  pockets: [
    {
      pocket_id: 'pkt_01jqzk8v6m3n5p7r9t1w2x4y6z',
      network: 'polygon',
      token: 'USDC',
      daily_amount: '5000',
      unapproved_amount: null,
    },
  ],
};

import { z } from 'zod';
import { TOLERANCE_BPS_MAX } from '../../auth/merchants.service.js';
import { SCOPES } from '../../auth/scopes.js';
import { LIST_QUERY, listPageSchema } from '../../http/pagination.js';
import { bodyOf, queryOf, safeText, timestampText } from '../../http/request-schema.js';
import { timestamp } from '../deliveries/deliveries.schema.js';

/** Why, in every body of an action. */
export const reasonText = () => safeText({ min: 1, max: 500 }).meta({ description: 'Why, for the audit log.' });

export const listMerchantsQuery = queryOf({
  ...LIST_QUERY,
  name: safeText({ min: 1, max: 255 }).optional().meta({ description: 'The whole name, in any letter case.' }),
  verified: z.boolean().optional().meta({ description: 'Only those that may have live keys, or only the others.' }),
});
export type ListMerchantsQuery = z.infer<typeof listMerchantsQuery>;

export const merchantSchema = z
  .object({
    id: z.string(),
    object: z.literal('merchant'),
    name: z.string(),
    verified_at: timestamp.nullable().meta({ description: 'Since then it may have live keys; null when it may not.' }),
    tolerance_bps: z
      .int()
      .meta({ description: 'By how much of its amount an intent may be underpaid, in basis points: 50 are 0.5 %.' }),
    working_keys: z.int().meta({ description: 'Its keys in this environment that work.' }),
    key_last_used_at: timestamp.nullable().meta({ description: 'The last use of any of its keys here.' }),
    signing_frozen: z.boolean().meta({ description: 'Whether its withdrawals in this environment are not signed.' }),
    created_at: timestamp,
  })
  .meta({ id: 'Merchant' });
export type MerchantObject = z.infer<typeof merchantSchema>;
export const merchantListSchema = listPageSchema(merchantSchema, 'MerchantList');

export const newMerchantBody = bodyOf({
  name: safeText({ min: 1, max: 255 }).meta({ description: 'Its name, as staff and payers see it.' }),
  reason: reasonText(),
}).meta({ id: 'NewMerchant' });
export type NewMerchantBody = z.infer<typeof newMerchantBody>;

export const verifyMerchantBody = bodyOf({ reason: reasonText() }).meta({ id: 'VerifyMerchant' });
export type VerifyMerchantBody = z.infer<typeof verifyMerchantBody>;

export const toleranceBody = bodyOf({
  tolerance_bps: z
    .int()
    .min(0)
    .max(TOLERANCE_BPS_MAX)
    .meta({ description: 'For intents that are created from now on.' }),
  reason: reasonText(),
}).meta({ id: 'MerchantTolerance' });
export type ToleranceBody = z.infer<typeof toleranceBody>;

export const listKeysQuery = queryOf(LIST_QUERY);
export type ListKeysQuery = z.infer<typeof listKeysQuery>;

const scopes = z.array(z.enum(SCOPES));
const keyFields = {
  id: z.string(),
  object: z.literal('api_key'),
  merchant_id: z.string(),
  name: z.string().nullable(),
  shown_key: z.string().meta({ description: 'Its prefix and its last four characters.' }),
  scopes,
  status: z.enum(['active', 'expired', 'revoked']),
  created_at: timestamp,
  last_used_at: timestamp.nullable().meta({ description: 'To the minute.' }),
  expires_at: timestamp.nullable(),
  revoked_at: timestamp.nullable(),
};
const keySchema = z.object(keyFields).meta({ id: 'ApiKey' });
export type KeyObject = z.infer<typeof keySchema>;
export const keyListSchema = listPageSchema(keySchema, 'ApiKeyList');

export const newKeyBody = bodyOf({
  name: safeText({ min: 1, max: 100 }).optional().meta({ description: 'What it is for.' }),
  scopes: scopes.min(1).meta({ description: 'Never `withdrawals:write` in live.' }),
  expires_at: timestampText().optional().meta({ description: 'When it stops working; without it, never.' }),
  reason: reasonText(),
}).meta({ id: 'NewApiKey' });
export type NewKeyBody = z.infer<typeof newKeyBody>;

export const createdKeySchema = z
  .object({
    object: z.literal('created_api_key'),
    id: z.string(),
    merchant_id: z.string(),
    scopes,
    key: z.string().meta({ description: 'Shown here only. Hand it to the merchant over a safe way.' }),
  })
  .meta({ id: 'CreatedApiKey' });
export type CreatedKey = z.infer<typeof createdKeySchema>;

export const revokeKeyBody = bodyOf({ reason: reasonText() }).meta({ id: 'RevokeApiKey' });
export type RevokeKeyBody = z.infer<typeof revokeKeyBody>;

export const revokedKeySchema = z
  .object({ object: z.literal('api_key'), id: z.string(), revoked: z.literal(true) })
  .meta({ id: 'RevokedApiKey' });
export type RevokedKey = z.infer<typeof revokedKeySchema>;

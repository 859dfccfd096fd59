import { z } from 'zod';
import { ApiKey } from '../../auth/api-key.entity.js';
import type { ApiKeysService } from '../../auth/api-keys.service.js';
import type { MerchantsService } from '../../auth/merchants.service.js';
import { hashApiKey } from '../../domain/api-key.js';
import { readSecretFile } from '../../platform/data-dir.js';
import type { Database } from '../../platform/database/database.js';
import { dataFilesOf } from './data-files.js';

/** The merchant and the key that a first run creates, so that the first request needs no setup. */
export interface SandboxAccount {
  readonly merchantId: string;
  readonly apiKey: string;
  /** True when this start created the key. */
  readonly isNew: boolean;
}

const remembered = z.object({ api_key: z.string(), merchant_id: z.string() });

/** Returns the account of `sandbox.json` if its key is valid, else a new one. */
export async function ensureSandboxAccount(
  dataDir: string,
  database: Database,
  merchants: MerchantsService,
  keys: ApiKeysService,
): Promise<SandboxAccount> {
  const known = await rememberedAccount(dataDir, database);
  if (known !== null) return known;
  return database.transaction(async (tx) => {
    const merchant = await merchants.createMerchant(tx, { name: 'Sandbox merchant' });
    const { key } = await keys.createKey(tx, { merchantId: merchant.id, environment: 'sandbox' });
    return { merchantId: merchant.id, apiKey: key, isNew: true };
  });
}

async function rememberedAccount(dataDir: string, database: Database): Promise<SandboxAccount | null> {
  const text = await readSecretFile(dataFilesOf(dataDir).sandbox);
  if (text === null) return null;
  const parsed = remembered.safeParse(JSON.parse(text));
  if (!parsed.success) return null;
  const { merchant_id: merchantId, api_key: apiKey } = parsed.data;
  const isValid = { keyHash: hashApiKey(apiKey), merchantId, revokedAt: null };
  return (await database.em().count(ApiKey, isValid)) === 0 ? null : { merchantId, apiKey, isNew: false };
}

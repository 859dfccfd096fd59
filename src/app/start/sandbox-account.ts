import type { FilterQuery } from '@mikro-orm/core';
import { z } from 'zod';
import { ApiKey } from '../../auth/api-key.entity.js';
import type { ApiKeysService } from '../../auth/api-keys.service.js';
import type { MerchantsService } from '../../auth/merchants.service.js';
import { hashApiKey } from '../../domain/api-key.js';
import type { SandboxAdmin, SandboxStaff } from '../../staff/sandbox-staff.service.js';
import { readSecretFile } from '../../platform/data-dir.js';
import type { Database } from '../../platform/database/database.js';
import { dataFilesOf } from './data-files.js';

/** The merchant and the key that a first run creates, so that the first request needs no setup. */
export interface SandboxAccount {
  readonly merchantId: string;
  readonly apiKey: string;
  /** Who signs in to the console. */
  readonly admin: SandboxAdmin;
  /** True when this start created the key. */
  readonly isNew: boolean;
}

const remembered = z.object({
  api_key: z.string(),
  merchant_id: z.string(),
  // Files of earlier versions have none.
  admin: z.object({ password: z.string().nullable() }).optional(),
});
type Remembered = z.infer<typeof remembered>;

/** The services that make the account. */
export interface AccountServices {
  readonly database: Database;
  readonly merchants: MerchantsService;
  readonly keys: ApiKeysService;
  readonly staff: SandboxStaff;
}

/** Returns the account of `sandbox.json` if its key is valid, else a new one. The same for the console's administrator. */
export async function ensureSandboxAccount(dataDir: string, services: AccountServices): Promise<SandboxAccount> {
  const known = await rememberedIn(dataDir);
  const [admin, merchant] = await Promise.all([
    services.staff.ensureAdmin(known?.admin?.password ?? null),
    ensureMerchant(known, services),
  ]);
  return { ...merchant, admin };
}

type SandboxMerchant = Omit<SandboxAccount, 'admin'>;

async function ensureMerchant(known: Remembered | null, services: AccountServices): Promise<SandboxMerchant> {
  const { database, merchants, keys } = services;
  if (known !== null) {
    const { merchant_id: merchantId, api_key: apiKey } = known;
    const isValid = { keyHash: hashApiKey(apiKey), merchantId, revokedAt: null } satisfies FilterQuery<ApiKey>;
    if ((await database.em().count(ApiKey, isValid)) > 0) return { merchantId, apiKey, isNew: false };
  }
  return database.transaction(async (tx) => {
    const merchant = await merchants.createMerchant(tx, { name: 'Sandbox merchant' });
    const { key } = await keys.createKey(tx, { merchantId: merchant.id, environment: 'sandbox' });
    return { merchantId: merchant.id, apiKey: key, isNew: true };
  });
}

async function rememberedIn(dataDir: string): Promise<Remembered | null> {
  const text = await readSecretFile(dataFilesOf(dataDir).sandbox);
  const parsed = text === null ? null : remembered.safeParse(JSON.parse(text));
  return parsed?.data ?? null;
}

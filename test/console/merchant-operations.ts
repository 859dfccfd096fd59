import { randomUUID } from 'node:crypto';
import { ApiKeysService } from '../../src/auth/api-keys.service.js';
import { PolicyOperations } from '../../src/withdrawals/policies/policy-operations.service.js';
import { aMerchant } from '../support/factories.js';
import { query } from '../support/sql.js';
import type { Example, Setting } from './admin-operations.js';
import { addMember } from './console-service.js';
import { pocketIn } from './find-operations.js';

const reason = 'a test';
const ADDRESS = '0x8ba1f109551bD432803012645Ac136ddd64DBA72';

/** A merchant that may have live keys. */
async function merchantIn({ service: { database } }: Setting): Promise<string> {
  const { merchantId } = await aMerchant(database);
  await query(database, `update merchant set live_verified_at = now() where id = $1`, [merchantId]);
  return merchantId;
}

const ofMerchant = async (setting: Setting): Promise<Required<Pick<Example, 'path'>>> => ({
  path: { id: await merchantIn(setting) },
});

/** What applies to both environments is refused in sandbox, where a live network is configured. */
const decidedInLive = ({ environment }: Setting): Partial<Example> =>
  environment === 'live' ? {} : { status: 409, code: 'invalid_state_transition', readsOnly: true };

async function keyIn(setting: Setting): Promise<string> {
  const { service, environment } = setting;
  const merchantId = await merchantIn(setting);
  const keys = service.service.get(ApiKeysService);
  return (await service.database.transaction((tx) => keys.createKey(tx, { merchantId, environment }))).id;
}

/** A member with a role only where the caller has the one that an administrator needs. */
async function colleagueOf({ service, environment }: Setting): Promise<string> {
  return (await addMember(service, `${randomUUID()}@example.com`, { [environment]: 'viewer' })).id;
}

/** The operations on merchants, the team and the audit log, by their ids. */
export const MERCHANT_EXAMPLES: Readonly<Record<string, (setting: Setting) => Example | Promise<Example>>> = {
  listMerchants: () => ({ query: '?verified=true' }),
  getMerchant: ofMerchant,
  createMerchant: () => ({ body: { name: 'Shop', reason }, status: 201 }),
  verifyMerchant: async (setting) => ({
    ...(await ofMerchant(setting)),
    body: { reason },
    ...decidedInLive(setting),
  }),
  setMerchantTolerance: async (setting) => ({
    ...(await ofMerchant(setting)),
    body: { tolerance_bps: 50, reason },
    ...decidedInLive(setting),
  }),
  listApiKeys: ofMerchant,
  createApiKey: async (setting) => ({
    ...(await ofMerchant(setting)),
    body: { name: 'Shop', scopes: ['read', 'payments:write'], reason },
    status: 201,
  }),
  revokeApiKey: async (setting) => ({ path: { id: await keyIn(setting) }, body: { reason } }),
  getPolicy: ofMerchant,
  tightenPolicy: async (setting) => ({ ...(await ofMerchant(setting)), body: { daily_count: 3, reason } }),
  disallowDestination: async (setting) => {
    const merchantId = await merchantIn(setting);
    const { service, environment } = setting;
    const policies = service.service.get(PolicyOperations);
    const entry = { address: ADDRESS, isAllowed: true };
    await service.database.transaction((tx) => policies.allow(tx, { merchantId, environment }, entry, 'a test'));
    return { path: { id: merchantId }, body: { address: ADDRESS, reason } };
  },
  tightenPocketPolicy: async (setting) => {
    const { id, merchantId } = await pocketIn(setting);
    return { path: { id: merchantId }, body: { pocket_id: id, daily_amount: '100.5', reason } };
  },
  listTeam: () => ({}),
  disableMember: async (setting) => ({ path: { id: await colleagueOf(setting) }, body: { reason } }),
  endMemberSessions: async (setting) => ({ path: { id: await colleagueOf(setting) }, body: { reason } }),
  listAuditEntries: () => ({ query: '?action=key.create&created_gte=2026-01-01' }),
  exportAuditEntries: () => ({ query: '?actor=kim@example.com' }),
  getAuditSeal: () => ({}),
};

import { randomBytes } from 'node:crypto';
import { newId } from '../../src/domain/ids.js';
import { aMerchant, anIntentWithoutAddress } from '../support/factories.js';
import { query } from '../support/sql.js';
import type { Example, Setting } from './admin-operations.js';

/** An intent of some merchant. */
async function intentIn({ service, environment }: Setting): Promise<string> {
  const { merchantId } = await aMerchant(service.database);
  return anIntentWithoutAddress(service.database, { merchantId, environment });
}

interface SeededPocket {
  readonly id: string;
  readonly merchantId: string;
}

/** An empty pocket of some merchant. */
export async function pocketIn({
  service: { database },
  environment,
}: Pick<Setting, 'service' | 'environment'>): Promise<SeededPocket> {
  const { merchantId } = await aMerchant(database);
  const accounts = await query<{ id: string }>(
    database,
    `insert into account (kind, environment, asset, merchant_id, balance)
     select kind, $1, 'bnb:0xabc', $2, 0 from unnest(array['pocket_available', 'pocket_held']) kind returning id`,
    [environment, merchantId],
  );
  const id = newId('pkt_');
  await query(
    database,
    `insert into pocket (id, merchant_id, environment, network, token, token_contract, token_decimals,
       minor_unit_exponent, available_account_id, held_account_id)
     values ($1, $2, $3, 'bnb', 'USDC', '0xabc', 18, 2, $4, $5)`,
    [id, merchantId, environment, accounts[0]?.id ?? null, accounts[1]?.id ?? null],
  );
  return { id, merchantId };
}

/** A withdrawal that waits. */
export async function withdrawalIn(setting: Pick<Setting, 'service' | 'environment'>): Promise<string> {
  const { service, environment } = setting;
  const pocket = await pocketIn(setting);
  const [id, chain] = [newId('wd_'), `${environment}-bnb-${randomBytes(4).toString('hex')}`];
  await query(
    service.database,
    `insert into chain (id, environment, network, family, chain_id, genesis_hash, confirmations, quiet_grace_ms, active)
     values ($1, $2, 'bnb', 'evm', '1', $1, 3, 0, false)`,
    [chain, environment],
  );
  await query(
    service.database,
    `insert into withdrawal (id, merchant_id, environment, pocket_id, chain_ref, network, token, token_contract,
       token_decimals, minor_unit_exponent, amount_cents, amount, network_fee_cents, fee_amount, destination,
       destination_key, fee_strategy, status, created_at, updated_at)
     values ($1, $2, $3, $4, $5, 'bnb', 'USDC', '0xabc', 18, 2, 100, 1000000000000000000, 1, 10000000000000000,
       $6, lower($6), 'standard', 'broadcasting', now(), now())`,
    [id, pocket.merchantId, environment, pocket.id, chain, '0x8ba1f109551bD432803012645Ac136ddd64DBA72'],
  );
  return id;
}

/** The operations that find and explain, by their ids. */
export const FIND_EXAMPLES: Readonly<Record<string, (setting: Setting) => Example | Promise<Example>>> = {
  search: async (setting) => ({ query: `?q=${await intentIn(setting)}` }),
  listIntents: () => ({ query: '?status=canceled&unusual=any' }),
  exportIntents: () => ({ query: '?status=failed' }),
  getIntent: async (setting) => ({ path: { id: await intentIn(setting) } }),
  getIntentTimeline: async (setting) => ({ path: { id: await intentIn(setting) } }),
  listStaffPockets: () => ({ query: '?network=bnb' }),
  getStaffPocket: async (setting) => ({ path: { id: (await pocketIn(setting)).id } }),
  listStaffPocketEntries: async (setting) => ({ path: { id: (await pocketIn(setting)).id } }),
  exportPocketEntries: async (setting) => ({ path: { id: (await pocketIn(setting)).id } }),
  listApiRequests: () => ({ query: '?status=4xx&method=POST' }),
  listApiErrors: () => ({}),
  exportApiRequests: () => ({ query: '?error_code=invalid_request' }),
  listNotes: async (setting) => ({ query: `?subject_kind=payment_intent&subject_id=${await intentIn(setting)}` }),
  writeNote: async (setting) => ({
    body: { subject_kind: 'payment_intent', subject_id: await intentIn(setting), text: 'Called the shop.' },
    status: 201,
  }),
};

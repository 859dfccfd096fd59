import { ApiKeysService } from '../../src/auth/api-keys.service.js';
import { MerchantsService } from '../../src/auth/merchants.service.js';
import type { Environment } from '../../src/domain/network.js';
import { PocketsService } from '../../src/ledger/pockets.service.js';
import { NetworkViews } from '../../src/offers/network-views.service.js';
import { ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { query } from '../support/sql.js';
import type { World } from '../support/world.js';

/** The parts of a world that tenants need. */
type Served = Pick<World, 'service' | 'database' | 'url'>;

/** Creates one more merchant with its pockets. Returns its id. */
export async function addMerchant(world: Served, name: string): Promise<string> {
  const views = await world.service.get(NetworkViews).all();
  const tokens = views.flatMap(({ environment, network, tokens: offered }) =>
    offered.map((token) => ({ ...token, environment, network })),
  );
  return world.database.transaction(async (tx) => {
    const { id } = await world.service.get(MerchantsService).createMerchant(tx, { name });
    await world.service.get(PocketsService).openForMerchant(tx, id, tokens);
    return id;
  });
}

/** Returns a client with a new key of a merchant, which is verified for live. Default scopes: those of the environment. */
export async function addKey(
  world: Served,
  merchantId: string,
  environment: Environment,
  scopes?: readonly string[],
): Promise<ApiClient & { readonly keyId: string }> {
  const created = await world.database.transaction(async (tx) => {
    if (environment === 'live') await world.service.get(MerchantsService).verifyMerchant(tx, merchantId);
    return world.service.get(ApiKeysService).createKey(tx, { merchantId, environment, ...(scopes && { scopes }) });
  });
  return Object.assign(new ApiClient(world.url, created.key), { keyId: created.id });
}

/**
Offers the world's polygon in live too, as if a live listener had registered it: intents can then be created
 * and addressed with live keys. No listener reads it.
 */
export async function openLivePolygon(world: World): Promise<void> {
  await query(
    world.database,
    `with live as (
       insert into chain
       select (jsonb_populate_record(chain, '{"id": "live-polygon", "environment": "live"}')).* from chain
        where environment = 'sandbox' and network = 'polygon' returning id),
     tokens as (
       insert into chain_token
       select (jsonb_populate_record(token, '{"chain_ref": "live-polygon"}')).* from chain_token token
         join chain on chain.id = token.chain_ref where chain.network = 'polygon' and chain.environment = 'sandbox'),
     cursors as (
       insert into chain_cursor
       select (jsonb_populate_record(cursor, '{"chain_ref": "live-polygon"}')).* from chain_cursor cursor
         join chain on chain.id = cursor.chain_ref where chain.network = 'polygon' and chain.environment = 'sandbox')
     select id from live`,
  );
  // No source prices live intents here (fixed prices are for the sandbox), so the test inserts the snapshot.
  await query(
    world.database,
    `insert into price_round (id, environment, prices)
     select 'prd_live', 'live', prices from price_round where environment = 'sandbox' order by created_at desc limit 1`,
  );
  await eventually(() => world.service.get(NetworkViews).find('live', 'polygon'));
}

import { aChain, aMerchant, anIntentWithoutAddress, aPriceSnapshot, type SeededChain } from '../support/factories.js';
import { aHotWallet } from '../support/outgoing.js';
import { query } from '../support/sql.js';
import type { ConsoleService } from './console-service.js';

/** A hash. */
const HASH = 'ab'.repeat(32);

/**
 * A sandbox with something to see on every page: a network whose second node is down, a wallet that lacks 25 USDC and has no
 * coins for fees, a broken rule, an address pool of which one was assigned, and a sanctions list.
 */
export async function watchedScene({ database }: Pick<ConsoleService, 'database'>): Promise<SeededChain> {
  const chain = await aChain(database, { network: 'polygon', height: 1_000 });
  const { chainRef, contract } = chain;
  await query(
    database,
    `update chain_cursor set head_height = 1012, finalized_height = 990, synced_at = now() - interval '2 minutes',
       reorg_at = now() - interval '1 hour', reorg_from = 905, reorg_to = 903 where chain_ref = $1`,
    [chainRef],
  );
  await query(
    database,
    `insert into rpc_node (chain_ref, node, preference, is_up, is_foreign, latency_ms, recent_steps, recent_failures, last_error)
     values ($1, 'https://first.example', 0, true, false, 42, 100, 0, null),
            ($1, 'https://second.example', 1, false, false, null, 4, 1, 'It does not answer.')`,
    [chainRef],
  );
  await seedTreasury({ database }, chainRef, contract);
  await query(
    database,
    `insert into pool_address (environment, family, derivation_index, derivation_path, address, address_key, retired_at)
     select 'sandbox', 'evm', n, 'm/' || n, '0x' || lpad(n::text, 40, '0'), '0x' || lpad(n::text, 40, '0'),
            case when n = 9 then now() end
       from generate_series(0, 9) n`,
  );
  const intent = await anIntentWithoutAddress(database, await aMerchant(database));
  await query(
    database,
    `update pool_address set intent_id = $1, assigned_at = now() where environment = 'sandbox' and derivation_index = 8`,
    [intent],
  );
  await aPriceSnapshot(database, { USDC: '0.98' });
  await query(
    database,
    `insert into books_audit (scope, sealed_to, seal_hash, started_at, finding_check, finding_row, finding_says, findings)
     values ('everything', 7, $1, now(), 'entries_balance', 'entry ent_1', 'does not balance', $2)`,
    [
      HASH,
      JSON.stringify([
        { check: 'entries_balance', count: 3, named: [{ row: 'entry ent_1', says: 'does not balance' }] },
      ]),
    ],
  );
  await query(
    database,
    `insert into sanctions_import (source, published_on, addresses, content_hash)
     values ('OFAC SDN', current_date - 40, 1, $1)`,
    [HASH],
  );
  await query(
    database,
    `insert into hourly_stat (environment, hour, name, value)
     select 'sandbox', date_trunc('hour', now()) - interval '2 hours', name, value
       from (values ('settled_cents', 12345), ('intents_created', 3), ('attempts_failed', 2)) stat (name, value)`,
  );
  return chain;
}

async function seedTreasury(
  { database }: Pick<ConsoleService, 'database'>,
  chainRef: string,
  contract: string,
): Promise<void> {
  await aHotWallet(database, chainRef);
  await query(
    database,
    `insert into chain_token (chain_ref, contract, symbol, decimals, minor_unit_exponent, enabled)
     values ($1, 'native', 'POL', 18, 8, true)`,
    [chainRef],
  );
  await query(
    database,
    `insert into hot_balance (chain_ref, token_contract, amount, height)
     values ($1, $2, 75500000, 990), ($1, 'native', 0, 990)`,
    [chainRef, contract],
  );
  await query(
    database,
    `insert into stocktaking (chain_ref, token_contract, height, block_hash, nonce, amount, booked, booked_height,
       booked_nonce, missing, compared_at)
     values ($1, $2, 990, '0x', 0, 75500000, 100500000, 990, 0, 25000000, now())`,
    [chainRef, contract],
  );
  await query(
    database,
    `insert into top_up (id, chain_ref, token_contract, amount, from_height, to_height)
     values ('top_1', $1, $2, 100500000, -1, 500)`,
    [chainRef, contract],
  );
}

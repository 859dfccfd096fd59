import { addressFamilyOf, NATIVE_COIN } from '../../domain/network.js';
import type { Database } from '../../platform/database/database.js';
import type { AuditedChain } from '../audited-chain.js';
import { OUT_OF_BOOKS } from './booked-out.sql.js';
import type { Finding } from '../check.js';

const ADDRESSES_AT_ONCE = 20;

interface AddressRow {
  readonly id: string;
  readonly address_key: string;
  /**
   * Expected balance by token contract in smallest units, after sweeps: the least (0 while a sweep is under way), and the
   * most, which includes deposits that only one node has reported.
   */
  readonly expected: Readonly<Record<string, readonly [least: string, most: string]>> | null;
}

/**
 * Returns the first address whose token balance does not match its deposits and sweeps: a transfer was missed, or funds
 * left. There may be more of the chain's own coin, because payments by contracts are recorded with a delay.
 */
export async function findBalanceBreach(database: Database, chain: AuditedChain): Promise<Finding | null> {
  let above = '0';
  for (;;) {
    const addresses = await nextAddresses(database, chain, above);
    const coins = await chain.client.balancesAt(
      chain.final,
      addresses.map(({ address_key: address }) => address),
    );
    const breaches = await Promise.all(
      addresses.map(
        async (address, nth) => coinBreachOf(address, coins[nth] ?? 0n) ?? (await breachOf(chain, address)),
      ),
    );
    const first = breaches.find((breach) => breach !== null);
    if (first !== undefined) return first;
    if (addresses.length < ADDRESSES_AT_ONCE) return null;
    above = addresses.at(-1)?.id ?? above;
  }
}

function nextAddresses(
  database: Database,
  { chainRef, environment, client, final }: AuditedChain,
  above: string,
): Promise<AddressRow[]> {
  return database.query<AddressRow>(
    `select address.id, address.address_key, deposits.expected
       from (select id, address_key from pool_address where environment = $1 and family = $2 and id > $3
              order by id limit $4) address
       left join lateral (
         select json_object_agg(token, json_build_array(
                  (case when is_moving then 0 else final - swept end)::text, (known - swept)::text)) as expected
           from (select lower(token_contract) as token, sum(amount) as known,
                        coalesce(sum(amount) filter (where status = 'confirmed' and not ${OUT_OF_BOOKS}), 0) as final
                   from deposit
                  where address_id = address.id and chain_ref = $5 and status <> 'orphaned' and block_height <= $6
                    and not (gone_at is not null and ${OUT_OF_BOOKS})
                  group by lower(token_contract)) brought
           left join lateral (
             select coalesce(sum(item.swept) filter (where item.swept_height <= $6), 0) as swept,
                    coalesce(bool_or(item.swept is null), false) as is_moving
               from sweep_item item
              where item.address_id = address.id and item.chain_ref = $5 and lower(item.token_contract) = token) taken
             on true) deposits on true
      order by address.id`,
    [environment, addressFamilyOf(client.network), above, ADDRESSES_AT_ONCE, chainRef, final.height],
  );
}

async function breachOf(
  { client, final, tokens }: AuditedChain,
  { address_key: address, expected }: AddressRow,
): Promise<Finding | null> {
  const balances = await client.outgoing.tokenBalancesAt(final, tokens, address);
  for (const [place, token] of tokens.entries()) {
    const [least = '0', most = '0'] = expected?.[token.toLowerCase()] ?? [];
    const held = balances[place] ?? 0n;
    if (held >= BigInt(least) && held <= BigInt(most)) continue;
    return { row: `address ${address}`, says: `holds ${held} of ${token}, and its deposits and sweeps leave ${most}` };
  }
  return null;
}

/** Only our sweeps move coins from an address: the hot wallet pays the gas of delegations. */
function coinBreachOf({ address_key: address, expected }: AddressRow, held: bigint): Finding | null {
  const [least = '0'] = expected?.[NATIVE_COIN] ?? [];
  if (held >= BigInt(least)) return null;
  return { row: `address ${address}`, says: `holds ${held} of the coin, and its deposits and sweeps leave ${least}` };
}

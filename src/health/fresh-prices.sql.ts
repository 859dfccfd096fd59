import { ChainToken } from '../offers/chain-token.entity.js';
import { Chain } from '../offers/chain.entity.js';
import { as } from '../platform/sql/as.js';
import { sql } from '../platform/sql/sql.js';
import { table } from '../platform/sql/table.js';
import { PriceSnapshot } from '../pricing/price-snapshot.entity.js';

const snapshot = table(PriceSnapshot);
const token = table(ChainToken);
const chain = table(Chain);

/**
 * Checks whether a fresh snapshot has an entry for every token on offer. A token that was just added is in no snapshot yet; a
 * token without any source is in it, without a price.
 */
export const hasFreshPrices = sql`
  select exists (
    select from ${snapshot}
     where ${snapshot.createdAt} > now() - interval '60 seconds' and not exists (
       select from ${token} join ${chain} on ${chain.id} = ${token.chainRef}
        where ${chain.active} and ${token.enabled} and ${chain.environment} = ${snapshot.environment}
          and ${snapshot.prices} -> ${token.symbol} is null)) ${as.boolean('isFresh')}`;

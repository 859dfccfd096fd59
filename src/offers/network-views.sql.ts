import { as } from '../platform/sql/as.js';
import { define, subselect } from '../platform/sql/relation.js';
import { type RowOf, sql } from '../platform/sql/sql.js';
import { out, table } from '../platform/sql/table.js';
import { ChainCursor } from './chain-cursor.entity.js';
import { ChainToken } from './chain-token.entity.js';
import { Chain } from './chain.entity.js';

const chain = table(Chain);
const cursor = table(ChainCursor);
const token = table(ChainToken);

/** Reads the tokens of the chain of the statement around it. */
export const tokensOf = sql`
  select ${out(token, 'symbol', 'contract', 'decimals', 'minorUnitExponent', 'enabled')},
         ${token.minimumAmount}::text ${as.digitsOrNull('minimumAmount')}
    from ${token} where ${token.chainRef} = ${chain.id}`;
const registered = subselect('registered', tokensOf);

/** Reads the active chains in the order of their registration, with their cursors and tokens. */
export const activeChains = sql`
  select ${chain.id.as('chainRef')}, ${out(chain, 'environment', 'network', 'chainId', 'confirmations')},
         ${out(cursor, 'headHeight', 'height', 'finalizedHeight', 'finalityDoubt', 'haltedReason', 'pausedAt')},
         extract(epoch from clock_timestamp() - case when ${chain.quietGraceMs} is null
           then least(${cursor.syncedAt}, ${cursor.blockTime}) else ${cursor.syncedAt} end) * 1000 ${as.digits('lagMs')},
         (select jsonb_agg(${registered} order by not ${registered.enabled}, ${registered.symbol})
            from ${define(registered)}) ${as.json<readonly RowOf<typeof tokensOf>[] | null>()('tokens')}
    from ${chain} join ${cursor} on ${cursor.chainRef} = ${chain.id}
   where ${chain.active}
   order by ${chain.environment}, ${chain.createdAt}, ${chain.id}`;

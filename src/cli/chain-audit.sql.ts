import { ChainCursor } from '../offers/chain-cursor.entity.js';
import { ChainToken } from '../offers/chain-token.entity.js';
import { Chain } from '../offers/chain.entity.js';
import { as } from '../platform/sql/as.js';
import { sql } from '../platform/sql/sql.js';
import { out, table } from '../platform/sql/table.js';

const chain = table(Chain);
const cursor = table(ChainCursor);
const token = table(ChainToken);

/** Finds the active chains besides these. */
export const otherChains = (ids: readonly string[]) => sql`
  select ${chain.environment} || '/' || ${chain.network} ${as.text('place')} from ${chain}
   where ${chain.active} and not ${chain.id} = any(${ids}) order by 1`;

/** Reads up to which block a chain is final, and the contracts of its tokens. */
export const findFinal = (chainRef: string) => sql`
  select ${out(cursor, 'finalizedHeight')},
         array(select ${token.contract} from ${token}
                where ${token.chainRef} = ${chainRef} and ${token.enabled} and ${token.contract} <> 'native') ${as.texts('tokens')}
    from ${cursor} where ${cursor.chainRef} = ${chainRef}`;

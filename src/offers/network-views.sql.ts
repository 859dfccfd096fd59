import { as } from '../platform/sql/as.js';
import { json } from '../platform/sql/json.js';
import { sql } from '../platform/sql/sql.js';
import { out, table } from '../platform/sql/table.js';
import { ChainCursor } from './chain-cursor.entity.js';
import { ChainToken } from './chain-token.entity.js';
import { Chain } from './chain.entity.js';

const chain = table(Chain);
const cursor = table(ChainCursor);
const token = table(ChainToken);

/** A token of a chain as JSON. */
export const registeredToken = json.object({
  symbol: json.text(token.symbol),
  contract: json.text(token.contract),
  decimals: token.decimals,
  minorUnitExponent: token.minorUnitExponent,
  enabled: token.enabled,
  minimumAmount: json.text(token.minimumAmount),
});
const registered = json.list(registeredToken, sql`not ${token.enabled}, ${token.symbol}`);

/** Reads the active chains in the order of their registration, with their cursors and tokens. */
export const activeChains = sql`
  select ${chain.id.as('chainRef')}, ${out(chain, 'environment', 'network', 'chainId', 'confirmations')},
         ${out(cursor, 'headHeight', 'height', 'finalizedHeight', 'finalityDoubt', 'haltedReason', 'pausedAt')},
         extract(epoch from clock_timestamp() - case when ${chain.quietGraceMs} is null
           then least(${cursor.syncedAt}, ${cursor.blockTime}) else ${cursor.syncedAt} end) * 1000 ${as.digits('lagMs')},
         (select ${registered} from ${token} where ${token.chainRef} = ${chain.id}) ${as.jsonOfOrNull(registered)('tokens')}
    from ${chain} join ${cursor} on ${cursor.chainRef} = ${chain.id}
   where ${chain.active}
   order by ${chain.environment}, ${chain.createdAt}, ${chain.id}`;

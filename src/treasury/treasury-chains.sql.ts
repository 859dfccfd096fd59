import { Chain } from '../offers/chain.entity.js';
import { sql } from '../platform/sql/sql.js';
import { out, table } from '../platform/sql/table.js';

const chain = table(Chain);
const read = out(chain, 'id', 'environment', 'network', 'chainId', 'genesisHash');

/** Reads the active chains by their ids. A statement, because `coffer verify` reads them without the entities. */
export const activeChains = sql`select ${read} from ${chain} where ${chain.active} order by ${chain.id}`;

/** Reads a chain if it is active. */
export const findActiveChain = (id: string) => sql`
  select ${read} from ${chain} where ${chain.id} = ${id} and ${chain.active}`;

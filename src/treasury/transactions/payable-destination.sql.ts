import { ChainToken } from '../../offers/chain-token.entity.js';
import { sql } from '../../platform/sql/sql.js';
import { table } from '../../platform/sql/table.js';
import { HotWallet } from '../wallets/hot-wallet.entity.js';

const token = table(ChainToken);
const wallet = table(HotWallet);

/** Finds an address (lower case) among token contracts, which never return what they receive, and our hot wallets. */
export const findUnpayable = (address: string) => sql`
  select from ${token} where ${token.contract} = ${address}
   union all select from ${wallet} where ${wallet.addressKey} = ${address} limit 1`;

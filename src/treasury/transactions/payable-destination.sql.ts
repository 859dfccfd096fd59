import type { AddressFamily } from '../../domain/network.js';
import { ChainToken } from '../../offers/chain-token.entity.js';
import { as } from '../../platform/sql/as.js';
import { sql } from '../../platform/sql/sql.js';
import { table } from '../../platform/sql/table.js';
import { hasList, isListed } from '../../sanctions/screening.sql.js';
import { HotWallet } from '../wallets/hot-wallet.entity.js';

const token = table(ChainToken);
const wallet = table(HotWallet);

/**
 * Looks an address up among token contracts, which never return what they receive, and our hot wallets, and in the current
 * sanctions list.
 */
export const screenDestination = (family: AddressFamily, addressKey: string) => sql`
  select exists (select from ${token} where ${token.contract} = ${addressKey})
           or exists (select from ${wallet} where ${wallet.addressKey} = ${addressKey}) ${as.boolean('isRefused')},
         ${hasList} ${as.boolean('hasList')}, ${isListed(family, addressKey)} ${as.boolean('isListed')}`;

import { NATIVE_COIN } from '../../domain/network.js';
import { ChainToken } from '../../offers/chain-token.entity.js';
import { Chain } from '../../offers/chain.entity.js';
import { as } from '../../platform/sql/as.js';
import { json } from '../../platform/sql/json.js';
import { sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { HotWallet } from './hot-wallet.entity.js';

const wallet = table(HotWallet);
const chain = table(Chain);
const token = table(ChainToken);

const shown = json.object({ contract: json.text(token.contract), symbol: json.text(token.symbol) });
const listed = json.list(shown, token.contract);

/** Reads the hot wallets of active chains that are not frozen, with their enabled tokens. */
export const unfrozenWallets = sql`
  select ${out(wallet, 'chainRef', 'addressKey')},
         ${listed} ${as.jsonOf(listed)('tokens')}
    from ${wallet} join ${chain} on ${chain.id} = ${wallet.chainRef} and ${chain.active}
    join ${token} on ${token.chainRef} = ${wallet.chainRef} and ${token.enabled} and ${token.contract} <> ${NATIVE_COIN}
   where ${wallet.frozenReason} is null group by ${wallet.chainRef}, ${wallet.addressKey}`;

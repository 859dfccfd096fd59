import { ChainUnavailable } from '../chain.js';
import { accountShape, isAccount, parsed, type TronAccount } from './answer-shapes.js';
import { hexOfKey } from './tron-address.js';
import type { TronHttp, TronInterface } from './tron-http.js';

/** Returns the account of an address, by its key; null for one that was never activated. */
export async function accountOf(
  http: Pick<TronHttp, 'ask'>,
  of: TronInterface,
  address: string,
): Promise<TronAccount | null> {
  const hex = hexOfKey(address);
  const account = parsed(accountShape, await http.ask(of, 'getaccount', { address: hex }), 'account');
  if (!isAccount(account)) return null;
  if (account.address !== hex) throw new ChainUnavailable('The node returned the account of another address.');
  return account;
}

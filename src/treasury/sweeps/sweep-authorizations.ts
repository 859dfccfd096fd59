import { Chain } from '../../offers/chain.entity.js';
import type { Database } from '../../platform/database/database.js';
import { type Authorizations, NO_AUTHORIZATIONS, signAuthorizations } from '../transactions/checked-signature.js';
import type { Vault } from '../../vault/vault.js';
import { sweepOrder } from './sweep-orders.js';

/**
 * Signs and checks the delegations of a sweep's addresses without a lock, since the terms of an item never change.
 * @throws ForeignContract, SignedMismatch
 */
export async function authorizeSweep(database: Database, vault: Vault, sweepId: string): Promise<Authorizations> {
  const order = await database.transaction((tx) => sweepOrder(tx, sweepId));
  if (order?.kind !== 'call' || order.deposits.length === 0) return NO_AUTHORIZATIONS;
  const chain = await database.em().findOne(Chain, { id: order.chainRef });
  if (chain === null) throw new Error(`There is no chain ${order.chainRef}.`);
  return signAuthorizations(vault, { environment: chain.environment, chainId: BigInt(chain.chainId) }, order);
}

import { networkProfile } from '../chains/networks.js';
import type { Chain } from './chain.entity.js';

/** Whether a chain is local to its sandbox: the catalogue has the public one of its network. */
export function isDevelopmentChain({
  environment,
  network,
  chainId,
}: Pick<Chain, 'environment' | 'network' | 'chainId'>): boolean {
  return environment === 'sandbox' && networkProfile(environment, network)?.chainId !== chainId;
}

import { networkProfile } from '../../chains/networks.js';
import type { ChainSource } from '../../chains/registry.js';
import { RequestRates } from '../../chains/rpc/request-rate.js';
import type { Config } from '../../platform/config.js';

/** Returns the chains whose nodes are configured. @throws Error for a network that its environment does not offer. */
export function configuredChains(config: Config): ChainSource[] {
  const { rpcRequestsPerSecond: perSecond } = config;
  const rates = perSecond === null ? undefined : new RequestRates(perSecond);
  return config.rpc.map(({ environment, network, urls }) => {
    const profile = networkProfile(environment, network);
    if (profile === null) throw new Error(`${network} is not offered in ${environment}.`);
    return { profile, rpcUrls: urls, ...(rates !== undefined && { rates }) };
  });
}

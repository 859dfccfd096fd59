import { type Environment, ENVIRONMENTS, type Network, NETWORKS } from '../domain/network.js';
import type { ExpiringChain, TreasuryChain, TreasuryChains } from '../treasury/treasury-chains.service.js';
import { CommandFailure, oneOf, required, UsageError } from './command.js';

/** The options that name one chain. */
export const chainOptions = {
  network: { type: 'string', value: 'NAME', about: 'The hot wallet of this network.' },
  env: { type: 'string', value: 'ENV', about: 'sandbox or live; required if the network is used in both.' },
} as const;

/** A chain as the options name it. */
export interface NamedChain {
  readonly network: Network;
  readonly environment: Environment | null;
}

/** @throws UsageError */
export function namedChain(values: {
  readonly network?: string | undefined;
  readonly env?: string | undefined;
}): NamedChain {
  return {
    network: oneOf(NETWORKS, required(values.network, '--network'), '--network'),
    environment: values.env === undefined ? null : oneOf(ENVIRONMENTS, values.env, '--env'),
  };
}

/** A chain with account nonces, or one on which transactions expire. */
export type ReachableChain = { readonly counting: TreasuryChain } | { readonly expiring: ExpiringChain };

/** Returns the named chain. @throws UsageError when there are two; CommandFailure when no node of it is configured */
export async function reachableChain(
  chains: TreasuryChains,
  { network, environment }: NamedChain,
): Promise<ReachableChain> {
  const isNamed = ({ profile }: Pick<TreasuryChain, 'profile'>): boolean =>
    profile.network === network && (environment === null || profile.environment === environment);
  const found: readonly ReachableChain[] = [
    ...(await chains.active()).filter(isNamed).map((counting) => ({ counting })),
    ...(await chains.expiring.active()).filter(isNamed).map((expiring) => ({ expiring })),
  ];
  const [chain, other] = found;
  if (other !== undefined) throw new UsageError(`${network} is used in both environments: choose one with --env.`);
  if (chain === undefined) {
    const place = environment === null ? network : `${environment}/${network}`;
    throw new CommandFailure(`No node of ${place} is configured here.`, `set its ..._RPC_URL for this command.`);
  }
  return chain;
}

import { addressFamilyOf, type Environment, type Network } from '../../domain/network.js';

interface Place {
  readonly environment: Environment;
  readonly network: Network;
}

const WHY = '--reason "<why>"';
const at = ({ environment, network }: Place): string => `--network ${network} --env ${environment}`;

/** What a shell can do about a hot wallet. */
export function walletCommands(
  place: Place,
  { isFrozen, isLow }: { readonly isFrozen: boolean; readonly isLow: boolean },
): string[] {
  return [
    ...(isFrozen
      ? [`npx coffer treasury unrecorded ${at(place)}`, `npx coffer withdrawals unfreeze ${at(place)} ${WHY}`]
      : []),
    ...(isLow ? [`npx coffer treasury top-ups ${at(place)}`] : []),
  ];
}

/** What a shell can do about funds that are missing from a hot wallet: first find out, then decide. */
export function missingCommands(place: Place, token: string): string[] {
  return [
    `npx coffer treasury unrecorded ${at(place)}`,
    `npx coffer withdrawals freeze ${at(place)} ${WHY}`,
    `npx coffer treasury write-off ${at(place)} --token ${token} ${WHY}`,
  ];
}

/** Sweeps a balance again; only addresses of EVM networks can be named. */
export const sweepAgain = (network: Network, address: string): string | null =>
  addressFamilyOf(network) === 'evm' ? `npx coffer sweeps retry --address ${address} ${WHY}` : null;

/** What a shell can do about stakes; only the chain knows what is staked. */
export function stakeCommands(environment: Environment): string[] {
  const place = `--network tron --env ${environment}`;
  return [
    `npx coffer treasury stakes ${place}`,
    `npx coffer treasury stake ${place} --amount <TRX> ${WHY}`,
    `npx coffer treasury unstake ${place} --amount <TRX> ${WHY}`,
    `npx coffer treasury withdraw-stake ${place} ${WHY}`,
  ];
}

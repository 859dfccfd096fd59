import { ChainUnavailable } from '../chain.js';
import { lendableShape, parsed, resourceShape } from './answer-shapes.js';
import type { TronStake } from './payment-conditions.js';
import { hexOfKey } from './tron-address.js';
import type { TronHttp } from './tron-http.js';

/** The number of energy where nodes are asked about a resource. */
const ENERGY = 1;
const SUN_PER_TRX = 1_000_000n;

/**
 * Returns what an address can lend of its stake at the newest final block; null when that is nothing. Not every node answers
 * these calls, and energy that is not lent is paid for: so a node that does not answer lends nothing.
 */
export async function stakeOf(
  http: Pick<TronHttp, 'ask'>,
  owner: string,
  freeBandwidth: bigint,
): Promise<TronStake | null> {
  const address = hexOfKey(owner);
  try {
    const size = await http.ask('walletsolidity', 'getcandelegatedmaxsize', { owner_address: address, type: ENERGY });
    const lendable = BigInt(parsed(lendableShape, size, 'stake that can be delegated').max_size);
    if (lendable === 0n) return null;
    const resource = parsed(resourceShape, await http.ask('wallet', 'getaccountresource', { address }), 'resource');
    const [totalEnergy, totalWeight] = [BigInt(resource.TotalEnergyLimit), BigInt(resource.TotalEnergyWeight)];
    return totalEnergy > 0n ? { lendable, totalEnergy, totalWeight, freeBandwidth } : null;
  } catch (error) {
    if (error instanceof ChainUnavailable) return null;
    throw error;
  }
}

/**
 * Returns the staked sun that give this much energy: whole TRX, of which one more than the chain's totals say, since they
 * change. https://developers.tron.network/docs/resource-model
 */
export function stakeFor(energy: bigint, { totalEnergy, totalWeight }: TronStake): bigint {
  return ((energy * totalWeight) / totalEnergy + 1n) * SUN_PER_TRX;
}

import { ChainUnavailable } from '../../chains/chain.js';
import { UnrecordedTransactions } from '../../recovery/unrecorded-transactions.service.js';
import { type TreasuryChain, TreasuryChains } from '../../treasury/treasury-chains.service.js';
import type { CommandServices } from '../command-services.js';

/**
 * Returns the nonces of unrecorded transactions of a hot wallet, in order; none if there is no wallet. Null when the chain
 * cannot be asked. Needs `RestoreModule`, `TreasuryChainsModule` and chains.
 */
export async function unrecordedNonces(
  { get }: Pick<CommandServices, 'get'>,
  isMeant: (chain: TreasuryChain) => boolean,
): Promise<readonly number[] | null> {
  const chain = (await get(TreasuryChains).active()).find(isMeant);
  if (chain === undefined) return null;
  try {
    const view = await get(UnrecordedTransactions).of(chain);
    return view?.nonces.map(({ nonce }) => nonce) ?? [];
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    return null;
  }
}

import { ChainUnavailable } from '../../chains/chain.js';
import type { NetworkProfile } from '../../chains/networks.js';
import { UnrecordedSent } from '../../recovery/expiring/unrecorded-sent.service.js';
import { UnrecordedTransactions } from '../../recovery/unrecorded-transactions.service.js';
import type { UnrecordedMarks } from '../../treasury/transactions/unrecorded-payments.js';
import { TreasuryChains } from '../../treasury/treasury-chains.service.js';
import type { CommandServices } from '../command-services.js';

/** A chain of the ledger that this process can reach. */
interface MeantChain {
  readonly chainRef: string;
  readonly profile: NetworkProfile;
}

/**
 * Returns the unrecorded transactions of a hot wallet, in order; none if there is no wallet. Null when the chain cannot be
 * asked. Needs `RestoreModule`, `TreasuryChainsModule` and chains.
 */
export async function unrecordedMarks(
  { get }: Pick<CommandServices, 'get'>,
  isMeant: (chain: MeantChain) => boolean,
): Promise<UnrecordedMarks> {
  const chains = get(TreasuryChains);
  const counting = (await chains.active()).find(isMeant);
  const expiring = (await chains.expiring.active()).find(isMeant);
  try {
    if (counting !== undefined) {
      const view = await get(UnrecordedTransactions).of(counting);
      return view?.nonces.map(({ nonce }) => nonce) ?? [];
    }
    return expiring === undefined ? null : await get(UnrecordedSent).idsOn(expiring);
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    return null;
  }
}

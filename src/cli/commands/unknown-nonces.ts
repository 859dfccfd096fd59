import { ChainUnavailable } from '../../chains/chain.js';
import type { Config } from '../../platform/config.js';
import type { Database } from '../../platform/database/database.js';
import type { TreasuryChain } from '../../treasury/treasury-chains.service.js';
import { UnknownTransactions } from '../../recovery/unknown-transactions.service.js';
import { withChains } from '../chain-access.js';

/**
 * Nonces that a chain counts of its hot wallet and nothing here explains, in their order; none where there is no wallet.
 * Null when the chain cannot be asked from here.
 */
export function unknownNonces(
  database: Database,
  config: Config,
  isMeant: (chain: TreasuryChain) => boolean,
): Promise<readonly number[] | null> {
  return withChains(database, config, async (chains) => {
    const chain = (await chains.active()).find(isMeant);
    if (chain === undefined) return null;
    try {
      const view = await new UnknownTransactions(database).of(chain);
      return view?.nonces.map(({ nonce }) => nonce) ?? [];
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error;
      return null;
    }
  });
}

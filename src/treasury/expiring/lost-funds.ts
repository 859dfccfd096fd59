import type { FinalTransaction } from '../../chains/expiring.js';
import { NATIVE_COIN } from '../../domain/network.js';
import type { LostAmount } from '../transactions/outcome-handler.js';
import type { PaymentOutcome } from './final-outcome.js';

/** How a loss ended in a final block: its fee, and the tokens that it took. */
export interface LossEnd extends PaymentOutcome {
  readonly lost: readonly LostAmount[];
}

/** Returns by how much more of a token left an owner by a transaction than came to it; negative when more came. */
const takenFrom = (owner: string, token: string, { changes }: Pick<FinalTransaction, 'changes'>): bigint =>
  -changes.reduce((sum, each) => (each.owner === owner && each.token === token ? sum + each.units : sum), 0n);

/** Returns the coins that a loss took beside its fee, in smallest units; 0 when it brought more. */
export function coinsLost(hotWallet: string, final: FinalTransaction): bigint {
  const coins = takenFrom(hotWallet, NATIVE_COIN, final) - final.fee;
  return coins > 0n ? coins : 0n;
}

/**
 * Returns how a loss ended, by what its transaction changed for the hot wallet; null when the coins are others than the row
 * says. Funds that came to the wallet are a top-up, which its balance shows.
 */
export function lossEnd(
  { hotWallet, coins }: { readonly hotWallet: string; readonly coins: bigint },
  final: FinalTransaction,
): LossEnd | null {
  if (coinsLost(hotWallet, final) !== coins) return null;
  const tokens = new Set(final.changes.map(({ token }) => token).filter((token) => token !== NATIVE_COIN));
  const lost = [...tokens].toSorted().flatMap((token) => {
    const amount = takenFrom(hotWallet, token, final);
    return amount > 0n ? [{ token, amount }] : [];
  });
  return { succeeded: final.succeeded, cost: final.fee, lost };
}

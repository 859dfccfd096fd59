import type { SentBytes } from '../../chains/expiring-sent.js';
import { DomainError } from '../../domain/errors.js';

/**
 * Returns the bytes of a transaction of a hot wallet. One of another address that only pays the hot wallet is the sweep of that
 * address, which pays for it (Tron): whether the address is ours shows when it is recorded.
 * @throws DomainError invalid_state_transition for any other
 */
export function ownSent(bytes: SentBytes, hotWallet: string): SentBytes {
  const { sender, action } = bytes;
  if (sender === hotWallet) return bytes;
  if (action.kind !== 'payment' || action.recipient !== hotWallet) {
    throw new DomainError('invalid_state_transition', `It was sent by ${sender}, not by the hot wallet.`);
  }
  const { token, amount } = action;
  const item = { owner: sender, token, account: null, amount, opensAccount: false, closesAccount: false };
  return { ...bytes, action: { kind: 'sweep', items: [item] } };
}

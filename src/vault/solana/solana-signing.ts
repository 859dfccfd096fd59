import { base58 } from '@scure/base';
import { encodedTransaction, movesMessage } from '../../chains/solana/moves-message.js';
import type { SignedBytes } from '../../chains/expiring-transaction.js';
import type { UnsignedMoves } from '../../chains/solana/unsigned-moves.js';
import type { SolanaKey } from './solana-derivation.js';

/**
 * Returns the transaction signed by these accounts; the same arguments always return the same bytes. No arbitrary bytes are
 * signed: the message is built here.
 * @throws TypeError unless the accounts are exactly those that the moves need
 */
export function signMoves(keys: readonly SolanaKey[], unsigned: UnsignedMoves): SignedBytes {
  const message = movesMessage(unsigned);
  const byAddress = new Map(keys.map((key) => [key.address, key]));
  if (byAddress.size !== keys.length || byAddress.size !== message.signers.length) throw notTheSigners();
  const signatures = message.signers.map((address) => {
    const key = byAddress.get(address);
    if (key === undefined) throw notTheSigners();
    return key.sign(message.bytes);
  });
  return { txHash: base58.encode(signatures[0] ?? new Uint8Array()), raw: encodedTransaction(message, signatures) };
}

function notTheSigners(): TypeError {
  return new TypeError('Invalid vault request fields: question.signers.');
}

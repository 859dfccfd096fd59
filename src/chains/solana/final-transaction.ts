import { isDeepStrictEqual } from 'node:util';
import { NATIVE_COIN } from '../../domain/network.js';
import { ChainUnavailable } from '../chain.js';
import type { BalanceChange, FinalTransaction } from '../expiring.js';
import type { TransactionAnswer } from './rpc-shapes.js';

type TokenBalances = TransactionAnswer['meta']['preTokenBalances'];

/**
 * Returns what a transaction changed: coins by account (those of a token account are its rent), tokens by owner. A failed one
 * changed nothing but its fee.
 * @throws ChainUnavailable for balances that do not fit the accounts or the outcome
 */
export function finalTransaction(
  { slot, transaction, meta }: TransactionAnswer,
  blockHash: string,
  tokens: readonly string[],
): FinalTransaction {
  const { message, signatures } = transaction;
  const [payer = ''] = message.accountKeys;
  const { fee } = meta;
  const succeeded = meta.err === null;
  const changes = [...coinChanges(message.accountKeys, meta), ...tokenChanges(meta, tokens)];
  // A payment that failed is made again: its balances must say so as well.
  const paid = fee === 0n ? [] : [{ owner: payer, token: NATIVE_COIN, units: -fee }];
  if (meta.err === undefined || (!succeeded && !isDeepStrictEqual(changes, paid))) {
    throw new ChainUnavailable('The node returned a transaction whose outcome and balances contradict each other.');
  }
  return { txHash: signatures[0] ?? '', blockHash, height: slot, succeeded, fee, changes };
}

function coinChanges(ownKeys: readonly string[], meta: TransactionAnswer['meta']): readonly BalanceChange[] {
  const { preBalances, postBalances, loadedAddresses } = meta;
  const keys = [...ownKeys, ...(loadedAddresses?.writable ?? []), ...(loadedAddresses?.readonly ?? [])];
  if (preBalances.length !== keys.length || postBalances.length !== keys.length) {
    throw new ChainUnavailable('The node returned a transaction whose balances do not fit its accounts.');
  }
  return keys
    .map((owner, place) => {
      const units = (postBalances[place] ?? 0n) - (preBalances[place] ?? 0n);
      return { owner, token: NATIVE_COIN, units };
    })
    .filter(({ units }) => units !== 0n);
}

function tokenChanges(
  { preTokenBalances, postTokenBalances }: TransactionAnswer['meta'],
  tokens: readonly string[],
): readonly BalanceChange[] {
  return tokens.flatMap((token) => {
    const owners = new Map<string, bigint>();
    // An account that was created in the transaction has no balance before, and a closed one none after it.
    addTo(owners, preTokenBalances, token, -1n);
    addTo(owners, postTokenBalances, token, 1n);
    return [...owners].map(([owner, units]) => ({ owner, token, units })).filter(({ units }) => units !== 0n);
  });
}

function addTo(owners: Map<string, bigint>, balances: TokenBalances, token: string, sign: bigint): void {
  for (const { mint, owner, uiTokenAmount } of balances ?? []) {
    if (mint !== token) continue;
    if (owner === undefined) throw new ChainUnavailable('The node returned a token balance without its owner.');
    owners.set(owner, (owners.get(owner) ?? 0n) + sign * BigInt(uiTokenAmount.amount));
  }
}

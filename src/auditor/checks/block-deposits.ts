import { NATIVE_POSITION, type Sighting } from '../../chains/chain.js';
import { NATIVE_COIN } from '../../domain/network.js';
import type { RowOf } from '../../platform/sql/sql.js';
import type { Finding } from '../check.js';
import type { BlockDeposit, nextBlocks } from './chain-deposits.sql.js';

/** The transfers of a block to our addresses, of tokens and of the coin. */
interface BlockTransfers {
  readonly tokens: readonly Sighting[];
  readonly coins: readonly Sighting[];
}

/**
 * Returns the first final deposit that is none of the transfers of its block, or the first transfer of a token that is no
 * deposit. One that only a balance showed is not compared, nor are coins that are no deposit.
 */
export function blockBreach(
  { blockHeight: height, deposits }: RowOf<typeof nextBlocks>,
  { tokens, coins }: BlockTransfers,
): Finding | null {
  const onChain = new Set([...tokens, ...coins].map(keyOfSighting));
  const absent = deposits.find(
    (deposit) => deposit.isFinal && deposit.txHash !== null && !onChain.has(keyOfDeposit(deposit)),
  );
  if (absent !== undefined)
    return { row: `deposit ${absent.id}`, says: `moves ${absent.amount}, but block ${height} has no such transfer` };
  const stored = new Set(deposits.map(keyOfDeposit));
  const missed = tokens.find((transfer) => !stored.has(keyOfSighting(transfer)));
  if (missed === undefined) return null;
  return {
    row: `transfer ${missed.txHash}/${missed.position}`,
    says: `moved ${missed.amount} of ${missed.token} to ${missed.to} and is not recorded as a deposit`,
  };
}

const keyOfSighting = ({ txHash, position, token, to, amount }: Sighting): string =>
  [txHash, position, token, to, amount].join(' ');

function keyOfDeposit({ txHash, position, tokenContract: token, toAddress: to, amount }: BlockDeposit): string {
  return [txHash, token === NATIVE_COIN ? NATIVE_POSITION : position, token, to, amount].join(' ');
}

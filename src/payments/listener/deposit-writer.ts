import type { BlockHeader } from '../../chains/chain.js';
import { NATIVE_POSITION } from '../../chains/chain.js';
import { newId } from '../../domain/ids.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { rows, type Tx } from '../../platform/database/database.js';
import type { Row } from '../../platform/sql/row.js';
import type { Deposit } from '../deposits/deposit.entity.js';
import type { ReadBlock } from './chain-reader.js';
import {
  type DepositRow,
  lockFreeAddresses,
  retireAddresses,
  storeRemainders,
  storeTransfers,
} from './deposit-writer.sql.js';

/** The intent of a changed deposit. */
export type OfIntent = Row<Deposit, 'intentId'>;

/** Returns the sightings of blocks as deposits. */
export function transferRows(blocks: readonly ReadBlock[]): readonly DepositRow[] {
  return blocks.flatMap(({ header, sightings }) =>
    sightings.map(({ token, txHash, position, from, to, amount }) => ({
      id: newId('dep_'),
      tokenContract: token,
      txHash,
      position,
      from,
      to,
      account: null,
      otherSenders: null,
      amount: amount.toString(),
      ...placeOf(header),
    })),
  );
}

/** Coins that only the balance at a block showed, as a deposit of that block: it is final when the block is. */
export function remainderRow(block: BlockHeader, to: string, units: bigint): DepositRow {
  return {
    id: newId('dep_'),
    tokenContract: NATIVE_COIN,
    txHash: null,
    position: NATIVE_POSITION,
    from: null,
    to,
    account: null,
    otherSenders: null,
    amount: units.toString(),
    ...placeOf(block),
  };
}

function placeOf({ height, hash, time }: BlockHeader): Pick<DepositRow, 'blockHeight' | 'blockHash' | 'blockTime'> {
  return { blockHeight: height, blockHash: hash, blockTime: time };
}

const STORE = { transfers: storeTransfers, remainders: storeRemainders } as const;

/** Stores deposits of one kind, attributes them, and returns the intents they belong to. */
export async function storeDeposits(
  tx: Tx,
  chainRef: string,
  kind: keyof typeof STORE,
  deposits: readonly DepositRow[],
): Promise<readonly OfIntent[]> {
  if (deposits.length === 0) return [];
  // Free addresses on which this step found money must not be assigned until the step commits.
  await rows(tx, lockFreeAddresses(deposits.map(({ to }) => to)));
  const stored = await rows(tx, STORE[kind](chainRef, deposits));
  // The next intent's money on such an address could not be distinguished.
  const touched = stored.filter(({ unattributedReason }) => unattributedReason === 'address_not_assigned');
  if (touched.length > 0) await rows(tx, retireAddresses(touched.map(({ addressId }) => addressId)));
  return stored;
}

import { sweepGasLimit } from '../../domain/sweep-gas.js';
import { rows, type Tx } from '../../platform/database/database.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { EXPIRING_FAMILIES } from '../expiring/expiring-families.js';
import type { CallOrder, SweepOrder } from '../transactions/transaction-order.js';
import { sweepCalldata } from '../../chains/evm/sweep-call.js';
import { deploymentCall, sweepContracts } from '../../chains/evm/sweep-contracts.js';
import { readSweepCall } from '../../chains/evm/read-sweep-call.js';
import { movesOrder } from './expiring/moves-order.js';
import { findFrozenAddress, itemsOfSweep, lockContract, lockOpenSweep } from './sweep-orders.sql.js';

/** A row names a contract that does not follow from the hot wallet: it is never signed, regardless of its author. */
class ForeignContract extends Error {
  constructor(id: string) {
    super(`${id} names a contract that is not the hot wallet's own.`);
    this.name = 'ForeignContract';
  }
}

/** An item of a sweep with its deposit address, by the rows. */
export interface OrderedItem extends Omit<RowOf<typeof itemsOfSweep>, 'authorizationNonce'> {
  /** Its own next nonce where it has to delegate first. */
  readonly nonce: number | null;
}

/**
 * Locks an open sweep and returns its order, by its rows alone; null when there is none. The contracts are derived from
 * the hot wallet, so that no row can redirect funds.
 * @throws ForeignContract
 */
export async function sweepOrder(tx: Tx, sweepId: string): Promise<CallOrder | SweepOrder | null> {
  const [row] = await rows(tx, lockOpenSweep(sweepId));
  if (row === undefined) return null;
  if (EXPIRING_FAMILIES.includes(row.family)) return movesOrder(tx, row.chainRef, await itemsOf(tx, sweepId));
  const { delegate, batch } = sweepContracts(row.treasury);
  if (row.delegate !== delegate.address || row.batch !== batch.address) throw new ForeignContract(sweepId);
  const items = await itemsOf(tx, sweepId);
  const deposits = delegatingFrom(items);
  const tokens = new Set(items.map(({ tokenContract }) => tokenContract)).size;
  return {
    kind: 'call',
    chainRef: row.chainRef,
    to: batch.address,
    data: callOf(items),
    gasLimit: sweepGasLimit({ items: items.length, tokens, authorizations: deposits.length }),
    delegate: delegate.address,
    deposits,
  };
}

/** Returns the items of a sweep in their order. It reads only addresses of the chain's own environment. */
export async function itemsOf(tx: Tx, sweepId: string): Promise<readonly OrderedItem[]> {
  const items = await rows(tx, itemsOfSweep(sweepId));
  return items.map(({ authorizationNonce: nonce, ...item }) => ({
    ...item,
    nonce: nonce === null ? null : Number(nonce),
  }));
}

/** Returns an address of the sweep with funds of a listed sender, from which nothing may be swept; null if none. */
export async function frozenAddressOf(tx: Tx, sweepId: string): Promise<string | null> {
  const [row] = await rows(tx, findFrozenAddress(sweepId));
  return row?.address ?? null;
}

/**
 * Locks a sweep contract and returns its deployment call; null when there is no such row. It also returns the call of a
 * contract that was found deployed meanwhile: a signed transaction occupies its nonce until it is mined.
 * @throws ForeignContract
 */
export async function contractOrder(tx: Tx, contractId: string): Promise<CallOrder | null> {
  const [row] = await rows(tx, lockContract(contractId));
  if (row === undefined) return null;
  const { delegate, batch } = sweepContracts(row.treasury);
  const contract = [delegate, batch].find(({ address }) => address === row.address);
  if (contract === undefined) throw new ForeignContract(contractId);
  return {
    kind: 'call',
    chainRef: row.chainRef,
    ...deploymentCall(contract),
    delegate: delegate.address,
    deposits: [],
  };
}

/** An address with several tokens signs once. */
function delegatingFrom(items: readonly OrderedItem[]): CallOrder['deposits'] {
  const byAddress = new Map<string, CallOrder['deposits'][number]>();
  for (const { deposit, index, nonce } of items) {
    if (nonce !== null) byAddress.set(deposit, { index, addressKey: deposit, nonce });
  }
  return [...byAddress.values()];
}

/** Returns the calldata, encoded by a library and decoded again by other code. */
function callOf(items: readonly OrderedItem[]): string {
  const data = sweepCalldata(items);
  const read = readSweepCall(data);
  const isSame = items.every(
    ({ deposit, tokenContract }, place) =>
      read?.[place]?.deposit === deposit && read[place].tokenContract === tokenContract,
  );
  if (read?.length !== items.length || !isSame)
    throw new Error('The encoded call of a sweep does not match the order.');
  return data;
}

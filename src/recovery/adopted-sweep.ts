import { DomainError } from '../domain/errors.js';
import { NATIVE_COIN } from '../domain/network.js';
import { rows, type Tx } from '../platform/database/database.js';
import type { DecodedTransaction } from '../chains/evm/sent-transaction.js';
import { type SweepItem, sweepCalldata } from '../chains/evm/sweep-call.js';
import { type SweepContracts, sweepContracts } from '../chains/evm/sweep-contracts.js';
import { readSweepCall } from '../chains/evm/read-sweep-call.js';
import { insertEmptyBalances } from './adopted-sweep.sql.js';
import { insertSweep, type SweepItemRow } from '../treasury/sweeps/sweep-rows.js';
import { NONCE_USED_OTHERWISE } from './proven-transaction.js';
import { addressIds, endUnsignedSweeps, lockBalances, neverRead } from './swept-balances.js';

/** The sweep that the bytes of a transaction describe, and the contracts of its sender. */
export interface SentSweep {
  readonly contracts: SweepContracts;
  readonly items: readonly SweepItem[];
}

/** The transaction of a sweep. */
interface UnrecordedSweep extends DecodedTransaction {
  /** Whether the listener has recorded all blocks up to the sweep's own. */
  readonly isRead: boolean;
}

/** Reads a sweep from a transaction; returns null unless the sender's own contracts make it, in the vault's encoding. */
export function readSentSweep({ sender, fields }: DecodedTransaction): SentSweep | null {
  const contracts = sweepContracts(sender);
  const items = fields.to === contracts.batch.address && fields.value === 0n ? readSweepCall(fields.data) : null;
  if (items === null || items.length === 0 || sweepCalldata(items) !== fields.data) return null;
  return { contracts, items };
}

/**
 * Records an unrecorded sweep as the signer does, and returns its id. Unsigned sweeps of the same balances end, since the
 * funds are gone. For the chain's own coin without a recorded deposit the sweep expects nothing: once the books have its
 * result, the listener finds the deposit by the address's balance. Token deposits are found in blocks alone, so a token
 * without a recorded deposit is refused. Joins the caller's transaction.
 * @throws DomainError invalid_state_transition, naming the item that does not fit
 */
export async function adoptSweep(
  tx: Tx,
  chainRef: string,
  sent: UnrecordedSweep,
  { contracts, items }: SentSweep,
): Promise<string> {
  const nonces = delegationNonces(sent, contracts, items);
  const ids = await addressIds(
    tx,
    chainRef,
    items.map(({ deposit }) => deposit),
  );
  const places = items.map((item) => ({ ...item, addressId: ids.get(item.deposit) ?? '' }));
  if (new Set(places.map(({ addressId, tokenContract }) => `${addressId} ${tokenContract}`)).size !== items.length)
    throw refusal('It sweeps one balance twice.');
  await endUnsignedSweeps(tx, chainRef, places, NONCE_USED_OTHERWISE);
  if (sent.isRead) await rows(tx, insertEmptyBalances(chainRef, places));
  const swept: SweepItemRow[] = [];
  for (const { deposit, tokenContract, addressId, units, isKnown } of await lockBalances(tx, chainRef, places)) {
    if (units <= 0n && !sent.isRead) throw nothingThere({ deposit, tokenContract });
    // No balance check finds a token deposit later: the hot wallet would hold funds that belong to no one in the books.
    if (!isKnown && tokenContract !== NATIVE_COIN) throw neverRead(deposit, tokenContract);
    const expected = units > 0n ? units : 0n;
    const authorizationNonce = nonces.get(deposit) ?? null;
    const item = { token: tokenContract, addressId, account: null, expected, authorizationNonce };
    swept.push({ ...item, opensAccount: null, closesAccount: null, costMax: null });
  }
  // The original reason was lost with the row.
  return insertSweep(tx, { chainRef, reason: 'threshold', contracts, items: swept, isSigned: true });
}

/** Returns the nonce with which each address delegates in the transaction. */
function delegationNonces(
  { delegations, fields }: DecodedTransaction,
  { delegate }: SweepContracts,
  items: readonly SweepItem[],
): ReadonlyMap<string, number> {
  const swept = new Set(items.map(({ deposit }) => deposit));
  const nonces = new Map<string, number>();
  for (const { authority, delegate: chosen, chainId, nonce } of delegations) {
    if (chosen !== delegate.address || chainId !== fields.chainId)
      throw refusal(`It makes an address run other code than that of the hot wallet's own contract: ${chosen}.`);
    if (authority === null || !swept.has(authority) || nonces.has(authority))
      throw refusal(
        `It carries the delegation of ${authority ?? 'an unreadable signer'}, which it does not sweep, or carries it twice.`,
      );
    nonces.set(authority, nonce);
  }
  return nonces;
}

const nothingThere = ({ deposit, tokenContract }: SweepItem): DomainError =>
  refusal(
    `It takes ${tokenContract} from ${deposit}, where nothing lies by the books: let the listener read on, and try again. Once the sweep is final it is adopted all the same, except for tokens without a recorded deposit.`,
  );

const refusal = (message: string): DomainError => new DomainError('invalid_state_transition', message);

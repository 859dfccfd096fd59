import { DomainError } from '../domain/errors.js';
import { NATIVE_COIN } from '../domain/network.js';
import { rows, type Tx } from '../platform/database/database.js';
import type { DecodedTransaction } from '../chains/evm/sent-transaction.js';
import { type SweepItem, sweepCalldata } from '../chains/evm/sweep-call.js';
import { type SweepContracts, sweepContracts } from '../chains/evm/sweep-contracts.js';
import { readSweepCall } from '../chains/evm/read-sweep-call.js';
import { findAddresses, insertEmptyBalances, lockOpenSweeps, lockPlaces } from './adopted-sweep.sql.js';
import { finishSweeps, insertSweep, type SweepItemRow } from '../treasury/sweeps/sweep-rows.js';

/** The sweep that the bytes of a transaction describe, and the contracts of its sender. */
export interface SentSweep {
  readonly contracts: SweepContracts;
  readonly items: readonly SweepItem[];
}

/** The books' record of a balance that a sweep took. */
interface Balance extends SweepItem {
  readonly addressId: string;
  /** Final deposits minus earlier sweeps, in smallest units. */
  readonly units: bigint;
  /** Whether any deposit to it is recorded, final or not. */
  readonly isKnown: boolean;
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
  const ids = await addressIds(tx, chainRef, items);
  const places = items.map((item) => ({ ...item, addressId: ids.get(item.deposit) ?? '' }));
  if (new Set(places.map(({ addressId, tokenContract }) => `${addressId} ${tokenContract}`)).size !== items.length)
    throw refusal('It sweeps one balance twice.');
  await endUnsigned(tx, chainRef, places);
  if (sent.isRead) await rows(tx, insertEmptyBalances(chainRef, places));
  const swept: SweepItemRow[] = [];
  for (const { deposit, tokenContract, addressId, units, isKnown } of await lockBalances(tx, chainRef, places)) {
    if (units <= 0n && !sent.isRead) throw nothingThere({ deposit, tokenContract });
    // No balance check finds a token deposit later: the hot wallet would hold funds that belong to no one in the books.
    if (!isKnown && tokenContract !== NATIVE_COIN) throw neverRead({ deposit, tokenContract });
    const expected = units > 0n ? units : 0n;
    const authorizationNonce = nonces.get(deposit) ?? null;
    const item = { token: tokenContract, addressId, expected, authorizationNonce };
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

/** Returns the ids of the addresses, by address. */
async function addressIds(tx: Tx, chainRef: string, items: readonly SweepItem[]): Promise<ReadonlyMap<string, string>> {
  const addresses = [...new Set(items.map(({ deposit }) => deposit))];
  const known = await rows(tx, findAddresses(chainRef, addresses));
  const ids = new Map(known.map(({ addressKey, id }) => [addressKey, id]));
  const stranger = addresses.find((address) => !ids.has(address));
  if (stranger !== undefined)
    throw refusal(
      `It takes funds from ${stranger}, which is no address of this database: it is foreign, or was derived later.`,
    );
  return ids;
}

/** Ends the unsigned sweeps of these balances. A signed one must end first, or be superseded. */
async function endUnsigned(
  tx: Tx,
  chainRef: string,
  places: readonly (SweepItem & { addressId: string })[],
): Promise<void> {
  const open = await rows(tx, lockOpenSweeps(chainRef, places));
  const signed = open.find(({ isSigned }) => isSigned);
  if (signed !== undefined)
    throw refusal(
      `Sweep ${signed.id} takes some of the same balances and is not final yet: try again once it is. ` +
        'Where the chain used its nonce otherwise, name that transaction as well, with --supersede.',
    );
  await finishSweeps(
    tx,
    open.map(({ id }) => id),
  );
}

/** Locks the balances, and returns them in the given order. */
async function lockBalances(
  tx: Tx,
  chainRef: string,
  places: readonly (SweepItem & { addressId: string })[],
): Promise<readonly Balance[]> {
  const locked = await rows(tx, lockPlaces(chainRef, places));
  const balances = new Map(locked.map((row) => [`${row.tokenContract} ${row.addressId}`, row]));
  return places.map((place) => {
    const row = balances.get(`${place.tokenContract} ${place.addressId}`);
    return { ...place, units: BigInt(row?.units ?? 0), isKnown: row?.isKnown ?? false };
  });
}

const nothingThere = ({ deposit, tokenContract }: SweepItem): DomainError =>
  refusal(
    `It takes ${tokenContract} from ${deposit}, where nothing lies by the books: let the listener read on, and try again. Once the sweep is final it is adopted all the same, except for tokens without a recorded deposit.`,
  );

const neverRead = ({ deposit, tokenContract }: SweepItem): DomainError =>
  refusal(
    `It takes ${tokenContract} from ${deposit}, and no deposit of that was ever read, though its block was: the address was ` +
      'derived later. Set the cursor back to a block before the deposit (docs/operations.md, "Withdrawals after a ' +
      'restore"), let the listener read on, and try again.',
  );

const refusal = (message: string): DomainError => new DomainError('invalid_state_transition', message);

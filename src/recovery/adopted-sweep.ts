import { DomainError } from '../domain/errors.js';
import { NATIVE_COIN } from '../domain/network.js';
import { type Tx, sql } from '../platform/database/database.js';
import type { SentTransaction } from '../treasury/transactions/sent-transaction.js';
import { type SweepItem, sweepCalldata } from '../treasury/sweeps/sweep-call.js';
import { type SweepContracts, sweepContracts } from '../treasury/sweeps/sweep-contracts.js';
import { readSweepCall } from '../treasury/sweeps/read-sweep-call.js';
import { finishSweeps, insertSweep, type SweepItemRow } from '../treasury/sweeps/sweep-rows.js';

/** What the bytes of a transaction sweep, by the contracts that follow from its sender. */
export interface SentSweep {
  readonly contracts: SweepContracts;
  readonly items: readonly SweepItem[];
}

/** A balance that a sweep took, as the books have it. */
interface Balance extends SweepItem {
  readonly addressId: string;
  /** What final deposits brought beyond what was swept. */
  readonly units: bigint;
  /** Whether there is any deposit of it, be it final or not. */
  readonly isKnown: boolean;
}

/** The transaction of a sweep. */
interface UnrecordedSweep extends SentTransaction {
  /** Whether the listener has recorded all blocks up to its own: what it took and no deposit brought is found otherwise. */
  readonly isRead: boolean;
}

interface OpenSweep {
  id: string;
  is_signed: boolean;
}

/** Reads a sweep from a transaction; null when it is none by the sender's own contracts, written as the vault signs it. */
export function readSentSweep({ sender, fields }: SentTransaction): SentSweep | null {
  const contracts = sweepContracts(sender);
  const items = fields.to === contracts.batch.address && fields.value === 0n ? readSweepCall(fields.data) : null;
  if (items === null || items.length === 0 || sweepCalldata(items) !== fields.data) return null;
  return { contracts, items };
}

/**
 * Writes down a sweep that was signed before the rows of it were lost, as the signer leaves one; gives its id. Sweeps of
 * the same balances that nobody has signed end: the coins are gone. Coins of which no deposit is known are expected to be
 * none: once the books know what the sweep took, the listener finds by the balance what had come. A token shows in no such
 * balance, and a deposit of it in every block that was read: one of which none is known is refused. Joins the caller's
 * transaction.
 * @throws DomainError invalid_state_transition, naming what does not fit
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
  if (sent.isRead) await addEmptyBalances(tx, chainRef, places);
  const rows: SweepItemRow[] = [];
  for (const { deposit, tokenContract, addressId, units, isKnown } of await lockBalances(tx, chainRef, places)) {
    if (units <= 0n && !sent.isRead) throw nothingThere({ deposit, tokenContract });
    // No balance tells of tokens: what nobody has read of them would be the hot wallet's, and nobody's.
    if (!isKnown && tokenContract !== NATIVE_COIN) throw neverRead({ deposit, tokenContract });
    const expected = units > 0n ? units : 0n;
    rows.push({ token: tokenContract, addressId, expected, authorizationNonce: nonces.get(deposit) ?? null });
  }
  // Why it was planned is forgotten with its row.
  return insertSweep(tx, { chainRef, reason: 'threshold', contracts, items: rows, isSigned: true });
}

/** The nonce with which each address delegates in the transaction. */
function delegationNonces(
  { delegations, fields }: SentTransaction,
  { delegate }: SweepContracts,
  items: readonly SweepItem[],
): ReadonlyMap<string, number> {
  const swept = new Set(items.map(({ deposit }) => deposit));
  const nonces = new Map<string, number>();
  for (const { authority, delegate: chosen, chainId, nonce } of delegations) {
    if (chosen !== delegate.address || chainId !== fields.chainId)
      throw refusal(`It has an address run other code than that of the hot wallet's own contract: ${chosen}.`);
    if (authority === null || !swept.has(authority) || nonces.has(authority))
      throw refusal(
        `It carries the delegation of ${authority ?? 'nobody'}, which it does not sweep, or carries it twice.`,
      );
    nonces.set(authority, nonce);
  }
  return nonces;
}

/** The rows of the addresses, by address. */
async function addressIds(tx: Tx, chainRef: string, items: readonly SweepItem[]): Promise<ReadonlyMap<string, string>> {
  const addresses = [...new Set(items.map(({ deposit }) => deposit))];
  const rows = await sql<{ id: string; address_key: string }>(
    tx,
    `select address.id, address.address_key from chain
       join pool_address address on address.environment = chain.environment and address.family = chain.family
      where chain.id = $1 and address.address_key = any($2)`,
    [chainRef, addresses],
  );
  const ids = new Map(rows.map((row) => [row.address_key, row.id]));
  const stranger = addresses.find((address) => !ids.has(address));
  if (stranger !== undefined)
    throw refusal(
      `It takes coins from ${stranger}, which is no address of this database: it is another's, or was derived later.`,
    );
  return ids;
}

/** Ends the sweeps of these balances that were planned anew. One that is signed must end first, or be superseded. */
async function endUnsigned(
  tx: Tx,
  chainRef: string,
  places: readonly (SweepItem & { addressId: string })[],
): Promise<void> {
  const open = await sql<OpenSweep>(
    tx,
    `select sweep.id, sweep.signed_at is not null as is_signed from sweep
      where sweep.id in (select item.sweep_id from sweep_item item
                           join unnest($2::text[], $3::bigint[]) as place (token, address)
                             on item.token_contract = place.token and item.address_id = place.address
                          where item.chain_ref = $1 and item.swept is null)
      order by sweep.id for update`,
    [chainRef, places.map(({ tokenContract }) => tokenContract), places.map(({ addressId }) => addressId)],
  );
  const signed = open.find(({ is_signed: isSigned }) => isSigned);
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

/** Nothing was received there, by what is known. */
async function addEmptyBalances(
  tx: Tx,
  chainRef: string,
  places: readonly (SweepItem & { addressId: string })[],
): Promise<void> {
  await sql(
    tx,
    `insert into deposit_balance (chain_ref, token_contract, address_id, received)
     select $1, token, address, 0 from unnest($2::text[], $3::bigint[]) as place (token, address) order by token, address
     on conflict (chain_ref, token_contract, address_id) do nothing`,
    [chainRef, places.map(({ tokenContract }) => tokenContract), places.map(({ addressId }) => addressId)],
  );
}

/** The balances, in the order asked, locked. */
async function lockBalances(
  tx: Tx,
  chainRef: string,
  places: readonly (SweepItem & { addressId: string })[],
): Promise<readonly Balance[]> {
  const rows = await sql<{ token_contract: string; address_id: string; units: string; is_known: boolean }>(
    tx,
    `select balance.token_contract, balance.address_id, balance.received - balance.swept as units,
            balance.received > 0 or exists (
              select from deposit
               where deposit.chain_ref = balance.chain_ref and deposit.token_contract = balance.token_contract
                 and deposit.address_id = balance.address_id and deposit.status = 'seen') as is_known
       from unnest($2::text[], $3::bigint[]) as place (token, address)
       join deposit_balance balance
         on balance.chain_ref = $1 and balance.token_contract = place.token and balance.address_id = place.address
      order by balance.token_contract, balance.address_id for no key update of balance`,
    [chainRef, places.map(({ tokenContract }) => tokenContract), places.map(({ addressId }) => addressId)],
  );
  const balances = new Map(rows.map((row) => [`${row.token_contract} ${row.address_id}`, row]));
  return places.map((place) => {
    const row = balances.get(`${place.tokenContract} ${place.addressId}`);
    return { ...place, units: BigInt(row?.units ?? 0), isKnown: row?.is_known ?? false };
  });
}

const nothingThere = ({ deposit, tokenContract }: SweepItem): DomainError =>
  refusal(
    `It takes ${tokenContract} from ${deposit}, where nothing lies by the books: let the listener read on, and try again. Once the sweep is final it is taken in all the same, but for tokens of which no deposit is known.`,
  );

const neverRead = ({ deposit, tokenContract }: SweepItem): DomainError =>
  refusal(
    `It takes ${tokenContract} from ${deposit}, and no deposit of that was ever read, though its block was: the address was ` +
      'derived later. Set the cursor back to a block before the deposit (docs/operations.md, "Withdrawals after a ' +
      'restore"), let the listener read on, and try again.',
  );

const refusal = (message: string): DomainError => new DomainError('invalid_state_transition', message);

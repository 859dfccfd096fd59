import { newId } from '../domain/ids.js';
import { type Tx, sql } from '../platform/database/database.js';
import { NoOrderFits } from '../treasury/transactions/no-order-fits.js';
import type { DecodedTransaction } from '../chains/evm/sent-transaction.js';
import { deploymentCall, sweepContracts } from '../chains/evm/sweep-contracts.js';

/** The sweep contract that a transaction deploys. */
export interface SentDeployment {
  readonly kind: 'delegate' | 'batch';
  readonly address: string;
}

/** Reads the deployment of one of the sender's own sweep contracts from a transaction; returns null when it is none. */
export function readSentDeployment({ sender, fields, delegations }: DecodedTransaction): SentDeployment | null {
  const contracts = sweepContracts(sender);
  for (const kind of ['delegate', 'batch'] as const) {
    const { to, data } = deploymentCall(contracts[kind]);
    if (fields.to === to && fields.data === data && fields.value === 0n && delegations.length === 0)
      return { kind, address: contracts[kind].address };
  }
  return null;
}

/**
 * Records the contract of an unrecorded deployment as the signer does, and returns its id. Joins the caller's transaction.
 * @throws NoOrderFits when the contract has a transaction already: the chain has two, and the later one did nothing
 */
export async function adoptContract(tx: Tx, chainRef: string, { kind, address }: SentDeployment): Promise<string> {
  await sql(
    tx,
    `insert into sweep_contract (id, chain_ref, kind, address) values ($1, $2, $3, $4)
     on conflict (chain_ref, address) where abandoned_at is null do nothing`,
    [newId('swc_'), chainRef, kind, address],
  );
  const [row] = await sql<{ id: string }>(
    tx,
    `select id from sweep_contract where chain_ref = $1 and address = $2 and abandoned_at is null for no key update`,
    [chainRef, address],
  );
  if (row === undefined) throw new Error(`There is no row of the contract ${address}.`);
  const signed = await sql(
    tx,
    `select from chain_transaction where purpose = 'contract' and purpose_id = $1 and status <> 'superseded'`,
    [row.id],
  );
  if (signed.length > 0) throw new NoOrderFits(`It deploys ${row.id} again, which has its transaction already.`);
  // The row of a contract that was found on the chain stays as it is.
  await sql(
    tx,
    `update sweep_contract set signed_at = now(), waiting_reason = null where id = $1 and ready_at is null`,
    [row.id],
  );
  return row.id;
}

/** Reopens a contract whose transactions are all superseded: it is deployed again unless it is on the chain by then. */
export async function reopenContract(tx: Tx, id: string): Promise<void> {
  await sql(
    tx,
    `update sweep_contract set signed_at = null, waiting_reason = null
      where id = $1 and ready_at is null and abandoned_at is null`,
    [id],
  );
}

import { newId } from '../domain/ids.js';
import { rows, type Tx } from '../platform/database/database.js';
import { ChainTransaction } from '../treasury/transactions/chain-transaction.entity.js';
import { NoOrderFits } from '../treasury/transactions/no-order-fits.js';
import type { DecodedTransaction } from '../chains/evm/sent-transaction.js';
import { deploymentCall, sweepContracts } from '../chains/evm/sweep-contracts.js';
import { insertContract } from '../treasury/sweeps/sweep-contracts.sql.js';
import { lockContract, markContractSigned, markContractUnsigned } from './adopted-contract.sql.js';

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
  await rows(tx, insertContract({ id: newId('swc_'), chainRef, kind, address }));
  const [row] = await rows(tx, lockContract(chainRef, address));
  if (row === undefined) throw new Error(`There is no row of the contract ${address}.`);
  const deployments = await tx.count(ChainTransaction, {
    purpose: 'contract',
    purposeId: row.id,
    status: { $ne: 'superseded' },
  });
  if (deployments > 0) throw new NoOrderFits(`It deploys ${row.id} again, which has its transaction already.`);
  await rows(tx, markContractSigned(row.id));
  return row.id;
}

/** Reopens a contract whose transactions are all superseded: it is deployed again unless it is on the chain by then. */
export async function reopenContract(tx: Tx, id: string): Promise<void> {
  await rows(tx, markContractUnsigned(id));
}

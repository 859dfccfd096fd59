import { DomainError } from '../domain/errors.js';
import { type Database, rows, type Tx } from '../platform/database/database.js';
import type { FetchedTransaction } from '../treasury/transactions/fetched-transaction.js';
import type { TreasuryChain } from '../treasury/treasury-chains.service.js';
import { findFinalCursor, findRivals } from './transactions.sql.js';

/** What to do where the transaction of a signed order is never mined. */
export const NONCE_USED_OTHERWISE =
  'Where the chain used its nonce otherwise, name that transaction as well, with --supersede.';

/** Whether its block is final by the listener's records, and the same block as recorded. */
export async function isFinal(tx: Tx, chainRef: string, { block }: FetchedTransaction): Promise<boolean> {
  const final = await rows(tx, findFinalCursor(chainRef, block?.height ?? null, block?.hash ?? null));
  return final.length > 0;
}

/**
 * Refuses a transaction that is not final: the chain could still mine another one with its nonce.
 * @throws DomainError invalid_state_transition
 */
export async function expectFinal(tx: Tx, chainRef: string, sent: FetchedTransaction): Promise<void> {
  if (!(await isFinal(tx, chainRef, sent))) throw refusal('It is not final yet: only then can that be decided.');
}

/**
 * Refuses a transaction unless all nodes that answer show it in the same block, and none has mined a version of the
 * recorded transaction with its nonce. This decision reopens a payment, so one answer is not enough when there are more nodes.
 * @throws DomainError invalid_state_transition
 */
export async function expectAgreed(
  database: Database,
  { chainRef, nodes }: TreasuryChain,
  sent: FetchedTransaction,
): Promise<void> {
  const { sender, fields, signed } = sent;
  const rivals = await database.rows(findRivals({ chainRef, sender, nonce: fields.nonce }, signed.hash));
  const hashes = [signed.hash, ...rivals.map(({ txHash }) => txHash)];
  const answers = await nodes.ask(({ outgoing }) => outgoing.receiptsOf(hashes));
  const isAgreed = answers.every(
    ({ answer: [mined, ...others] }) =>
      mined?.blockHash === sent.block?.hash && others.every((receipt) => receipt === null),
  );
  if (sent.block === null || !isAgreed || answers.length < Math.min(2, nodes.count))
    throw refusal('The nodes do not agree that it was mined instead of the recorded transaction: try again later.');
}

const refusal = (message: string): DomainError => new DomainError('invalid_state_transition', message);

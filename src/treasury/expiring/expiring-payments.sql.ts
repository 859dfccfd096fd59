import { ChainToken } from '../../offers/chain-token.entity.js';
import { sql } from '../../platform/sql/sql.js';
import { out, set, table, values } from '../../platform/sql/table.js';
import { ChainTransaction } from '../transactions/chain-transaction.entity.js';
import { TransactionAttempt } from '../transactions/transaction-attempt.entity.js';
import { ExpiryProof } from './expiry-proof.entity.js';

const token = table(ChainToken);
const transaction = table(ChainTransaction);
const attempt = table(TransactionAttempt);
const proof = table(ExpiryProof);

/** Reads the decimals of a chain's tokens and of its coin. */
export const decimalsOfTokens = (chainRef: string) => sql`
  select ${out(token, 'contract', 'decimals')} from ${token} where ${token.chainRef} = ${chainRef}`;

/** A page of open transactions: those after this nonce. */
interface OpenAfter {
  readonly after: number;
  readonly limit: number;
}

/** Reads open transactions of a chain on which transactions expire, the oldest first, each with its only attempt. */
export const openExpiring = (chainRef: string, { after, limit }: OpenAfter) => sql`
  select ${out(transaction, 'id', 'purpose', 'purposeId', 'sender', 'destination', 'tokenContract', 'value', 'amount')},
         ${transaction.validAfterHeight.asNotNull('afterHeight')}, ${transaction.validAfterHash.asNotNull('afterHash')},
         ${transaction.validUntil.asNotNull('until')}, ${transaction.nonce.as('nonce')}, ${out(attempt, 'txHash')}
    from ${transaction} join ${attempt} on ${attempt.transactionId} = ${transaction.id}
   where ${transaction.chainRef} = ${chainRef} and ${transaction.status} = 'signed' and ${transaction.validUntil} is not null
     and ${transaction.nonce} > ${after}
   order by ${transaction.nonce} limit ${limit}`;

/** Locks a transaction that is open and expires. */
export const lockExpiring = (id: string) => sql`
  select ${out(transaction, 'purpose', 'purposeId')} from ${transaction}
   where ${transaction.id} = ${id} and ${transaction.status} = 'signed' and ${transaction.validUntil} is not null
     for no key update`;

/** Records that final blocks prove the expiry of a transaction. */
export const insertProof = (row: Pick<ExpiryProof, 'transactionId' | 'until' | 'nodes'>) => sql`
  insert into ${proof} ${values(proof, row)}`;

/** Ends a transaction as expired. */
export const markExpired = (id: string) => sql`
  update ${transaction} set ${set(transaction, { status: 'expired', finishedAt: sql`now()` })} where ${transaction.id} = ${id}`;

/** Finds which of these hashes are attempts on a chain. */
export const findRecorded = (chainRef: string, txHashes: readonly string[]) => sql`
  select ${out(attempt, 'txHash')} from ${attempt}
   where ${attempt.soleOn} = ${chainRef} and ${attempt.txHash} = any(${txHashes})`;

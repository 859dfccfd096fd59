import { given, unnest } from '../platform/sql/given.js';
import { sql } from '../platform/sql/sql.js';
import { columns, table, values } from '../platform/sql/table.js';
import { ChainTransaction } from './transactions/chain-transaction.entity.js';
import { TransactionAttempt } from './transactions/transaction-attempt.entity.js';
import { VaultAudit, type VaultVerdict } from './vault-audit.entity.js';

const audit = table(VaultAudit);
const transaction = table(ChainTransaction);
const attempt = table(TransactionAttempt);

/** A signed version of a transaction. */
export interface NewVersion {
  readonly transactionId: string;
  readonly attempt: number;
  readonly purpose: string;
  readonly purposeId: string;
  readonly txHash: string;
  /** JSON. */
  readonly fields: string;
  readonly raw: string;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  /** The chain on which no other attempt may have this hash; null where a nonce separates transactions. */
  readonly soleOn: string | null;
}

/** A transaction with its first version. */
export interface NewTransaction extends Pick<
  ChainTransaction,
  | 'id'
  | 'chainRef'
  | 'purpose'
  | 'purposeId'
  | 'sender'
  | 'nonce'
  | 'destination'
  | 'value'
  | 'data'
  | 'tokenContract'
  | 'amount'
  | 'costMax'
  | 'validAfterHeight'
  | 'validAfterHash'
  | 'validUntil'
> {
  readonly gasLimit: bigint;
}

const verdictOn = given('verdict_on', {
  transactionId: 'text',
  attempt: 'int',
  purpose: 'text',
  purposeId: 'text',
  txHash: 'text',
  fields: 'text',
});
const version = given('version', {
  transactionId: 'text',
  attempt: 'int',
  txHash: 'text',
  raw: 'text',
  maxFeePerGas: 'numeric',
  maxPriorityFeePerGas: 'numeric',
  soleOn: 'text',
});
const signed = given('signed', {
  id: 'text',
  chainRef: 'text',
  purpose: 'text',
  purposeId: 'text',
  sender: 'text',
  nonce: 'bigint',
  destination: 'text',
  value: 'numeric',
  data: 'text',
  gasLimit: 'bigint',
  tokenContract: 'text',
  amount: 'numeric',
  costMax: 'numeric',
  validAfterHeight: 'bigint',
  validAfterHash: 'text',
  validUntil: 'bigint',
});

/** Inserts the verdicts on signed versions. */
export const insertVerdicts = (verdict: VaultVerdict, versions: readonly NewVersion[]) => sql`
  insert into ${audit} ${columns(audit, 'verdict', 'transactionId', 'attempt', 'purpose', 'purposeId', 'txHash', 'fields')}
  select ${verdict}, ${verdictOn.transactionId}, ${verdictOn.attempt}, ${verdictOn.purpose}, ${verdictOn.purposeId},
         ${verdictOn.txHash}, ${verdictOn.fields}::jsonb
    from ${unnest(verdictOn, versions)}`;

/** Inserts a refusal to sign. */
export const insertRefusal = (purpose: string, purposeId: string, reason: string) => sql`
  insert into ${audit} ${values(audit, { purpose, purposeId, verdict: 'refused', reason, fields: sql`'{}'` })}`;

/** Inserts signed transactions. */
export const insertTransactions = (transactions: readonly NewTransaction[]) => sql`
  insert into ${transaction} ${columns(
    transaction,
    'status',
    'id',
    'chainRef',
    'purpose',
    'purposeId',
    'sender',
    'nonce',
    'destination',
    'value',
    'data',
    'gasLimit',
    'tokenContract',
    'amount',
    'costMax',
    'validAfterHeight',
    'validAfterHash',
    'validUntil',
  )}
  select 'signed', ${signed.id}, ${signed.chainRef}, ${signed.purpose}, ${signed.purposeId}, ${signed.sender},
         ${signed.nonce}, ${signed.destination}, ${signed.value}, ${signed.data}, ${signed.gasLimit},
         ${signed.tokenContract}, ${signed.amount}, ${signed.costMax}, ${signed.validAfterHeight}, ${signed.validAfterHash},
         ${signed.validUntil}
    from ${unnest(signed, transactions)}`;

/** Inserts the bytes of signed versions. */
export const insertAttempts = (versions: readonly NewVersion[]) => sql`
  insert into ${attempt} ${columns(
    attempt,
    'transactionId',
    'number',
    'txHash',
    'rawTransaction',
    'maxFeePerGas',
    'maxPriorityFeePerGas',
    'soleOn',
  )}
  select ${version.transactionId}, ${version.attempt}, ${version.txHash}, ${version.raw}, ${version.maxFeePerGas},
         ${version.maxPriorityFeePerGas}, ${version.soleOn}
    from ${unnest(version, versions)}`;

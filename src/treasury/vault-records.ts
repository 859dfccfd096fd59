import { NATIVE_COIN } from '../domain/network.js';
import { type Tx, sql } from '../platform/database/database.js';
import type { SignedEvmTransaction, UnsignedEvmTransaction } from '../chains/evm/evm-transaction.js';
import type { CallOrder, TransactionPurpose, TransferOrder } from './transactions/transaction-order.js';
import type { VaultVerdict } from './vault-audit.entity.js';

/** One signed version of an outgoing transaction, with everything that is stored of it. */
export interface SignedRecord {
  readonly transactionId: string;
  /** 1 is the first; it creates the outgoing transaction. */
  readonly attempt: number;
  readonly purpose: TransactionPurpose;
  readonly purposeId: string;
  readonly order: Pick<TransferOrder, 'kind' | 'token' | 'amount'> | Pick<CallOrder, 'kind'>;
  readonly wallet: { readonly chainRef: string; readonly addressKey: string };
  readonly unsigned: UnsignedEvmTransaction;
  readonly signed: SignedEvmTransaction;
}

/** Records the verdicts first, then the bytes: each stored signature has its audit row. */
export async function recordSigned(
  tx: Tx,
  records: readonly SignedRecord[],
  verdict: Exclude<VaultVerdict, 'refused'> = 'signed',
): Promise<void> {
  if (records.length === 0) return;
  const ids = records.map(({ transactionId }) => transactionId);
  const attempts = records.map(({ attempt }) => attempt);
  const hashes = records.map(({ signed }) => signed.hash);
  await sql(
    tx,
    `insert into vault_audit (verdict, transaction_id, attempt, purpose, purpose_id, tx_hash, fields)
     select $1, signed.* from unnest($2::text[], $3::int[], $4::text[], $5::text[], $6::text[], $7::jsonb[]) as signed`,
    [
      verdict,
      ids,
      attempts,
      records.map(({ purpose }) => purpose),
      records.map(({ purposeId }) => purposeId),
      hashes,
      records.map(({ unsigned }) => fieldsOf(unsigned)),
    ],
  );
  await insertTransactions(
    tx,
    records.filter(({ attempt }) => attempt === 1),
  );
  await sql(
    tx,
    `insert into transaction_attempt (transaction_id, number, tx_hash, raw_transaction, max_fee_per_gas,
       max_priority_fee_per_gas)
     select * from unnest($1::text[], $2::int[], $3::text[], $4::text[], $5::numeric[], $6::numeric[])`,
    [
      ids,
      attempts,
      hashes,
      records.map(({ signed }) => signed.raw),
      records.map(({ unsigned }) => unsigned.maxFeePerGas.toString()),
      records.map(({ unsigned }) => unsigned.maxPriorityFeePerGas.toString()),
    ],
  );
}

/** Records a refusal to sign, which belongs to no transaction. */
export async function recordRefusal(
  tx: Tx,
  { purpose, purposeId, reason }: { purpose: string; purposeId: string; reason: string },
): Promise<void> {
  await sql(
    tx,
    `insert into vault_audit (purpose, purpose_id, verdict, reason, fields) values ($1, $2, 'refused', $3, '{}')`,
    [purpose, purposeId, reason],
  );
}

async function insertTransactions(tx: Tx, records: readonly SignedRecord[]): Promise<void> {
  if (records.length === 0) return;
  // A call pays out no funds: it costs gas alone.
  const moved = records.map(({ order }) => (order.kind === 'transfer' ? order : { token: NATIVE_COIN, amount: 0n }));
  await sql(
    tx,
    `insert into chain_transaction (status, id, chain_ref, purpose, purpose_id, sender, nonce, destination, value, data,
       gas_limit, token_contract, amount)
     select 'signed', signed.*
       from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::numeric[],
                   $9::text[], $10::bigint[], $11::text[], $12::numeric[]) as signed`,
    [
      records.map(({ transactionId }) => transactionId),
      records.map(({ wallet }) => wallet.chainRef),
      records.map(({ purpose }) => purpose),
      records.map(({ purposeId }) => purposeId),
      records.map(({ wallet }) => wallet.addressKey),
      records.map(({ unsigned }) => unsigned.nonce),
      records.map(({ unsigned }) => unsigned.to.toLowerCase()),
      records.map(({ unsigned }) => unsigned.value.toString()),
      records.map(({ unsigned }) => unsigned.data),
      records.map(({ unsigned }) => unsigned.gasLimit.toString()),
      moved.map(({ token }) => token),
      moved.map(({ amount }) => amount.toString()),
    ],
  );
}

function fieldsOf(unsigned: UnsignedEvmTransaction): string {
  const { authorizations, ...fields } = unsigned;
  const texts = Object.entries(fields).map(([name, value]) => [name, String(value)]);
  return JSON.stringify({ ...Object.fromEntries(texts), ...(authorizations && { authorizations }) });
}

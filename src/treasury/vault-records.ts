import { type Tx, sql } from '../platform/database/database.js';
import type { SignedEvmTransaction, UnsignedEvmTransaction } from '../vault/evm-transaction.js';

/** One signed version of an outgoing transaction, with everything that is kept of it. */
export interface SignedRecord {
  readonly transactionId: string;
  /** 1 = the first; it makes the outgoing transaction itself. */
  readonly attempt: number;
  readonly order: {
    readonly purpose: string;
    readonly purposeId: string;
    readonly token: string;
    readonly amount: bigint;
  };
  readonly wallet: { readonly chainRef: string; readonly addressKey: string };
  readonly unsigned: UnsignedEvmTransaction;
  readonly signed: SignedEvmTransaction;
}

/** Writes the verdict first, then the bytes: no signature is kept that was not accounted for. */
export async function recordSigned(tx: Tx, record: SignedRecord): Promise<void> {
  const { transactionId, attempt, order, unsigned, signed } = record;
  await sql(
    tx,
    `insert into vault_audit (transaction_id, attempt, purpose, purpose_id, verdict, tx_hash, fields)
     values ($1, $2, $3, $4, 'signed', $5, $6)`,
    [transactionId, attempt, order.purpose, order.purposeId, signed.hash, fieldsOf(unsigned)],
  );
  if (attempt === 1) await insertTransaction(tx, record);
  await sql(
    tx,
    `insert into transaction_attempt (transaction_id, number, tx_hash, raw_transaction, max_fee_per_gas,
       max_priority_fee_per_gas)
     values ($1, $2, $3, $4, $5, $6)`,
    [
      transactionId,
      attempt,
      signed.hash,
      signed.raw,
      unsigned.maxFeePerGas.toString(),
      unsigned.maxPriorityFeePerGas.toString(),
    ],
  );
}

/** A verdict against signing: there is no transaction that it belongs to. */
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

async function insertTransaction(tx: Tx, record: SignedRecord): Promise<void> {
  const { transactionId, order, wallet, unsigned } = record;
  await sql(
    tx,
    `insert into chain_transaction (id, chain_ref, purpose, purpose_id, sender, nonce, destination, value, data,
       gas_limit, token_contract, amount, status)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 'signed')`,
    [
      transactionId,
      wallet.chainRef,
      order.purpose,
      order.purposeId,
      wallet.addressKey,
      unsigned.nonce,
      unsigned.to.toLowerCase(),
      unsigned.value.toString(),
      unsigned.data,
      unsigned.gasLimit.toString(),
      order.token,
      order.amount.toString(),
    ],
  );
}

function fieldsOf(unsigned: UnsignedEvmTransaction): string {
  const texts = Object.entries(unsigned).map(([name, value]) => [name, String(value)]);
  return JSON.stringify(Object.fromEntries(texts));
}

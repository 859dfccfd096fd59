import { NATIVE_COIN } from '../domain/network.js';
import { type Tx, sql } from '../platform/database/database.js';
import type { SignedEvmTransaction, UnsignedEvmTransaction } from '../vault/evm/evm-transaction.js';
import type { CallOrder, TransactionPurpose, TransferOrder } from './transactions/standing-order.js';
import type { VaultVerdict } from './vault-audit.entity.js';

/** One signed version of an outgoing transaction, with everything that is kept of it. */
export interface SignedRecord {
  readonly transactionId: string;
  /** 1 = the first; it makes the outgoing transaction itself. */
  readonly attempt: number;
  readonly purpose: TransactionPurpose;
  readonly purposeId: string;
  readonly order: Pick<TransferOrder, 'kind' | 'token' | 'amount'> | Pick<CallOrder, 'kind'>;
  readonly wallet: { readonly chainRef: string; readonly addressKey: string };
  readonly unsigned: UnsignedEvmTransaction;
  readonly signed: SignedEvmTransaction;
}

/** Writes the verdict first, then the bytes: no signature is kept that was not accounted for. */
export async function recordSigned(
  tx: Tx,
  record: SignedRecord,
  verdict: Exclude<VaultVerdict, 'refused'> = 'signed',
): Promise<void> {
  const { transactionId, attempt, purpose, purposeId, unsigned, signed } = record;
  await sql(
    tx,
    `insert into vault_audit (transaction_id, attempt, purpose, purpose_id, verdict, tx_hash, fields)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [transactionId, attempt, purpose, purposeId, verdict, signed.hash, fieldsOf(unsigned)],
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
  const { transactionId, purpose, purposeId, order, wallet, unsigned } = record;
  // A call moves nothing of ours away: all that it costs is gas.
  const { token, amount } = order.kind === 'transfer' ? order : { token: NATIVE_COIN, amount: 0n };
  await sql(
    tx,
    `insert into chain_transaction (id, chain_ref, purpose, purpose_id, sender, nonce, destination, value, data,
       gas_limit, token_contract, amount, status)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 'signed')`,
    [
      transactionId,
      wallet.chainRef,
      purpose,
      purposeId,
      wallet.addressKey,
      unsigned.nonce,
      unsigned.to.toLowerCase(),
      unsigned.value.toString(),
      unsigned.data,
      unsigned.gasLimit.toString(),
      token,
      amount.toString(),
    ],
  );
}

function fieldsOf(unsigned: UnsignedEvmTransaction): string {
  const { authorizations, ...fields } = unsigned;
  const texts = Object.entries(fields).map(([name, value]) => [name, String(value)]);
  return JSON.stringify({ ...Object.fromEntries(texts), ...(authorizations && { authorizations }) });
}

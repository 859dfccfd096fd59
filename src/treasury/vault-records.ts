import { NATIVE_COIN } from '../domain/network.js';
import { rows, type Tx } from '../platform/database/database.js';
import type { SignedVersion } from './transactions/signable-transaction.js';
import type {
  CallOrder,
  EnergyOrder,
  FundingOrder,
  StakingOrder,
  SweepOrder,
  TransactionPurpose,
  TransferOrder,
} from './transactions/transaction-order.js';
import type { VaultVerdict } from './vault-audit.entity.js';
import {
  insertAttempts,
  insertRefusal,
  insertTransactions,
  insertVerdicts,
  type NewTransaction,
  type NewVersion,
} from './vault-records.sql.js';

/** One signed version of an outgoing transaction, with everything that is stored of it. */
export interface SignedRecord {
  readonly transactionId: string;
  /** 1 is the first; it creates the outgoing transaction. */
  readonly attempt: number;
  readonly purpose: TransactionPurpose;
  readonly purposeId: string;
  readonly order:
    | Pick<TransferOrder, 'kind' | 'token' | 'amount'>
    | Pick<FundingOrder, 'kind' | 'amount'>
    | Pick<StakingOrder, 'kind' | 'move' | 'amount'>
    | Pick<CallOrder | SweepOrder | EnergyOrder, 'kind'>;
  readonly wallet: { readonly chainRef: string; readonly addressKey: string };
  readonly version: SignedVersion;
}

/** Records the verdicts first, then the bytes: each stored signature has its audit row. */
export async function recordSigned(
  tx: Tx,
  records: readonly SignedRecord[],
  verdict: Exclude<VaultVerdict, 'refused'> = 'signed',
): Promise<void> {
  if (records.length === 0) return;
  const versions = records.map(versionOf);
  await rows(tx, insertVerdicts(verdict, versions));
  const started = records.filter(({ attempt }) => attempt === 1);
  if (started.length > 0) await rows(tx, insertTransactions(started.map(transactionOf)));
  await rows(tx, insertAttempts(versions));
}

/** Records a refusal to sign, which belongs to no transaction. */
export async function recordRefusal(
  tx: Tx,
  { purpose, purposeId, reason }: { purpose: string; purposeId: string; reason: string },
): Promise<void> {
  await rows(tx, insertRefusal(purpose, purposeId, reason));
}

const versionOf = ({ version, wallet, ...terms }: SignedRecord): NewVersion => ({
  ...terms,
  ...version,
  // The same bytes for two orders would pay one of them: they are unique on a chain without nonces.
  soleOn: version.expiry === null ? null : wallet.chainRef,
});

function transactionOf({ transactionId, purpose, purposeId, wallet, order, version }: SignedRecord): NewTransaction {
  const { nonce, destination, value, data, gasLimit, expiry } = version;
  // A call, a sweep, energy or a stake pays out no funds: it costs its fee alone.
  const token = order.kind === 'transfer' ? order.token : NATIVE_COIN;
  const amount = order.kind === 'transfer' || order.kind === 'funding' ? order.amount : 0n;
  const { chainRef } = wallet;
  const sender = version.sender ?? wallet.addressKey;
  const terms = { id: transactionId, chainRef, purpose, purposeId, sender, tokenContract: token, amount };
  return {
    ...terms,
    nonce,
    destination,
    value,
    data,
    gasLimit,
    costMax: expiry?.costMax ?? null,
    validAfterHeight: expiry?.afterHeight ?? null,
    validAfterHash: expiry?.afterHash ?? null,
    validUntil: expiry?.until ?? null,
  };
}

import type { IncludedTransaction } from '../chain/block.js';
import { contractRetOf, type ContractOutcome } from '../chain/execution.js';
import type { InternalTransaction, TransactionLog } from '../vm/call-trace.js';
import { transactionJson } from '../chain/tron-transaction.js';
import { addressBytes } from '../address.js';
import { withoutDefaults, type JsonObject } from '../wire/json.js';
import { bytesJson } from '../wire/message-json.js';
import type { FoundTransaction } from './node-view.js';

/** Returns a transaction with its result. */
export function includedTransactionJson({ transaction, outcome }: IncludedTransaction, isVisible: boolean): JsonObject {
  return { ret: [{ contractRet: contractRetOf(outcome) }], ...transactionJson(transaction, isVisible) };
}

/**
 * Returns the info of a transaction. A plain TRX transfer has no `receipt.result`, because only contracts have one.
 * Source: TransactionUtil.buildTransactionInfoInstance.
 */
export function transactionInfoJson(
  { transaction, outcome, number, time }: FoundTransaction,
  isVisible: boolean,
  hasInternal: boolean,
): JsonObject {
  const { call } = outcome;
  const hasFailed = call !== null && call.result !== 'SUCCESS';
  return withoutDefaults({
    id: transaction.id,
    fee: outcome.fee,
    blockNumber: number,
    blockTimeStamp: time,
    contractResult: [Buffer.from(call?.output ?? []).toString('hex')],
    contract_address: call === null ? undefined : shownAddress(call.contract, isVisible),
    receipt: withoutDefaults({
      energy_usage: call?.energy.staked,
      energy_fee: call?.energy.fee,
      energy_usage_total: call?.energy.total,
      net_usage: outcome.netUsage,
      net_fee: outcome.netFee,
      result: call?.result,
      energy_penalty_total: call?.energy.penalty,
    }),
    log: (call?.logs ?? []).map((log) => logJson(log, isVisible)),
    result: hasFailed ? 'FAILED' : undefined,
    resMessage: hasFailed ? bytesJson('text', Buffer.from(call.message), isVisible) : undefined,
    withdraw_expire_amount: outcome.withdrawn,
    internal_transactions: hasInternal ? internalJson(call, isVisible) : undefined,
  });
}

/** Returns the internal transactions of a call. Source: TransactionUtil.buildInternalTransaction. */
export function internalJson(call: Pick<ContractOutcome, 'internal'> | null, isVisible: boolean): JsonObject[] {
  return (call?.internal ?? []).map(({ hash, caller, to, value, note, isRejected }: InternalTransaction) =>
    withoutDefaults({
      hash,
      caller_address: shownAddress(caller, isVisible),
      transferTo_address: shownAddress(to, isVisible),
      callValueInfo: [withoutDefaults({ callValue: value })],
      note: Buffer.from(note).toString('hex'),
      rejected: isRejected,
    }),
  );
}

/** Logs have addresses without the version byte, unless they are shown. Source: Util.convertLogAddressToTronAddress. */
export const logJson = ({ address, topics, data }: TransactionLog, isVisible: boolean): JsonObject =>
  withoutDefaults({ address: isVisible ? shownAddress(`41${address}`, true) : address, topics, data });

const shownAddress = (key: string, isVisible: boolean): string => bytesJson('address', addressBytes(key), isVisible);

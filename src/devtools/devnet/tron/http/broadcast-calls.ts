import { broadcastError, Refusal } from '../chain/refusal.js';
import {
  decodeTransaction,
  transactionFromJson,
  transactionJson,
  type TronTransaction,
} from '../chain/tron-transaction.js';
import { jsonText, type JsonObject } from '../wire/json.js';
import { bytesJson, hexBytes } from '../wire/message-json.js';
import type { NodeView } from './node-view.js';
import type { Handlers } from './request.js';

/** Calls that send transactions. Source: BroadcastServlet, BroadcastHexServlet. */
export const BROADCAST_CALLS: Handlers = {
  broadcasttransaction: async (params, view): Promise<JsonObject> => {
    const transaction = transactionFromJson(params.members, params.isVisible);
    const refusal = await refusalOf(transaction, view);
    if (refusal === null) return { result: true, txid: transaction.id };
    const { code, message } = broadcastError(refusal);
    return { code, txid: transaction.id, message: bytesJson('text', Buffer.from(message), params.isVisible) };
  },
  broadcasthex: async (params, view): Promise<JsonObject> => {
    const transaction = decodeTransaction(hexBytes(params.text('transaction')));
    const refusal = await refusalOf(transaction, view);
    const { code, message } = refusal === null ? { code: 'SUCCESS', message: '' } : broadcastError(refusal);
    return {
      result: refusal === null,
      code,
      message,
      transaction: jsonText(transactionJson(transaction, true)),
      txid: transaction.id,
    };
  },
};

async function refusalOf(transaction: TronTransaction, { node }: NodeView): Promise<Refusal | null> {
  try {
    await node.accept(transaction);
    return null;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

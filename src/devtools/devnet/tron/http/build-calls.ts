import { addressKey } from '../address.js';
import { checkContract } from '../chain/execute.js';
import { rawDataOf, transactionJson, transactionOf, type TronTransaction } from '../chain/tron-transaction.js';
import type { JsonObject } from '../wire/json.js';
import { bytesFromJson, hexBytes, messageFromJson } from '../wire/message-json.js';
import type { ProtoMessage } from '../wire/proto-message.js';
import { contractSchema } from '../wire/tron-messages.js';
import type { NodeView } from './node-view.js';
import type { Handlers, RequestParams } from './request.js';

/** Source: Constant.TRANSACTION_DEFAULT_EXPIRATION_TIME. */
const LIFETIME_MS = 60_000;
const REFERENCE_HASH = [16, 32] as const;

/** The calls that build a transaction, with the type of its contract. */
const CONTRACT_TYPES: Readonly<Record<string, string>> = {
  createtransaction: 'TransferContract',
  createaccount: 'AccountCreateContract',
  freezebalancev2: 'FreezeBalanceV2Contract',
  unfreezebalancev2: 'UnfreezeBalanceV2Contract',
  withdrawexpireunfreeze: 'WithdrawExpireUnfreezeContract',
  delegateresource: 'DelegateResourceContract',
  undelegateresource: 'UnDelegateResourceContract',
};

/** Calls that build unsigned transactions; a full node checks them first. Source: Wallet.createTransactionCapsule. */
export const BUILD_CALLS: Handlers = Object.fromEntries(
  Object.entries(CONTRACT_TYPES).map(([name, type]) => [
    name,
    (params: RequestParams, view: NodeView): JsonObject => {
      const body = messageFromJson(contractSchema(type) ?? {}, params.members, params.isVisible);
      const owner = addressKey(body.bytes('owner_address'));
      checkContract({ type, body, owner, permissionId: 0n }, view.context);
      return builtJson(buildTransaction(type, body, params, view), params.isVisible);
    },
  ]),
);

/** Builds a transaction that refers to the solid block and expires in a minute. Source: Wallet.setTransaction. */
export function buildTransaction(
  type: string,
  body: ProtoMessage,
  params: RequestParams,
  { node }: NodeView,
): TronTransaction {
  const { blocks, solid, head } = node.chain;
  const number = Buffer.alloc(8);
  number.writeBigUInt64BE(BigInt(solid));
  const memo = params.text('extra_data');
  const raw = rawDataOf(type, body, BigInt(params.number('Permission_id')), {
    ref_block_bytes: number.subarray(-2),
    ref_block_hash: Buffer.from(blocks.idOf(solid).slice(...REFERENCE_HASH), 'hex'),
    expiration: BigInt(blocks.timeOf(head) + LIFETIME_MS),
    timestamp: BigInt(node.now()),
    fee_limit: BigInt(params.number('fee_limit')),
    data: params.isVisible ? bytesFromJson('text', memo, true) : hexBytes(memo),
  });
  return transactionOf(raw, []);
}

/** Returns a built transaction as its call answers it. */
export const builtJson = (transaction: TronTransaction, isVisible: boolean): JsonObject => ({
  visible: isVisible,
  ...transactionJson(transaction, isVisible),
});

import { z } from 'zod';
import { base58Of } from './account-key.js';
import type { Block } from './block-ledger.js';
import type { SolanaChain } from './chain.js';
import type { ExecutedTransaction } from './executed-transaction.js';
import { atLeastConfirmed, inContext, secondsOf, type Methods, type SolanaNode } from './node.js';
import { memosOf } from './memos.js';
import { filterTransactionNotFound, invalidParams } from './rpc-error.js';
import { ADDRESS, CONTEXT_FIELDS, parseParams, SIGNATURE, SLOT } from './rpc-params.js';
import { transactionAnswer, TRANSACTION_ENCODING } from './transaction-answer.js';

/** Agave `MAX_GET_CONFIRMED_SIGNATURES_FOR_ADDRESS2_LIMIT`. */
const SIGNATURES_MAX = 1_000;
/** Agave `MAX_GET_SIGNATURE_STATUSES_QUERY_ITEMS`. */
const STATUSES_MAX = 256;
/** Blocks whose statuses a node has without its history (Agave `MAX_RECENT_BLOCKHASHES`). */
const STATUS_CACHE_BLOCKS = 300;

const TRANSACTION_CONFIG = z
  .union([
    TRANSACTION_ENCODING.transform((encoding) => ({
      encoding,
      commitment: null,
      maxSupportedTransactionVersion: null,
    })),
    z.object({
      commitment: CONTEXT_FIELDS.commitment,
      encoding: TRANSACTION_ENCODING.nullish(),
      maxSupportedTransactionVersion: SLOT.nullish(),
    }),
  ])
  .nullish();

const SIGNATURES_CONFIG = z
  .object({
    ...CONTEXT_FIELDS,
    before: SIGNATURE.nullish(),
    until: SIGNATURE.nullish(),
    limit: z.number().int().nullish(),
  })
  .nullish();

/** The calls about transactions in blocks. */
export function historyMethods(node: SolanaNode): Methods {
  return {
    getTransaction: (params) => getTransaction(node, params),
    getSignatureStatuses: (params) => getSignatureStatuses(node, params),
    getSignaturesForAddress: (params) => getSignaturesForAddress(node, params),
  };
}

function getTransaction({ chain }: SolanaNode, params: readonly unknown[]): object | null {
  const [signature, config] = parseParams(z.tuple([SIGNATURE, TRANSACTION_CONFIG.optional()]), params);
  const commitment = atLeastConfirmed(config?.commitment);
  const executed = find(chain, signature);
  if (executed === null || executed.slot > chain.finality.block(commitment).slot) return null;
  const maxVersion = config?.maxSupportedTransactionVersion ?? null;
  return {
    blockTime: blockTimeOf(chain, executed.slot),
    ...transactionAnswer(executed, { encoding: config?.encoding ?? 'json', maxVersion }),
    slot: executed.slot,
    transactionIndex: executed.index,
  };
}

function getSignatureStatuses(node: SolanaNode, params: readonly unknown[]): object {
  const options = z.object({ searchTransactionHistory: z.boolean().nullish() }).nullish();
  const [signatures, config] = parseParams(z.tuple([z.array(SIGNATURE), options.optional()]), params);
  if (signatures.length > STATUSES_MAX) throw invalidParams(`Too many inputs provided; max ${STATUSES_MAX}`);
  const bank = node.bankOf({ commitment: 'processed' });
  const depthMax = config?.searchTransactionHistory === true ? Infinity : STATUS_CACHE_BLOCKS;
  return inContext(
    bank,
    signatures.map((signature) => statusOf(node.chain, signature, bank, depthMax)),
  );
}

function statusOf(chain: SolanaChain, signature: string, bank: Block, depthMax: number): object | null {
  const executed = find(chain, signature);
  if (executed === null) return null;
  const { slot, outcome } = executed;
  const depth = bank.height - (chain.ledger.at(slot)?.height ?? 0);
  if (depth > depthMax) return null;
  const confirmationStatus = chain.finality.commitmentOf(slot);
  const { error } = outcome;
  return {
    confirmationStatus,
    confirmations: confirmationStatus === 'finalized' ? null : depth,
    err: error,
    slot,
    status: error === null ? { Ok: null } : { Err: error },
  };
}

function getSignaturesForAddress(node: SolanaNode, params: readonly unknown[]): object[] {
  const [key, config] = parseParams(z.tuple([ADDRESS, SIGNATURES_CONFIG.optional()]), params);
  const limit = config?.limit ?? SIGNATURES_MAX;
  const before = config?.before ?? null;
  const until = config?.until ?? null;
  if (limit < 1 || limit > SIGNATURES_MAX) throw invalidParams(`Invalid limit; max ${SIGNATURES_MAX}`);
  const bank = node.bankOf({ ...config, commitment: atLeastConfirmed(config?.commitment) });
  const { chain } = node;
  const list = chain.transactions.ofAccount(key).filter((one) => isKept(chain, one) && one.slot <= bank.slot);
  const end = before === null ? list.length : indexOf(chain, list, before);
  const first = until === null ? 0 : indexOf(chain, list, until);
  // The transaction that ends the search is left out.
  const start = until !== null && list[first]?.signature === until ? first + 1 : first;
  return list
    .slice(Math.max(start, end - limit), Math.max(start, end))
    .toReversed()
    .map((one) => listedAnswer(chain, one));
}

const listedAnswer = (chain: SolanaChain, { slot, index, signature, bytes, outcome }: ExecutedTransaction): object => ({
  blockTime: blockTimeOf(chain, slot),
  confirmationStatus: chain.finality.commitmentOf(slot),
  err: outcome.error,
  memo: memosOf(bytes),
  signature: base58Of(signature),
  slot,
  transactionIndex: index,
});

function blockTimeOf({ ledger }: SolanaChain, slot: number): number | null {
  const block = ledger.at(slot);
  return block === null ? null : secondsOf(block.timeMs);
}

const isKept = ({ firstSlot }: SolanaChain, { slot }: ExecutedTransaction): boolean => slot >= firstSlot;

function find(chain: SolanaChain, signature: string): ExecutedTransaction | null {
  const transaction = chain.transactions.find(signature);
  return transaction !== null && isKept(chain, transaction) ? transaction : null;
}

/** Returns the place in a list, oldest first, that a transaction has or would have. @throws RpcError -32020 */
function indexOf(chain: SolanaChain, list: readonly ExecutedTransaction[], signature: string): number {
  const marked = find(chain, signature);
  if (marked === null) throw filterTransactionNotFound(base58Of(signature));
  const index = list.findIndex(
    (one) => one.slot > marked.slot || (one.slot === marked.slot && one.index >= marked.index),
  );
  return index < 0 ? list.length : index;
}

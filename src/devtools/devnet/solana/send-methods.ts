import { base58, base64 } from '@scure/base';
import { z } from 'zod';
import { accountAnswer, ACCOUNT_ENCODING } from './account-answer.js';
import { addressOf, base58Of, bytesOf } from './account-key.js';
import { PROCESSING_AGE_BLOCKS } from './chain.js';
import { coinTransfer } from './faucet.js';
import { COMMITMENTS } from './finality.js';
import { inContext, type Methods, type SolanaNode } from './node.js';
import { invalidParams, preflightFailure, signatureVerificationFailure } from './rpc-error.js';
import { ADDRESS, CONTEXT, CONTEXT_FIELDS, parseParams, SLOT } from './rpc-params.js';
import { messageFault, sanitizeFault } from './sanitize.js';
import { isFullySigned } from './signatures.js';
import { simulate } from './simulation.js';
import { errorText } from './transaction-error.js';
import { feeOf } from './transaction-fee.js';
import { WireError } from './wire-reader.js';
import {
  bytesMaxOf,
  decodeMessage,
  decodeTransaction,
  V1_BYTES_MAX,
  type WireTransaction,
} from './wire-transaction.js';

const TYPE_NAME = 'solana_transaction::versioned::VersionedTransaction';
const ENCODING = z.enum(['base58', 'base64']);
/** The text of the largest transaction. */
const TEXT_MAX = { base58: 5_594, base64: 5_464 } as const;

const SEND_CONFIG = z
  .object({
    encoding: ENCODING.nullish(),
    skipPreflight: z.boolean().nullish(),
    preflightCommitment: z.enum(COMMITMENTS).nullish(),
    maxRetries: SLOT.nullish(),
    minContextSlot: SLOT.nullish(),
  })
  .nullish();

const SIMULATE_CONFIG = z
  .object({
    ...CONTEXT_FIELDS,
    encoding: ENCODING.nullish(),
    sigVerify: z.boolean().nullish(),
    replaceRecentBlockhash: z.boolean().nullish(),
    innerInstructions: z.boolean().nullish(),
    accounts: z.object({ addresses: z.array(ADDRESS), encoding: ACCOUNT_ENCODING.nullish() }).nullish(),
  })
  .nullish();

/** The calls that take a transaction or a message (Agave `rpc.rs` `send_transaction`, `simulate_transaction`). */
export function sendMethods(node: SolanaNode): Methods {
  return {
    sendTransaction: (params) => sendTransaction(node, params),
    simulateTransaction: (params) => simulateTransaction(node, params),
    getFeeForMessage: (params) => getFeeForMessage(node, params),
    requestAirdrop: (params) => requestAirdrop(node, params),
  };
}

function sendTransaction(node: SolanaNode, params: readonly unknown[]): string {
  const [text, config] = parseParams(z.tuple([z.string(), SEND_CONFIG.optional()]), params);
  const transaction = transactionOf(text, config?.encoding ?? 'base58');
  const skips = config?.skipPreflight === true;
  const commitment = skips ? 'processed' : config?.preflightCommitment;
  const bank = node.bankOf({ commitment, minContextSlot: config?.minContextSlot });
  if (!skips) {
    if (!isFullySigned(transaction)) throw signatureVerificationFailure();
    node.assertHealthy();
    const { error, answer } = simulate(node.chain, transaction, bank);
    if (error !== null) throw preflightFailure(errorText(error), answer);
  }
  node.chain.accept(transaction);
  return base58Of(transaction.signature);
}

function simulateTransaction(node: SolanaNode, params: readonly unknown[]): object {
  const { chain } = node;
  const [text, config] = parseParams(z.tuple([z.string(), SIMULATE_CONFIG.optional()]), params);
  const sent = transactionOf(text, config?.encoding ?? 'base58');
  const bank = node.bankOf(config);
  const replaces = config?.replaceRecentBlockhash === true;
  const wanted = config?.accounts ?? null;
  if (config?.sigVerify === true) {
    if (replaces) throw invalidParams('sigVerify may not be used with replaceRecentBlockhash');
    if (!isFullySigned(sent)) throw signatureVerificationFailure();
  }
  const hash = chain.ledger.hashOf(bank.slot);
  const simulation = simulate(chain, replaces ? withBlockhash(sent, hash) : sent, bank);
  const replacement = { blockhash: addressOf(hash), lastValidBlockHeight: bank.height + PROCESSING_AGE_BLOCKS };
  return inContext(bank, {
    ...simulation.answer,
    accounts: wanted === null ? null : simulatedAccounts(wanted, simulation),
    innerInstructions: config?.innerInstructions === true ? simulation.innerInstructions : null,
    replacementBlockhash: replaces ? replacement : null,
  });
}

function getFeeForMessage(node: SolanaNode, params: readonly unknown[]): object {
  const [text, config] = parseParams(z.tuple([z.string(), CONTEXT.optional()]), params);
  const message = decoded('message', () => decodeMessage(bytesOfText(text, 'base64')));
  const fault = messageFault(message);
  if (fault !== null) throw invalidParams(`invalid transaction message: ${fault}`);
  const bank = node.bankOf(config);
  return inContext(bank, node.chain.isFresh(message.blockhash, bank) ? feeOf(message) : null);
}

function requestAirdrop({ chain }: SolanaNode, params: readonly unknown[]): string {
  const [key, lamports] = parseParams(z.tuple([ADDRESS, SLOT, CONTEXT.optional()]), params);
  const transaction = coinTransfer(chain, key, BigInt(lamports));
  chain.accept(transaction);
  return base58Of(transaction.signature);
}

function simulatedAccounts(
  { addresses, encoding }: { addresses: readonly string[]; encoding?: z.infer<typeof ACCOUNT_ENCODING> | null },
  { keys, accountAfter }: ReturnType<typeof simulate>,
): (object | null)[] {
  if (encoding === 'base58') throw invalidParams('base58 encoding not supported');
  if (addresses.length > keys.length) throw invalidParams(`Too many accounts provided; max ${keys.length}`);
  return addresses.map((key) => {
    const account = keys.includes(key) ? accountAfter(key) : null;
    return account === null ? null : accountAnswer(account, { encoding: encoding ?? 'base64' }, accountAfter);
  });
}

/** @throws RpcError -32602 for what no node takes */
function transactionOf(text: string, encoding: z.infer<typeof ENCODING>): WireTransaction {
  const max = TEXT_MAX[encoding];
  if (text.length > max) {
    const limits = `max: encoded/raw ${max}/${V1_BYTES_MAX}`;
    throw invalidParams(`${encoding} encoded ${TYPE_NAME} too large: ${text.length} bytes (${limits})`);
  }
  const bytes = bytesOfText(text, encoding);
  const transaction = decoded(TYPE_NAME, () => decodeTransaction(bytes));
  const bytesMax = bytesMaxOf(transaction.version);
  if (bytes.length > bytesMax) {
    throw invalidParams(`decoded ${TYPE_NAME} too large: ${bytes.length} bytes (max: ${bytesMax} bytes)`);
  }
  const fault = sanitizeFault(transaction);
  if (fault !== null) throw invalidParams(`invalid transaction: ${fault}`);
  return transaction;
}

function bytesOfText(text: string, encoding: z.infer<typeof ENCODING>): Uint8Array {
  try {
    return encoding === 'base64' ? base64.decode(text) : base58.decode(text);
  } catch {
    throw invalidParams(`invalid ${encoding} encoding`);
  }
}

function decoded<T>(name: string, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (error instanceof WireError) throw invalidParams(`failed to deserialize ${name}: ${error.message}`);
    throw error;
  }
}

/** Returns the transaction with another blockhash; its signatures no longer fit. */
function withBlockhash(transaction: WireTransaction, blockhash: string): WireTransaction {
  const bytes = Uint8Array.from(transaction.bytes);
  const start = transaction.message.byteOffset - transaction.bytes.byteOffset;
  bytes.set(bytesOf(blockhash), start + transaction.blockhashOffset);
  return decodeTransaction(bytes);
}

import { randomInt } from 'node:crypto';
import { z } from 'zod';
import { addressBytes, parseAddress } from './address.js';
import { askNode } from './ask-node.js';
import { type DevTransaction, signedTransaction } from './signed-transaction.js';
import type { TronDevChain } from './tron-dev-chain.js';
import type { TronValidity } from './transaction-fate.js';
import { callData } from './vm/call-data.js';

const LIFETIME_MS = 60_000;
/** Distinguishes equal transfers that several processes sign in the same millisecond. */
const LIFETIME_SPREAD_MS = 30_000;

const BLOCK = z.object({
  blockID: z.string(),
  block_header: z.object({ raw_data: z.object({ timestamp: z.number() }) }),
});
const ACCEPTED = z.object({
  result: z.boolean().optional(),
  code: z.string().default(''),
  message: z.string().default(''),
});

/** A payment in a test token, or in TRX. */
export interface TronTestTransfer {
  readonly to: string;
  /** Symbol of a token of the chain; null = TRX. */
  readonly token: string | null;
  /** Smallest units. */
  readonly amount: bigint;
  readonly from: TronDevChain['sandboxPayer'];
}

/** The chain of a transfer. */
type TransferChain = Pick<TronDevChain, 'rpcUrl' | 'tokens'>;

/** A signed transfer: the same bytes can be sent repeatedly and move the funds once. */
export interface SignedTronTransfer {
  readonly txHash: string;
  /** Hex. */
  readonly raw: string;
  readonly sender: string;
  readonly validity: TronValidity;
}

/** The chain refused a transaction. */
export class TronRefusal extends Error {
  override name = 'TronRefusal';
}

let lastTimestamp = 0;

/** Signs a transfer without sending it, for callers that store the bytes first. It follows a final block: no fork drops it. */
export async function signTronTransfer(chain: TransferChain, transfer: TronTestTransfer): Promise<SignedTronTransfer> {
  const { rpcUrl } = chain;
  const [head, solid] = await Promise.all(
    ['wallet', 'walletsolidity'].map((of) => askNode(rpcUrl, BLOCK, `${of}/getblock`, { detail: false })),
  );
  if (head === undefined || solid === undefined) throw new Error('The chain has no blocks.');
  const { from } = transfer;
  lastTimestamp = Math.max(Date.now(), lastTimestamp + 1);
  const expiration = head.block_header.raw_data.timestamp + LIFETIME_MS + randomInt(LIFETIME_SPREAD_MS);
  const { id, bytes } = signedTransaction({
    account: from,
    owner: keyOf(from.address),
    ...moveOf(chain, transfer),
    reference: solid.blockID,
    timestamp: lastTimestamp,
    expiration,
  });
  return { txHash: id, raw: Buffer.from(bytes).toString('hex'), sender: from.address, validity: { expiration } };
}

/** Sends a signed transfer. @throws TronRefusal */
export async function broadcastTronTransfer(url: string, raw: string): Promise<void> {
  const { result, code, message } = await askNode(url, ACCEPTED, 'wallet/broadcasthex', { transaction: raw });
  if (result !== true) throw new TronRefusal(`broadcasthex: ${code} ${message}`);
}

function moveOf(
  { tokens }: TransferChain,
  { to, token: symbol, amount }: TronTestTransfer,
): Pick<DevTransaction, 'type' | 'fields'> {
  const recipient = keyOf(to);
  if (symbol === null) {
    return { type: 'TransferContract', fields: { to_address: addressBytes(recipient), amount } };
  }
  const token = tokens[symbol];
  if (token === undefined) throw new Error(`The tron development chain has no ${symbol}.`);
  const data = callData('transfer(address,uint256)', recipient, amount);
  return { type: 'TriggerSmartContract', fields: { contract_address: addressBytes(keyOf(token.address)), data } };
}

function keyOf(address: string): string {
  const key = parseAddress(address);
  if (key === null) throw new Error(`${address} is no address of tron.`);
  return key;
}

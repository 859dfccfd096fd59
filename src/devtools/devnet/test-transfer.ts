import { Transaction, Wallet } from 'ethers';
import { z } from 'zod';
import type { DevAccount } from './dev-accounts.js';
import type { EvmDevChain } from './evm-dev-chain.js';
import { askChain, DevRpcRefusal, HEX_BIGINT, HEX_NUMBER } from './dev-rpc.js';
import { TEST_TOKEN } from './test-token.js';

const GAS_LIMIT = 100_000n;
const TIP_WEI = 1_000_000_000n;

/** A payment in a test token, or in the chain's own coin. */
export interface TestTransfer {
  readonly to: string;
  /** Symbol of a token of the chain; null = the chain's own coin. */
  readonly token: string | null;
  /** Smallest units. */
  readonly amount: bigint;
  /** Default: the chain's faucet. */
  readonly from?: DevAccount;
}

/** A signed transfer: the same bytes can be sent repeatedly and move the tokens once. */
export interface SignedTransfer {
  readonly txHash: string;
  readonly raw: string;
  /** Lower case. */
  readonly sender: string;
  readonly nonce: number;
}

/** Returns the first nonce of an address that no transaction uses, mined or pending. */
export async function nextNonce(chain: EvmDevChain, address: string): Promise<number> {
  return askChain(chain.rpcUrl, HEX_NUMBER, 'eth_getTransactionCount', address, 'pending');
}

/** Returns the number of an address's transactions up to a block. */
export async function nonceAt(chain: EvmDevChain, address: string, height: number): Promise<number> {
  return askChain(chain.rpcUrl, HEX_NUMBER, 'eth_getTransactionCount', address, `0x${height.toString(16)}`);
}

/** Signs a transfer without sending it, for callers that store the bytes first. The caller chooses the nonce. */
export async function signTestTransfer(
  chain: EvmDevChain,
  { to, token, amount, from = chain.faucet }: TestTransfer,
  nonce: number,
): Promise<SignedTransfer> {
  const call = token === null ? { to, value: amount } : tokenCall(chain, token, to, amount);
  const head = z.object({ baseFeePerGas: HEX_BIGINT });
  const { baseFeePerGas } = await askChain(chain.rpcUrl, head, 'eth_getBlockByNumber', 'latest', false);
  const fees = { maxPriorityFeePerGas: TIP_WEI, maxFeePerGas: 2n * baseFeePerGas + TIP_WEI };
  const order = { ...call, ...fees, type: 2, chainId: chain.chainId, nonce, gasLimit: GAS_LIMIT };
  const raw = await new Wallet(from.privateKey).signTransaction(order);
  const { hash } = Transaction.from(raw);
  if (hash === null) throw new Error('The signed transaction has no hash.');
  return { txHash: hash, raw, sender: from.address, nonce };
}

/**
 * Sends signed bytes, which the chain may have already.
 * @throws DevRpcRefusal when the chain does not accept them.
 */
export async function broadcastTransfer(
  chain: EvmDevChain,
  { raw, txHash }: Pick<SignedTransfer, 'raw' | 'txHash'>,
): Promise<void> {
  try {
    await askChain(chain.rpcUrl, z.string(), 'eth_sendRawTransaction', raw);
  } catch (error) {
    const known = await askChain(chain.rpcUrl, z.unknown(), 'eth_getTransactionByHash', txHash);
    if (known === null || !(error instanceof DevRpcRefusal)) throw error;
  }
}

function tokenCall(chain: EvmDevChain, symbol: string, to: string, amount: bigint): { to: string; data: string } {
  const token = chain.tokens[symbol];
  if (token === undefined) throw new Error(`The ${chain.network} development chain has no ${symbol}.`);
  return { to: token.address, data: TEST_TOKEN.encodeFunctionData('transfer', [to, amount]) };
}

import { Contract, FetchRequest, isError, JsonRpcProvider, type TransactionResponse, Wallet } from 'ethers';
import { CommandFailure } from '../command.js';
import type { Sandbox } from '../sandbox-file.js';

const RPC_TIMEOUT_MS = 10_000;
const MINED_WITHIN_MS = 30_000;
const POLL_MS = 200;
/** Other processes may send from the faucet's account at the same time. */
const TRIES_MAX = 5;

/** Without the bool of the standard: some tokens return nothing, and wallets ignore it. */
const ERC20 = ['function transfer(address to, uint256 amount)', 'function balanceOf(address) view returns (uint256)'];

/** A chain of the sandbox, with the key of its faucet. */
export type DemoChain = Sandbox['networks'][string];

/** The payment of a customer. */
export interface DemoOrder {
  /** Contract of the token; null = the chain's own coin. */
  readonly token: string | null;
  readonly to: string;
  /** Smallest units. */
  readonly amount: bigint;
}

/** A payment that was mined. */
export interface DemoPayment {
  readonly txHash: string;
  readonly blockNumber: number;
}

/**
 * Pays like a customer's wallet: signs a transfer of the token or the coin and sends it to the node of the chain. The
 * service has to find the payment on the chain.
 */
export async function payOnChain(chain: DemoChain, order: DemoOrder): Promise<DemoPayment> {
  return withProvider(chain, (provider) => transfer(new Wallet(chain.faucet.private_key, provider), order));
}

/** Returns a new address, such as a wallet of the merchant would show. */
export const newAddress = (): string => Wallet.createRandom().address;

/** Reads the balance of an address from the chain, in smallest units of a token (contract; null = the chain's own coin). */
export async function balanceOnChain(chain: DemoChain, token: string | null, holder: string): Promise<bigint> {
  return withProvider(chain, async (provider) =>
    token === null
      ? provider.getBalance(holder)
      : BigInt(await new Contract(token, ERC20, provider).getFunction('balanceOf').staticCall(holder)),
  );
}

async function withProvider<T>(chain: DemoChain, work: (provider: JsonRpcProvider) => Promise<T>): Promise<T> {
  const request = new FetchRequest(chain.rpc_url);
  request.timeout = RPC_TIMEOUT_MS;
  const provider = new JsonRpcProvider(request, chain.chain_id, {
    staticNetwork: true,
    cacheTimeout: -1,
    pollingInterval: POLL_MS,
  });
  try {
    await assertChain(provider, chain);
    return await work(provider);
  } finally {
    provider.destroy();
  }
}

async function transfer(wallet: Wallet, order: DemoOrder): Promise<DemoPayment> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const sent = await send(wallet, order);
      const receipt = await sent.wait(1, MINED_WITHIN_MS);
      if (receipt === null) throw new CommandFailure(`${sent.hash} is in no block.`);
      return { txHash: receipt.hash, blockNumber: receipt.blockNumber };
    } catch (error) {
      if (!isNonceTaken(error) || attempt === TRIES_MAX) throw error;
    }
  }
}

function send(wallet: Wallet, { token, to, amount }: DemoOrder): Promise<TransactionResponse> {
  if (token === null) return wallet.sendTransaction({ to, value: amount });
  return new Contract(token, ERC20, wallet).getFunction('transfer').send(to, amount);
}

const isNonceTaken = (error: unknown): boolean =>
  isError(error, 'NONCE_EXPIRED') || isError(error, 'REPLACEMENT_UNDERPRICED');

/** Another chain of the same machine may use the URL by now. */
async function assertChain(provider: JsonRpcProvider, chain: DemoChain): Promise<void> {
  const found = await provider.send('eth_chainId', []).catch((cause: unknown) => {
    throw new CommandFailure(`The chain at ${chain.rpc_url} does not answer.`, 'restart the service.', { cause });
  });
  if (Number(found) === chain.chain_id) return;
  throw new CommandFailure(`${chain.rpc_url} is chain ${Number(found)} instead of ${chain.chain_id}.`);
}

import { Contract, FetchRequest, isError, JsonRpcProvider, type TransactionResponse, Wallet } from 'ethers';
import { CommandFailure } from '../command.js';
import type { DemoChain, DemoOrder, DemoPayment, DemoWallet } from './demo-wallet.js';

const RPC_TIMEOUT_MS = 10_000;
const MINED_WITHIN_MS = 30_000;
const POLL_MS = 200;
/** Other processes may send from the faucet's account at the same time. */
const TRIES_MAX = 5;

/** Without the bool of the standard: some tokens return nothing, and wallets ignore it. */
const ERC20 = ['function transfer(address to, uint256 amount)', 'function balanceOf(address) view returns (uint256)'];

/** A wallet on an EVM chain. */
export class EvmDemoWallet implements DemoWallet {
  constructor(private readonly chain: DemoChain) {}

  pay(order: DemoOrder): Promise<DemoPayment> {
    const { private_key: key } = this.chain.faucet;
    return withProvider(this.chain, (provider) => transfer(new Wallet(key, provider), order));
  }

  balanceOf(token: string | null, holder: string): Promise<bigint> {
    return withProvider(this.chain, async (provider) =>
      token === null
        ? provider.getBalance(holder)
        : BigInt(await new Contract(token, ERC20, provider).getFunction('balanceOf').staticCall(holder)),
    );
  }

  async newAddress(): Promise<string> {
    return Wallet.createRandom().address;
  }
}

async function withProvider<T>(chain: DemoChain, work: (provider: JsonRpcProvider) => Promise<T>): Promise<T> {
  const request = new FetchRequest(chain.rpc_url);
  request.timeout = RPC_TIMEOUT_MS;
  const provider = new JsonRpcProvider(request, Number(chain.chain_id), {
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

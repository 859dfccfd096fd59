import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { askNode } from '../../devtools/devnet/tron/ask-node.js';
import { broadcastTronTransfer, signTronTransfer } from '../../devtools/devnet/tron/test-transfer.js';
import { tronFate } from '../../devtools/devnet/tron/transaction-fate.js';
import { tronAddressOf } from '../../devtools/devnet/tron/tron-dev-accounts.js';
import { tronCoins, tronTokens } from '../../devtools/devnet/tron/wallet-funding.js';
import { CommandFailure } from '../command.js';
import { poll } from '../poll.js';
import type { DemoChain, DemoOrder, DemoPayment, DemoWallet } from './demo-wallet.js';

const IN_BLOCK_WITHIN_MS = 60_000;
const POLL_MS = 200;
const BLOCK = z.object({ blockID: z.string() });

/** A wallet on a chain of tron. */
export class TronDemoWallet implements DemoWallet {
  constructor(private readonly chain: DemoChain) {}

  async pay({ token, to, amount }: DemoOrder): Promise<DemoPayment> {
    await this.assertChain();
    const { rpc_url: rpcUrl, faucet } = this.chain;
    const from = { address: faucet.address, privateKey: faucet.private_key };
    const transfer = { token: this.symbolOf(token), to, amount, from };
    const { raw, txHash, validity } = await signTronTransfer({ rpcUrl, tokens: this.tokens() }, transfer);
    await broadcastTronTransfer(rpcUrl, raw);
    const height = await poll(
      async () => {
        const fate = await tronFate(rpcUrl, txHash, validity);
        if (typeof fate === 'string') return null;
        if (!fate.succeeded) throw new CommandFailure(`${txHash} failed.`);
        return fate.height;
      },
      { everyMs: POLL_MS, withinMs: IN_BLOCK_WITHIN_MS },
    );
    if (height === null) throw new CommandFailure(`${txHash} is in no block.`);
    return { txHash, blockNumber: height };
  }

  async balanceOf(token: string | null, holder: string): Promise<bigint> {
    const { rpc_url: url } = this.chain;
    return token === null ? tronCoins(url, holder) : tronTokens(url, token, holder);
  }

  async newAddress(): Promise<string> {
    return tronAddressOf(randomBytes(32));
  }

  private tokens(): Readonly<Record<string, { readonly address: string; readonly decimals: number }>> {
    return Object.fromEntries(
      Object.entries(this.chain.tokens).flatMap(([symbol, { address, decimals }]) =>
        address === null ? [] : [[symbol, { address, decimals }]],
      ),
    );
  }

  private symbolOf(token: string | null): string | null {
    if (token === null) return null;
    const found = Object.entries(this.tokens()).find(([, { address }]) => address === token);
    if (found === undefined) throw new CommandFailure(`The sandbox has no token ${token} on tron.`);
    return found[0];
  }

  /** Another chain of the same machine may use the URL by now. */
  private async assertChain(): Promise<void> {
    const { rpc_url: url, chain_id: expected } = this.chain;
    const body = { id_or_num: '0', detail: false };
    const { blockID: found } = await askNode(url, BLOCK, 'wallet/getblock', body).catch((cause: unknown) => {
      throw new CommandFailure(`The chain at ${url} does not answer.`, 'restart the service.', { cause });
    });
    if (found !== expected) throw new CommandFailure(`${url} is chain ${found} instead of ${expected}.`);
  }
}

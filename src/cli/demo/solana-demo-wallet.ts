import { randomUUID } from 'node:crypto';
import { createSolanaRpc, type Signature, generateKeyPairSigner, address } from '@solana/kit';
import { findAssociatedTokenPda, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { signSolanaTransfer } from '../../devtools/devnet/solana/test-transfer.js';
import { CommandFailure } from '../command.js';
import { poll } from '../poll.js';
import type { DemoChain, DemoOrder, DemoPayment, DemoWallet } from './demo-wallet.js';

const IN_BLOCK_WITHIN_MS = 60_000;
const POLL_MS = 200;

/** A wallet on a chain of solana. */
export class SolanaDemoWallet implements DemoWallet {
  constructor(private readonly chain: DemoChain) {}

  async pay({ token, to, amount }: DemoOrder): Promise<DemoPayment> {
    await this.assertChain();
    const { rpc_url: rpcUrl, faucet } = this.chain;
    const tokens = Object.fromEntries(this.tokens());
    const from = { address: faucet.address, privateKey: faucet.private_key };
    const transfer = { token: this.symbolOf(token), to, amount, memo: randomUUID(), from };
    const { raw, txHash } = await signSolanaTransfer({ rpcUrl, tokens }, transfer);
    await this.rpc.sendTransaction(raw, { encoding: 'base64', preflightCommitment: 'confirmed' }).send();
    return { txHash, blockNumber: await this.untilInBlock(txHash) };
  }

  async balanceOf(token: string | null, holder: string): Promise<bigint> {
    const owner = address(holder);
    const config = { commitment: 'confirmed' } as const;
    if (token === null) return (await this.rpc.getBalance(owner, config).send()).value;
    const mint = address(token);
    const [account] = await findAssociatedTokenPda({ owner, mint, tokenProgram: TOKEN_PROGRAM_ADDRESS });
    const { value } = await this.rpc.getTokenAccountBalance(account, config).send();
    return BigInt(value.amount);
  }

  async newAddress(): Promise<string> {
    return (await generateKeyPairSigner()).address;
  }

  private get rpc() {
    return createSolanaRpc(this.chain.rpc_url);
  }

  private *tokens(): Generator<[symbol: string, { readonly address: string; readonly decimals: number }]> {
    for (const [symbol, { address: mint, decimals }] of Object.entries(this.chain.tokens)) {
      if (mint !== null) yield [symbol, { address: mint, decimals }];
    }
  }

  private symbolOf(token: string | null): string | null {
    if (token === null) return null;
    const found = [...this.tokens()].find(([, { address: mint }]) => mint === token);
    if (found === undefined) throw new CommandFailure(`The sandbox has no token ${token} on solana.`);
    return found[0];
  }

  private async untilInBlock(txHash: Signature): Promise<number> {
    const find = async (): Promise<number | null> => {
      const { value } = await this.rpc.getSignatureStatuses([txHash]).send();
      const status = value[0];
      if (status === null || status === undefined || status.confirmationStatus === 'processed') return null;
      if (status.err !== null) throw new CommandFailure(`${txHash} failed: ${JSON.stringify(status.err)}.`);
      return Number(status.slot);
    };
    const slot = await poll(find, { everyMs: POLL_MS, withinMs: IN_BLOCK_WITHIN_MS });
    if (slot === null) throw new CommandFailure(`${txHash} is in no block.`);
    return slot;
  }

  /** Another chain of the same machine may use the URL by now. */
  private async assertChain(): Promise<void> {
    const { rpc_url: url, chain_id: expected } = this.chain;
    const found = await this.rpc
      .getGenesisHash()
      .send()
      .catch((cause: unknown) => {
        throw new CommandFailure(`The chain at ${url} does not answer.`, 'restart the service.', { cause });
      });
    if (found !== expected) throw new CommandFailure(`${url} is chain ${found} instead of ${expected}.`);
  }
}

import { DevRpcRefusal } from '../devtools/devnet/dev-rpc.js';
import type { EvmDevChain } from '../devtools/devnet/evm-dev-chain.js';
import { minedTransaction } from '../devtools/devnet/mined-transaction.js';
import { broadcastTransfer, nextNonce, nonceAt, signTestTransfer } from '../devtools/devnet/test-transfer.js';
import { NATIVE_COIN } from '../domain/network.js';
import type { OpenOrder, SignedPayment } from './sandbox-orders.js';
import type { PaymentFate, SandboxWallet, SendOutcome } from './sandbox-wallet.js';

/** The payer on an EVM chain: one transaction is mined for each nonce. */
export class EvmWallet implements SandboxWallet {
  constructor(private readonly chain: EvmDevChain) {}

  async sign({ to, token, tokenContract, amount }: OpenOrder): Promise<SignedPayment> {
    const from = this.chain.sandboxPayer;
    const transfer = { to, token: tokenContract === NATIVE_COIN ? null : token, amount, from };
    const nonce = await nextNonce(this.chain, from.address);
    return { ...(await signTestTransfer(this.chain, transfer, nonce)), validity: null };
  }

  async fateOf({ txHash }: SignedPayment, finalizedHeight: number): Promise<PaymentFate> {
    const mined = await minedTransaction(this.chain.rpcUrl, txHash);
    if (mined === null) return 'absent';
    if (mined.blockNumber > finalizedHeight) return 'included';
    return mined.succeeded ? 'final' : 'reverted';
  }

  async send(signed: SignedPayment, { finalizedHeight }: { readonly finalizedHeight: number }): Promise<SendOutcome> {
    try {
      await broadcastTransfer(this.chain, signed);
      return 'sent';
    } catch (error) {
      if (!(error instanceof DevRpcRefusal)) throw error;
      return { refusal: error, bytes: await this.refused(signed, finalizedHeight) };
    }
  }

  /** Only the nonce, not the error's text, says what refused bytes are worth. */
  private async refused({ sender, nonce }: SignedPayment, finalizedHeight: number): Promise<'void' | 'dead' | 'open'> {
    if (nonce === null) throw new Error('A payment on an EVM chain has a nonce.');
    if ((await nextNonce(this.chain, sender)) <= nonce) return 'void';
    return (await nonceAt(this.chain, sender, finalizedHeight)) > nonce ? 'dead' : 'open';
  }
}

import { z } from 'zod';
import { askChain, DevRpcRefusal } from '../devtools/devnet/dev-rpc.js';
import type { SolanaDevChain } from '../devtools/devnet/solana/solana-dev-chain.js';
import { solanaFate } from '../devtools/devnet/solana/transaction-fate.js';
import { NATIVE_COIN } from '../domain/network.js';
import type { OpenOrder, SignedPayment } from './sandbox-orders.js';
import type { PaymentFate, SandboxWallet, SendOutcome } from './sandbox-wallet.js';

/** The preflight of the default commitment does not know a fresh blockhash. */
const SEND_CONFIG = { encoding: 'base64', preflightCommitment: 'confirmed' };

/** The payer on solana. Two signed versions exclude nothing there: the same bytes are sent until they are proven dead. */
export class SolanaWallet implements SandboxWallet {
  constructor(private readonly chain: SolanaDevChain) {}

  async sign({ id, to, token, tokenContract, amount }: OpenOrder): Promise<SignedPayment> {
    // Loaded with the first payment: the library takes 100 ms and 20 MB, and only a sandbox needs it here.
    const { signSolanaTransfer } = await import('../devtools/devnet/solana/test-transfer.js');
    const symbol = tokenContract === NATIVE_COIN ? null : token;
    const transfer = { to, token: symbol, amount, memo: id, from: this.chain.sandboxPayer };
    return { ...(await signSolanaTransfer(this.chain, transfer)), nonce: null };
  }

  async fateOf({ txHash, validity }: SignedPayment, finalizedHeight: number): Promise<PaymentFate> {
    if (validity === null || !('blockhash' in validity))
      throw new Error('A payment on solana names the block that it follows.');
    const fate = await solanaFate(this.chain.rpcUrl, txHash, validity);
    if (typeof fate === 'string') return fate;
    if (!fate.isFinal || fate.slot > finalizedHeight) return 'included';
    return fate.succeeded ? 'final' : 'reverted';
  }

  async send({ raw }: SignedPayment, { isNew }: { readonly isNew: boolean }): Promise<SendOutcome> {
    try {
      await askChain(this.chain.rpcUrl, z.string(), 'sendTransaction', raw, SEND_CONFIG);
      return 'sent';
    } catch (error) {
      if (!(error instanceof DevRpcRefusal)) throw error;
      return { refusal: error, bytes: isNew ? 'void' : 'open' };
    }
  }
}

import { tronFate } from '../devtools/devnet/tron/transaction-fate.js';
import type { TronDevChain } from '../devtools/devnet/tron/tron-dev-chain.js';
import { NATIVE_COIN } from '../domain/network.js';
import type { OpenOrder, SignedPayment } from './sandbox-orders.js';
import type { PaymentFate, SandboxWallet, SendOutcome } from './sandbox-wallet.js';

/** The payer on tron. Two signed versions exclude nothing there: the same bytes are sent until they are proven dead. */
export class TronWallet implements SandboxWallet {
  constructor(private readonly chain: TronDevChain) {}

  async sign({ to, token, tokenContract, amount }: OpenOrder): Promise<SignedPayment> {
    // Loaded with the first payment: only a sandbox needs the encoder of the development chain.
    const { signTronTransfer } = await import('../devtools/devnet/tron/test-transfer.js');
    const symbol = tokenContract === NATIVE_COIN ? null : token;
    const transfer = { to, token: symbol, amount, from: this.chain.sandboxPayer };
    return { ...(await signTronTransfer(this.chain, transfer)), nonce: null };
  }

  async fateOf({ txHash, validity }: SignedPayment, finalizedHeight: number): Promise<PaymentFate> {
    if (validity === null || !('expiration' in validity)) throw new Error('A payment on tron has an expiration.');
    const fate = await tronFate(this.chain.rpcUrl, txHash, validity);
    if (fate === 'pending') return 'included';
    if (typeof fate === 'string') return fate;
    if (!fate.isFinal || fate.height > finalizedHeight) return 'included';
    return fate.succeeded ? 'final' : 'reverted';
  }

  async send({ raw }: SignedPayment, { isNew }: { readonly isNew: boolean }): Promise<SendOutcome> {
    const { broadcastTronTransfer, TronRefusal } = await import('../devtools/devnet/tron/test-transfer.js');
    try {
      await broadcastTronTransfer(this.chain.rpcUrl, raw);
      return 'sent';
    } catch (error) {
      if (!(error instanceof TronRefusal)) throw error;
      return { refusal: error, bytes: isNew ? 'void' : 'open' };
    }
  }
}

import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { DevChain } from '../devtools/devnet/dev-chain.js';
import { DevRpcRefusal } from '../devtools/devnet/dev-rpc.js';
import { minedTransaction } from '../devtools/devnet/mined-transaction.js';
import {
  type SignedTransfer,
  broadcastTransfer,
  nextNonce,
  nonceAt,
  signTestTransfer,
} from '../devtools/devnet/test-transfer.js';
import { NATIVE_COIN } from '../domain/network.js';
import { LOGGER } from '../platform/logging.js';
import { JobWaker } from '../platform/queue/job-waker.js';
import { RUNTIME, type Runtime } from '../platform/runtime.js';
import { JobHandler } from '../platform/queue/job-handler.js';
import type { Jobs } from '../platform/queue/jobs.js';
import { RecurringJob } from '../platform/recurring/recurring-job.js';
import { type OpenOrder, SandboxOrders } from './sandbox-orders.js';

/**
 * Executes sandbox orders from the payer account of the development chains. The signed bytes are stored before they are
 * sent, and the same bytes are sent again until their transaction is final: one order is one payment.
 */
@Injectable()
export class SandboxPayer {
  /** Orders of one chain run one at a time, so that nonces follow each other. */
  private readonly turns = new Map<string, Promise<void>>();

  constructor(
    private readonly orders: SandboxOrders,
    private readonly queue: JobWaker,
    @Inject(RUNTIME) private readonly runtime: Runtime,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Advances one order as far as it goes now; an order that is done is left alone. */
  @JobHandler('sandbox.pay')
  async execute({ paymentId }: Jobs['sandbox.pay']): Promise<void> {
    const order = await this.orders.findOpen(paymentId);
    if (order === null) return;
    const turn = (this.turns.get(order.network) ?? Promise.resolve()).then(() => this.perform(paymentId));
    this.turns.set(
      order.network,
      turn.catch(() => undefined),
    );
    await turn;
  }

  /** Wakes workers for the orders that are due, after moving orders off replaced chains. */
  @RecurringJob({ role: 'worker', every: 2_000 })
  async wakeDue(): Promise<void> {
    await this.orders.leaveReplacedChains();
    const ids = await this.orders.claimDue();
    this.queue.wakeMany(
      'sandbox.pay',
      ids.map((paymentId) => ({ paymentId })),
    );
  }

  private async perform(paymentId: string): Promise<void> {
    const order = await this.orders.findOpen(paymentId);
    if (order === null) return;
    const chain = this.runtime.devChains.find(({ genesisHash }) => genesisHash === order.genesisHash);
    // Another process may run it. If it was replaced, one of the next runs moves the order.
    if (chain === undefined) return;
    const signed = order.signed ?? (await this.sign(chain, order));
    if (signed === null) return;
    if (order.signed !== null && (await this.isMined(chain, order, signed))) return;
    await this.send(chain, order, signed);
  }

  /** Signs and stores the bytes; null when another worker was faster with the order or the nonce. */
  private async sign(chain: DevChain, order: OpenOrder): Promise<SignedTransfer | null> {
    const from = chain.sandboxPayer;
    const token = order.tokenContract === NATIVE_COIN ? null : order.token;
    const transfer = { to: order.to, token, amount: order.amount, from };
    const signed = await signTestTransfer(chain, transfer, await nextNonce(chain, from.address));
    const kept = await this.orders.keepSigned(order, signed);
    if (kept === 'taken') await this.fillGap(chain, order, signed);
    return kept === 'kept' ? signed : null;
  }

  /** The chain offers a nonce that was used: it dropped that transaction, which is sent again before the next. */
  private async fillGap(chain: DevChain, order: OpenOrder, signed: SignedTransfer): Promise<void> {
    const dropped = await this.orders.signedWith(order, signed);
    if (dropped === null) return;
    try {
      await broadcastTransfer(chain, dropped);
    } catch (error) {
      // The order that it belongs to decides its outcome.
      if (!(error instanceof DevRpcRefusal)) throw error;
    }
  }

  /**
   * Returns true while the chain has the transaction, so that it need not be sent. Ends the order once the transaction
   * is final.
   */
  private async isMined(chain: DevChain, order: OpenOrder, signed: SignedTransfer): Promise<boolean> {
    const mined = await minedTransaction(chain.rpcUrl, signed.txHash);
    if (mined === null) return false;
    if (mined.blockNumber > order.finalizedHeight) return true;
    if (mined.succeeded) await this.orders.mark(order, signed, 'final');
    else await this.orders.failReverted(order, signed);
    return true;
  }

  private async send(chain: DevChain, order: OpenOrder, signed: SignedTransfer): Promise<void> {
    try {
      await broadcastTransfer(chain, signed);
      await this.orders.mark(order, signed, 'sent');
    } catch (error) {
      if (!(error instanceof DevRpcRefusal)) throw error;
      this.logger.warn({ payment_id: order.id, err: error }, 'The development chain refused a sandbox payment.');
      await this.resolveRefusal(chain, order, signed, error);
    }
  }

  /**
   * The chain neither accepts nor has the bytes. Only their nonce, not the error's text, says whether they are void.
   */
  private async resolveRefusal(
    chain: DevChain,
    order: OpenOrder,
    signed: SignedTransfer,
    refusal: DevRpcRefusal,
  ): Promise<void> {
    const isNonceFree = (await nextNonce(chain, signed.sender)) <= signed.nonce;
    if (isNonceFree) {
      // A chain that accepted the bytes before and lost them may ask for higher fees now.
      await this.orders.release(order, signed, order.status === 'sent' ? null : refusal.message);
      return;
    }
    const isNonceUsed = (await nonceAt(chain, signed.sender, order.finalizedHeight)) > signed.nonce;
    if (isNonceUsed) await this.orders.release(order, signed, null);
  }
}

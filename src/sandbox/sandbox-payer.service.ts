import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { DevChain } from '../devtools/devnet/dev-chain.js';
import { LOGGER } from '../platform/logging.js';
import { JobWaker } from '../platform/queue/job-waker.js';
import { RUNTIME, type Runtime } from '../platform/runtime.js';
import { JobHandler } from '../platform/queue/job-handler.js';
import type { Jobs } from '../platform/queue/jobs.js';
import { RecurringJob } from '../platform/recurring/recurring-job.js';
import { EvmWallet } from './evm-wallet.js';
import { dueOrder } from './sandbox-orders.sql.js';
import { type OpenOrder, SandboxOrders, type SignedPayment } from './sandbox-orders.js';
import type { SandboxWallet } from './sandbox-wallet.js';
import { SolanaWallet } from './solana-wallet.js';
import { TronWallet } from './tron-wallet.js';

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
  @RecurringJob({ role: 'worker', every: 2_000, when: dueOrder })
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
    const wallet = walletOf(chain);
    const isNew = order.signed === null;
    const signed = order.signed ?? (await this.sign(wallet, order));
    if (signed === null || (!isNew && !(await this.isAbsent(wallet, order, signed)))) return;
    await this.send(wallet, order, { signed, isNew });
  }

  /** Signs and stores the bytes; null when another worker was faster with the order or the nonce. */
  private async sign(wallet: SandboxWallet, order: OpenOrder): Promise<SignedPayment | null> {
    const signed = await wallet.sign(order);
    const kept = await this.orders.keepSigned(order, signed);
    if (kept === 'taken') await this.fillGap(wallet, order, signed);
    return kept === 'kept' ? signed : null;
  }

  /** The chain offers a nonce that was used: it dropped that transaction, which is sent again before the next. */
  private async fillGap(wallet: SandboxWallet, order: OpenOrder, signed: SignedPayment): Promise<void> {
    const dropped = await this.orders.signedWith(order, signed);
    // The order that it belongs to decides its outcome.
    if (dropped !== null) await wallet.send(dropped, { finalizedHeight: order.finalizedHeight, isNew: false });
  }

  /** Returns whether the bytes have to be sent. Ends the order once they are final, and drops them once they are dead. */
  private async isAbsent(wallet: SandboxWallet, order: OpenOrder, signed: SignedPayment): Promise<boolean> {
    const fate = await wallet.fateOf(signed, order.finalizedHeight);
    if (fate === 'final') await this.orders.mark(order, signed, 'final');
    if (fate === 'reverted') await this.orders.failReverted(order, signed);
    if (fate === 'dead') await this.orders.release(order, signed, null);
    return fate === 'absent';
  }

  private async send(
    wallet: SandboxWallet,
    order: OpenOrder,
    { signed, isNew }: { readonly signed: SignedPayment; readonly isNew: boolean },
  ): Promise<void> {
    const outcome = await wallet.send(signed, { finalizedHeight: order.finalizedHeight, isNew });
    if (outcome === 'sent') {
      await this.orders.mark(order, signed, 'sent');
      return;
    }
    const { refusal, bytes } = outcome;
    this.logger.warn({ payment_id: order.id, err: refusal }, 'The development chain refused a sandbox payment.');
    if (bytes === 'dead') await this.orders.release(order, signed, null);
    // A chain that accepted the bytes before and lost them may ask for higher fees now.
    if (bytes === 'void') await this.orders.release(order, signed, order.status === 'sent' ? null : refusal.message);
  }
}

function walletOf(chain: DevChain): SandboxWallet {
  if (chain.network === 'solana') return new SolanaWallet(chain);
  return chain.network === 'tron' ? new TronWallet(chain) : new EvmWallet(chain);
}

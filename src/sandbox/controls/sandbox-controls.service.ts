import type { EntityManager } from '@mikro-orm/postgresql';
import { Inject, Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { DevChain } from '../../devtools/devnet/dev-chain.js';
import { DomainError, notFound } from '../../domain/errors.js';
import { isTerminal } from '../../domain/intent-state.js';
import { formatUnits } from '../../domain/money.js';
import type { Environment, Network } from '../../domain/network.js';
import type { Tenant } from '../../domain/tenant.js';
import { Chain } from '../../offers/chain.entity.js';
import { isDevelopmentChain } from '../../offers/development-chain.js';
import { type ChainView, NetworkViews } from '../../offers/network-views.service.js';
import { PaymentIntent } from '../../payments/intents/payment-intent.entity.js';
import { type ConsoleActor, recordAction, type StaffAction } from '../../platform/audit-trail.js';
import { Database, rows, type Tx } from '../../platform/database/database.js';
import { entityOf } from '../../platform/database/entity-of.js';
import { LOGGER } from '../../platform/logging.js';
import { RUNTIME, type Runtime } from '../../platform/runtime.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { lockIntent } from '../sandbox-intents.sql.js';
import { SandboxOrders } from '../sandbox-orders.js';
import type { PaySandboxBody } from '../sandbox.schema.js';
import { SandboxService } from '../sandbox.service.js';
import { askingNodes } from './asking-nodes.js';
import { type DropOutcome, dropPayment, mineBlocks } from './chain-steps.js';
import { controlsOf, type PlannedPayment, type SandboxControl } from './control-list.js';
import { intentFunds, newestOrders, newestUnfinalPayment } from './intent-funds.sql.js';

const ORDERS_SHOWN = 10;
/** A payment follows a new deadline by this much, so that the block time, in whole seconds, is later. */
const LATE_BY_MS = 3_000;
/** How long a reorg waits until the payment that it drops is seen. */
const SEEN_WITHIN_MS = 5_000;
const SEEN_POLL_MS = 50;
const SLOW_REORG_SECONDS = 60;

type UnfinalPayment = RowOf<ReturnType<typeof newestUnfinalPayment>>;

/** What can be made to happen to an intent, and the payments that were ordered for it, newest first. */
export interface IntentControls {
  readonly intent: PaymentIntent;
  readonly controls: readonly SandboxControl[];
  /** Symbols of what its chain can pay. */
  readonly tokens: readonly string[];
  readonly orders: readonly RowOf<ReturnType<typeof newestOrders>>[];
}

/** An order of staff to pay: a planned amount, or another one. */
export type StaffPayment =
  | { readonly payment: PlannedPayment }
  | { readonly payment: 'custom'; readonly token: string; readonly amount: string };

/**
 * Lets staff play the payer and the chain of an intent of the sandbox. Nothing of it exists in live. It opens its own
 * transactions: the development chains are asked once an action is recorded and committed.
 */
@Injectable()
export class SandboxControls {
  constructor(
    private readonly database: Database,
    private readonly networks: NetworkViews,
    private readonly sandbox: SandboxService,
    private readonly orders: SandboxOrders,
    @Inject(RUNTIME) private readonly runtime: Runtime,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @throws DomainError `not_found` */
  async show(environment: Environment, id: string): Promise<IntentControls> {
    const intent = await this.find(environment, id);
    const view = await this.viewOf(intent);
    const [controls, orders] = await Promise.all([
      this.controlsOf(intent, view, this.database.em()),
      this.database.rows(newestOrders(id, ORDERS_SHOWN)),
    ]);
    const tokens = view === null || !isDevelopmentChain(view) ? [] : view.tokens.filter(({ enabled }) => enabled);
    return { intent, controls, tokens: tokens.map(({ symbol }) => symbol), orders };
  }

  /** Orders a payment. @throws DomainError `not_found`, `invalid_state_transition`, `invalid_request` for an amount */
  async pay(staff: ConsoleActor, id: string, order: StaffPayment): Promise<void> {
    const tenant = await this.tenantOf(staff.environment, id);
    await this.database.transaction(async (tx) => {
      const intent = await lock(tx, tenant, id);
      // Under the lock: of two clicks the second counts what the first has ordered.
      const { amount } = await this.required(intent, order.payment, tx);
      const body: PaySandboxBody =
        order.payment === 'custom'
          ? { token: order.token, amount: order.amount }
          : { amount: formatUnits(amount ?? 0n, intent.tokenDecimals ?? 0) };
      const notBefore = order.payment === 'late' ? await this.expireFirst(tx, intent) : null;
      const paid = await this.sandbox.pay(tx, tenant, id, body, notBefore);
      const { amount_decimal: paidAmount, token } = paid;
      const details = { payment: order.payment, amount: paidAmount, token, order: paid.id };
      await record(tx, staff, { action: 'sandbox.pay', subject: id, details });
    });
  }

  /** Makes an intent due now. @throws DomainError `not_found`, `invalid_state_transition` */
  async expire(staff: ConsoleActor, id: string): Promise<void> {
    const tenant = await this.tenantOf(staff.environment, id);
    await this.database.transaction(async (tx) => {
      const intent = await lock(tx, tenant, id);
      await this.required(intent, 'expire', tx);
      const before = { expires_at: intent.expiresAt.toISOString() };
      const { expires_at: expiresAt } = await this.sandbox.expire(tx, tenant, id);
      const after = { expires_at: expiresAt };
      await record(tx, staff, { action: 'sandbox.expire', subject: id, before, after });
    });
  }

  /** Makes blocks on the intent's chain. @throws DomainError also `network_unavailable` */
  async mine(staff: ConsoleActor, id: string, blocks: number): Promise<void> {
    const intent = await this.find(staff.environment, id);
    await this.required(intent, 'mine');
    const chain = await this.chainOf(intent);
    await this.database.transaction((tx) =>
      record(tx, staff, { action: 'sandbox.mine', subject: id, details: { blocks: String(blocks) } }),
    );
    await askingNodes(() => mineBlocks(chain, blocks), { network: intent.network, logger: this.logger });
  }

  /**
   * Drops the newest payment of an intent that is not final by a reorg, once it was seen. `returns`: it comes back in a
   * later block. @throws DomainError also `network_unavailable`
   */
  async reorg(staff: ConsoleActor, id: string, returns: boolean): Promise<void> {
    const intent = await this.find(staff.environment, id);
    await this.required(intent, 'reorg');
    const chain = await this.chainOf(intent);
    const payment = await this.unfinalPayment(id);
    const { txHash, orderId, blockHeight } = payment;
    await this.database.transaction(async (tx) => {
      const details = { transaction: txHash, returns: String(returns) };
      await record(tx, staff, { action: 'sandbox.reorg', subject: id, details });
      // The payer sends again what the chain has lost: not while the chain loses it.
      if (orderId !== null) await this.orders.postpone(tx, orderId, 'reorg');
    });
    const nonce = payment.nonce === null ? null : Number(payment.nonce);
    const dropped = { txHash, height: Number(blockHeight), nonce, returns };
    // Also a reorg that ends after its answer gives its order up.
    const drop = async (): Promise<DropOutcome> => {
      const outcome = await dropPayment(chain, dropped);
      if (outcome === 'dropped' && orderId !== null && !returns)
        await this.orders.giveUp(orderId, txHash, 'A reorg dropped it for good.');
      return outcome;
    };
    const { network } = intent;
    const onTimeout = () => this.goesOn(network, orderId);
    const outcome = await askingNodes(drop, { network, logger: this.logger, onTimeout });
    if (outcome === 'final') throw isFinal();
  }

  /** Keeps the payer from sending again what a slow reorg still drops. Returns the answer to who waits for it. */
  private async goesOn(network: Network, orderId: string | null): Promise<DomainError> {
    if (orderId !== null) await this.database.transaction((tx) => this.orders.postpone(tx, orderId, 'slow reorg'));
    return new DomainError(
      'network_unavailable',
      `The reorg on ${network} takes longer than 5 s. It goes on: see in a minute whether the payment has left the chain.`,
      { retryAfterSeconds: SLOW_REORG_SECONDS },
    );
  }

  /** The payment to drop. Staff who have just ordered one need not watch for it: it is final seconds later. */
  private async unfinalPayment(id: string): Promise<UnfinalPayment> {
    const deadline = performance.now() + SEEN_WITHIN_MS;
    for (;;) {
      const [found] = await this.database.rows(newestUnfinalPayment(id));
      if (found !== undefined) return found;
      const [funds] = await this.database.rows(intentFunds(id));
      if (funds?.isPaymentOnTheWay !== true) throw isFinal();
      if (performance.now() > deadline) {
        throw new DomainError('invalid_state_transition', 'The payment was not seen within 5 s. Try again.');
      }
      await sleep(SEEN_POLL_MS);
    }
  }

  /** Moves the deadline of an open intent to now. Returns when a payment is late. */
  private async expireFirst(tx: Tx, intent: PaymentIntent): Promise<Date> {
    const isOpen = !isTerminal(intent.status);
    const tenant = { merchantId: intent.merchantId, environment: intent.environment };
    const deadline = isOpen ? (await this.sandbox.expire(tx, tenant, intent.id)).expires_at : intent.expiresAt;
    return new Date(new Date(deadline).getTime() + LATE_BY_MS);
  }

  private async find(environment: Environment | null, id: string): Promise<PaymentIntent> {
    const intent =
      environment === 'sandbox' ? await this.database.em().findOne(PaymentIntent, { id, environment }) : null;
    if (intent === null) throw notFound('payment intent');
    return intent;
  }

  private async tenantOf(environment: Environment | null, id: string): Promise<Tenant> {
    const { merchantId } = await this.find(environment, id);
    return { merchantId, environment: 'sandbox' };
  }

  private viewOf({ chainRef, network }: PaymentIntent, em?: EntityManager): Promise<ChainView | null> {
    return chainRef === null ? this.networks.find('sandbox', network, em) : this.networks.byRef(chainRef, em);
  }

  private async controlsOf(
    intent: PaymentIntent,
    view: ChainView | null,
    em: EntityManager,
  ): Promise<readonly SandboxControl[]> {
    const [funds] = await rows(em, intentFunds(intent.id));
    const unfinal = await rows(em, newestUnfinalPayment(intent.id));
    return controlsOf({
      status: intent.status,
      hasAddress: intent.address !== null,
      isPastDeadline: intent.expiresAt <= new Date(),
      price: intent.cryptoAmount,
      arrived: BigInt(funds?.arrived ?? 0),
      onTheWay: BigInt(funds?.onTheWay ?? 0),
      isPaymentOnTheWay: funds?.isPaymentOnTheWay ?? false,
      hasUnfinalPayment: unfinal.length > 0,
      noFaucet: noFaucetReason(intent, view),
      noChain:
        (await this.devChain(view, em)) === null
          ? 'The development chains run in another process of this service.'
          : null,
    });
  }

  /** @throws DomainError `invalid_state_transition` with the reason when it cannot be done now */
  private async required(
    intent: PaymentIntent,
    name: SandboxControl['name'],
    em: EntityManager = this.database.em(),
  ): Promise<SandboxControl> {
    const controls = await this.controlsOf(intent, await this.viewOf(intent, em), em);
    const control = controls.find((one) => one.name === name);
    if (control === undefined) throw new Error(`There is no control ${name}.`);
    if (control.unavailable !== null) throw new DomainError('invalid_state_transition', control.unavailable);
    return control;
  }

  private async chainOf(intent: PaymentIntent): Promise<DevChain> {
    const chain = await this.devChain(await this.viewOf(intent), this.database.em());
    if (chain === null)
      throw new DomainError('network_unavailable', `The chain of ${intent.network} is starting again.`);
    return chain;
  }

  /** The development chain that this process runs; null when it runs elsewhere, or there is none. */
  private async devChain(view: ChainView | null, em: EntityManager): Promise<DevChain | null> {
    const chain = view === null ? null : await em.findOne(Chain, { id: view.chainRef });
    return this.runtime.devChains.find(({ genesisHash }) => genesisHash === chain?.genesisHash) ?? null;
  }
}

async function lock(tx: Tx, { merchantId }: Tenant, id: string): Promise<PaymentIntent> {
  const [found] = await rows(tx, lockIntent(id, merchantId));
  if (found === undefined) throw notFound('payment intent');
  return entityOf(tx, PaymentIntent, found);
}

const isFinal = (): DomainError =>
  new DomainError('invalid_state_transition', 'The payment is final: no reorg drops it any more.');

function noFaucetReason({ network }: PaymentIntent, view: ChainView | null): string | null {
  if (view === null) return `The development chain of the intent was replaced, or ${network} is not served here.`;
  if (isDevelopmentChain(view)) return null;
  return `${network} is a public test network here, without a faucet. Pay the address from a wallet.`;
}

const record = (
  tx: Tx,
  staff: ConsoleActor,
  entry: Pick<StaffAction, 'action' | 'subject' | 'details' | 'before' | 'after'>,
) => recordAction(tx, { ...staff, ...entry, reason: null });

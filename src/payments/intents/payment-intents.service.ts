import { Inject, Injectable } from '@nestjs/common';
import { DomainError, invalidParam, notFound } from '../../domain/errors.js';
import { newId } from '../../domain/ids.js';
import { assertAddressCanBeGenerated, statusAfterConfirm } from '../../domain/intent-state.js';
import { toJsonInteger } from '../../domain/money.js';
import { addressFamilyOf, type Network } from '../../domain/network.js';
import { quoteOf } from '../../domain/quote.js';
import type { Tenant } from '../../domain/tenant.js';
import { requestContext } from '../../http/request-context.js';
import { EventsService } from '../../events/events.service.js';
import { type ChainView, isAvailable, NetworkViews, type TokenView } from '../../offers/network-views.service.js';
import { CONFIG, type Config } from '../../platform/config.js';
import { type Tx, sql, sqlOne } from '../../platform/database/database.js';
import { detached } from '../../platform/database/detached.js';
import { failpoint } from '../../platform/failpoints.js';
import { PricingService } from '../../pricing/pricing.service.js';
import { AddressPool } from '../addresses/address-pool.service.js';
import { OpenIntents } from './open-intents.service.js';
import { PaymentIntent } from './payment-intent.entity.js';
import { IntentReader } from './intent-reader.service.js';
import { presentIntent } from './payment-intent.presenter.js';
import type { CreateIntentBody, PaymentIntentObject } from './payment-intent.schema.js';

const DEFAULT_SETTLEMENT_CURRENCY = 'USDC';
const NETWORK_RETRY_AFTER_SECONDS = 30;

/** The operations of merchants on payment intents. Every method joins the caller's transaction. */
@Injectable()
export class PaymentIntentsService {
  constructor(
    private readonly networks: NetworkViews,
    private readonly pricing: PricingService,
    private readonly pool: AddressPool,
    private readonly events: EventsService,
    private readonly openIntents: OpenIntents,
    private readonly reader: IntentReader,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Creates an intent. It starts as requires_action: `created` passes within this call. */
  async create(tx: Tx, tenant: Tenant, body: CreateIntentBody): Promise<PaymentIntentObject> {
    const { view, token } = await this.offer(tx, tenant, body.network, body.token);
    if (view === null) throw invalidParam('network', `The network ${body.network} is not enabled.`);
    if (token === null) throw invalidParam('token', `The token ${body.token} is not enabled on ${body.network}.`);
    const settlementCurrency = body.settlement_currency ?? DEFAULT_SETTLEMENT_CURRENCY;
    if (settlementCurrency !== DEFAULT_SETTLEMENT_CURRENCY && settlementCurrency !== token.symbol) {
      throw invalidParam('settlement_currency', `settlement_currency must be USDC or ${token.symbol}.`);
    }
    const id = newId('pi_');
    failpoint('intent.inserted');
    const row = await sqlOne<Record<string, unknown>>(
      tx,
      `insert into payment_intent (id, merchant_id, environment, status, amount_cents, currency, settlement_currency,
         network, token, reference, metadata, tolerance_bps, created_at, updated_at, expires_at, due_at)
       select $1, merchant.id, $3, 'requires_action', $4, $5, $6, $7, $8, $9, $10, merchant.underpayment_tolerance_bps,
              now(), now(), now() + make_interval(secs => $11), now() + make_interval(secs => $11)
         from merchant where merchant.id = $2
       returning *`,
      [
        id,
        tenant.merchantId,
        tenant.environment,
        body.amount_cents,
        body.currency,
        settlementCurrency,
        view.network,
        token.symbol,
        body.reference ?? null,
        JSON.stringify(body.metadata ?? {}),
        body.expires_in_seconds ?? this.config.intents.lifetimeSeconds,
      ],
    );
    return presentIntent(detached(tx, PaymentIntent, row), [], null);
  }

  /**
   * Assigns an address and locks the quote. Repeating it changes nothing.
   * @throws DomainError not_found, invalid_state_transition, price_unavailable, no_wallets_available,
   *   network_unavailable, rate_limited (too many open intents)
   */
  async generateAddress(tx: Tx, tenant: Tenant, id: string): Promise<PaymentIntentObject> {
    const { intent, isDue } = await this.lock(tx, tenant, id);
    assertAddressCanBeGenerated(intent.status);
    if (intent.address !== null) return this.reader.present(tx, intent);
    if (isDue) throw pastDeadline();
    await this.openIntents.assertRoom(tx, tenant);
    const { view, token } = await this.offer(tx, tenant, intent.network, intent.token);
    if (view === null || token === null || !isAvailable(view)) throw networkUnavailable(intent.network);
    const { snapshotId, price } = await this.pricing.current(tenant.environment, token.symbol, tx);
    const quote = quoteOf({ amountCents: BigInt(intent.amountCents), price, decimals: token.decimals });
    failpoint('addr.priced');
    const address = await this.pool.assign(tx, tenant, addressFamilyOf(view.network), intent.id);
    const row = await sqlOne<Record<string, unknown>>(
      tx,
      `update payment_intent
          set chain_ref = $2, token_contract = $3, token_decimals = $4, price_round_id = $5, token_price = $6,
              token_price_cents = $7, crypto_amount = $8, address = $9, updated_at = now()
        where id = $1 returning *`,
      [
        intent.id,
        view.chainRef,
        token.contract,
        token.decimals,
        snapshotId,
        price,
        toJsonInteger(quote.tokenPriceCents),
        quote.cryptoAmount.toString(),
        address,
      ],
    );
    failpoint('addr.before_commit');
    return presentIntent(detached(tx, PaymentIntent, row), [], view);
  }

  /** Confirms explicitly before the customer pays; optional, and harmless to repeat. */
  async confirm(tx: Tx, tenant: Tenant, id: string): Promise<PaymentIntentObject> {
    const { intent, isDue } = await this.lock(tx, tenant, id);
    const status = statusAfterConfirm(intent.status);
    if (status === intent.status) return this.reader.present(tx, intent);
    if (isDue) throw pastDeadline();
    const row = await sqlOne<Record<string, unknown>>(
      tx,
      `update payment_intent set status = $2, updated_at = now() where id = $1 returning *`,
      [intent.id, status],
    );
    const confirmed = detached(tx, PaymentIntent, row);
    const presented = await this.reader.present(tx, confirmed);
    await this.events.record(tx, {
      tenant,
      type: 'payment_intent.processing',
      resourceId: intent.id,
      data: presented,
      traceparent: requestContext()?.traceparent,
    });
    return presented;
  }

  /**
   * Locks the caller's intent; that of another merchant is not found. It is due once its deadline has passed without an
   * outcome.
   */
  private async lock(tx: Tx, tenant: Tenant, id: string): Promise<{ intent: PaymentIntent; isDue: boolean }> {
    const [row] = await sql<Record<string, unknown> & { is_due: boolean }>(
      tx,
      `select *, clock_timestamp() >= expires_at as is_due from payment_intent
        where id = $1 and merchant_id = $2 and environment = $3 for no key update`,
      [id, tenant.merchantId, tenant.environment],
    );
    if (row === undefined) throw notFound('payment intent');
    return { intent: detached(tx, PaymentIntent, row), isDue: row.is_due };
  }

  /** Returns the chain and the token as they are on offer now; null where they are not. */
  private async offer(
    tx: Tx,
    tenant: Tenant,
    network: Network,
    symbol: string,
  ): Promise<{ view: ChainView | null; token: TokenView | null }> {
    const view = await this.networks.find(tenant.environment, network, tx);
    const token = view?.tokens.find((candidate) => candidate.symbol === symbol && candidate.enabled) ?? null;
    return { view, token };
  }
}

function pastDeadline(): DomainError {
  return new DomainError('invalid_state_transition', 'The deadline of the payment intent has passed.');
}

function networkUnavailable(network: Network): DomainError {
  return new DomainError('network_unavailable', `Payments on ${network} cannot be watched right now.`, {
    retryAfterSeconds: NETWORK_RETRY_AFTER_SECONDS,
  });
}

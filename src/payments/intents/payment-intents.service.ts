import { Inject, Injectable } from '@nestjs/common';
import { invalidParam } from '../../domain/errors.js';
import { statusAfterConfirm } from '../../domain/intent-state.js';
import type { Network } from '../../domain/network.js';
import { quoteOf } from '../../domain/quote.js';
import type { Tenant } from '../../domain/tenant.js';
import type { ApiCaller } from '../../http/api-origin.js';
import { requestContext } from '../../http/request-context.js';
import { EventsService } from '../../events/events.service.js';
import { NetworkViews, type TokenView } from '../../offers/network-views.service.js';
import { CONFIG, type Config } from '../../platform/config.js';
import { row, type Tx } from '../../platform/database/database.js';
import { entityOf } from '../../platform/database/entity-of.js';
import { failpoint } from '../../platform/failpoints.js';
import { DatabaseValues, type PlannedWrite } from '../../platform/sql/planned-write.js';
import { PricingService } from '../../pricing/pricing.service.js';
import { PaymentIntent } from './payment-intent.entity.js';
import { type IntentTerms, newIntent } from './new-intent.js';
import { IntentReader } from './intent-reader.service.js';
import { lockOwn, pastDeadline } from './own-intent.js';
import { presentIntent } from './payment-intent.presenter.js';
import type { CreateIntentBody, PaymentIntentObject } from './payment-intent.schema.js';
import { assertReceivable, isPriceUnavailable } from './smallest-payment.js';
import { insertIntent, moveIntent, timesOfIntent } from './payment-intents.sql.js';

const DEFAULT_SETTLEMENT_CURRENCY = 'USDC';

/** The operations of merchants on payment intents. Each joins the caller's transaction, or plans one statement. */
@Injectable()
export class PaymentIntentsService {
  constructor(
    private readonly networks: NetworkViews,
    private readonly events: EventsService,
    private readonly reader: IntentReader,
    private readonly pricing: PricingService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Plans a new intent, which one statement creates. @throws DomainError invalid_request */
  async planCreate(caller: ApiCaller, body: CreateIntentBody): Promise<PlannedWrite<PaymentIntentObject>> {
    const terms = await this.termsOf(caller, body);
    const lifetimeSeconds = body.expires_in_seconds ?? this.config.intents.lifetimeSeconds;
    const { now, deadline } = timesOfIntent(lifetimeSeconds);
    const values = new DatabaseValues();
    const intent = newIntent(caller, terms, { now: values.time(now), deadline: values.time(deadline) });
    failpoint('intent.planned');
    return {
      statement: {
        parts: (condition) => insertIntent(intent, { now, deadline }, condition),
        waits: false,
        presented: presentIntent(intent, [], null),
        values,
      },
    };
  }

  /** Confirms explicitly before the customer pays; optional, and harmless to repeat. */
  async confirm(tx: Tx, tenant: Tenant, id: string): Promise<PaymentIntentObject> {
    const { intent, isDue } = await lockOwn(tx, tenant, id);
    const status = statusAfterConfirm(intent.status);
    if (status === intent.status) return this.reader.present(tx, intent);
    if (isDue) throw pastDeadline();
    const confirmed = await row(tx, moveIntent(intent.id, status));
    const presented = await this.reader.present(tx, entityOf(tx, PaymentIntent, confirmed));
    await this.events.record(tx, {
      tenant,
      type: 'payment_intent.processing',
      resourceId: intent.id,
      data: presented,
      traceparent: requestContext()?.traceparent,
    });
    return presented;
  }

  private async termsOf(tenant: Tenant, body: CreateIntentBody): Promise<IntentTerms> {
    const view = await this.networks.find(tenant.environment, body.network);
    if (view === null) throw invalidParam('network', `The network ${body.network} is not enabled.`);
    const token = view.tokens.find(({ symbol, enabled }) => symbol === body.token && enabled);
    if (token === undefined) throw invalidParam('token', `The token ${body.token} is not enabled on ${body.network}.`);
    const settlementCurrency = body.settlement_currency ?? DEFAULT_SETTLEMENT_CURRENCY;
    if (settlementCurrency !== DEFAULT_SETTLEMENT_CURRENCY && settlementCurrency !== token.symbol) {
      throw invalidParam('settlement_currency', `settlement_currency must be USDC or ${token.symbol}.`);
    }
    await this.assertReceivable(tenant, view.network, token, body.amount_cents);
    return {
      amountCents: body.amount_cents,
      currency: body.currency,
      settlementCurrency,
      network: view.network,
      token: token.symbol,
      reference: body.reference ?? null,
      metadata: body.metadata ?? {},
    };
  }

  /**
   * Refuses an amount that no new address can receive at the current price. Without a price the address is refused instead,
   * as it is when the price has changed until then.
   */
  private async assertReceivable(
    tenant: Tenant,
    network: Network,
    token: TokenView,
    amountCents: number,
  ): Promise<void> {
    if (token.minimumAmount === null) return;
    try {
      const { price } = await this.pricing.current(tenant.environment, token.symbol);
      const { cryptoAmount } = quoteOf({ amountCents: BigInt(amountCents), price, decimals: token.decimals });
      assertReceivable(network, token, cryptoAmount);
    } catch (error) {
      if (!isPriceUnavailable(error)) throw error;
    }
  }
}

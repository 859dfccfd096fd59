import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { DomainError } from '../../domain/errors.js';
import { assertAddressCanBeGenerated } from '../../domain/intent-state.js';
import { toJsonInteger } from '../../domain/money.js';
import { addressFamilyOf, type Network } from '../../domain/network.js';
import { placeholderAddress } from '../../domain/placeholder-address.js';
import { quoteOf } from '../../domain/quote.js';
import type { Tenant } from '../../domain/tenant.js';
import { type ChainView, isAvailable, NetworkViews } from '../../offers/network-views.service.js';
import { assign } from '../../platform/database/assign.js';
import { Database, row, type Tx } from '../../platform/database/database.js';
import { entityOf } from '../../platform/database/entity-of.js';
import { failpoint } from '../../platform/failpoints.js';
import { DatabaseValues, type PlannedStatement, type PlannedWrite } from '../../platform/sql/planned-write.js';
import { PricingService } from '../../pricing/pricing.service.js';
import { AddressPool } from '../addresses/address-pool.service.js';
import { assigned, assignWithQuote, type IntentQuote, quoteIntent } from './address-assignment.sql.js';
import { IntentReader } from './intent-reader.service.js';
import { OpenIntents } from './open-intents.service.js';
import { assertReceivable } from './smallest-payment.js';
import { lockOwn, pastDeadline, readOwn } from './own-intent.js';
import { PaymentIntent } from './payment-intent.entity.js';
import { presentIntent } from './payment-intent.presenter.js';
import type { PaymentIntentObject } from './payment-intent.schema.js';

const NETWORK_RETRY_AFTER_SECONDS = 30;

/** The terms of an address: the chain to pay on, and the quote. */
interface Offer {
  readonly view: ChainView;
  readonly quote: IntentQuote;
}

/**
 * Assigns an address to a payment intent and locks its quote: in one statement, or in a transaction if the intent has an
 * address already, has just changed, or the pool is empty. Both refuse what may have no address. The checksum of
 * the address is not verified here; `AddressProof` derives every address of the pool again.
 */
@Injectable()
export class AddressAssignment {
  constructor(
    private readonly database: Database,
    private readonly networks: NetworkViews,
    private readonly pricing: PricingService,
    private readonly pool: AddressPool,
    private readonly openIntents: OpenIntents,
    private readonly reader: IntentReader,
  ) {}

  /** Plans the assignment. @throws DomainError as `assign`, except no_wallets_available */
  async plan(tenant: Tenant, id: string): Promise<PlannedWrite<PaymentIntentObject>> {
    const em = this.database.em();
    const { intent, isDue } = await readOwn(em, tenant, id);
    assertAddressCanBeGenerated(intent.status);
    const inTransaction = (tx: Tx): Promise<PaymentIntentObject> => this.assign(tx, tenant, id);
    if (intent.address !== null) return { statement: null, inTransaction };
    if (isDue) throw pastDeadline();
    const offer = await this.offer(em, tenant, intent);
    return { statement: statementFor(intent, offer), inTransaction, committed: () => this.pool.wakeVault() };
  }

  /**
   * Assigns an address and locks the quote. Repeating it changes nothing.
   * @throws DomainError not_found, invalid_request (less than an address can receive), invalid_state_transition, price_unavailable, no_wallets_available,
   *   network_unavailable, rate_limited (too many open intents)
   */
  async assign(tx: Tx, tenant: Tenant, id: string): Promise<PaymentIntentObject> {
    const { intent, isDue } = await lockOwn(tx, tenant, id);
    assertAddressCanBeGenerated(intent.status);
    if (intent.address !== null) return this.reader.present(tx, intent);
    if (isDue) throw pastDeadline();
    const { view, quote } = await this.offer(tx, tenant, intent);
    const address = await this.pool.assign(tx, tenant, addressFamilyOf(view.network), intent.id);
    const quoted = await row(tx, quoteIntent(intent.id, quote, address));
    return presentIntent(entityOf(tx, PaymentIntent, quoted), [], view);
  }

  private async offer(em: EntityManager, tenant: Tenant, intent: PaymentIntent): Promise<Offer> {
    await this.openIntents.assertRoom(em, tenant);
    const view = await this.networks.find(tenant.environment, intent.network, em);
    const token = view?.tokens.find(({ symbol, enabled }) => symbol === intent.token && enabled) ?? null;
    if (view === null || token === null || !isAvailable(view)) throw networkUnavailable(intent.network);
    const { snapshotId, price } = await this.pricing.current(tenant.environment, token.symbol, em);
    const { cryptoAmount, tokenPriceCents } = quoteOf({
      amountCents: BigInt(intent.amountCents),
      price,
      decimals: token.decimals,
    });
    assertReceivable(intent.network, token, cryptoAmount);
    failpoint('addr.priced');
    const quote = {
      chainRef: view.chainRef,
      tokenContract: token.contract,
      tokenDecimals: token.decimals,
      priceRoundId: snapshotId,
      tokenPrice: price,
      tokenPriceCents: toJsonInteger(tokenPriceCents),
      cryptoAmount,
    };
    return { view, quote };
  }
}

/** The address is known when the statement has run, so the intent is presented with a placeholder. */
function statementFor(intent: PaymentIntent, { view, quote }: Offer): PlannedStatement<PaymentIntentObject> {
  const { id, environment, status } = intent;
  const family = addressFamilyOf(view.network);
  const unassigned = { id, status, pool: { environment, family } };
  const values = new DatabaseValues();
  const address = values.text(placeholderAddress(family), assigned.address);
  const changed = assign(intent, { ...quote, address, updatedAt: values.time(assigned.at) });
  const presented = presentIntent(changed, [], view);
  return { parts: (condition) => assignWithQuote(unassigned, quote, condition), waits: true, presented, values };
}

function networkUnavailable(network: Network): DomainError {
  return new DomainError('network_unavailable', `Payments on ${network} cannot be watched right now.`, {
    retryAfterSeconds: NETWORK_RETRY_AFTER_SECONDS,
  });
}

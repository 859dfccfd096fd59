import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { invalidParam, notFound } from '../../domain/errors.js';
import type { Tenant } from '../../domain/tenant.js';
import { type ListPage, listPage } from '../../http/pagination.js';
import { NetworkViews } from '../../offers/network-views.service.js';
import { Database, rows } from '../../platform/database/database.js';
import { entityOf } from '../../platform/database/entity-of.js';
import type { TimeCursor } from '../../platform/sql/newest-first.js';
import { shownDepositsOf } from './intent-deposits.js';
import { findPlace, type IntentFilter, type IntentScope, intentPage } from './intent-page.sql.js';
import { PaymentIntent } from './payment-intent.entity.js';
import { type ChainPosition, presentIntent } from './payment-intent.presenter.js';
import type { ListIntentsQuery, PaymentIntentObject } from './payment-intent.schema.js';
import { findOwnIntent } from './payment-intents.sql.js';

/** Reads payment intents as the API shows them. */
@Injectable()
export class IntentReader {
  constructor(
    private readonly database: Database,
    private readonly networks: NetworkViews,
  ) {}

  /** One intent of the caller. */
  async get(tenant: Tenant, id: string): Promise<PaymentIntentObject> {
    const em = this.database.em();
    return this.present(em, await this.find(em, tenant, id));
  }

  /** Returns the caller's stored intent; that of another merchant is not found. */
  async find(em: EntityManager, tenant: Tenant, id: string): Promise<PaymentIntent> {
    const [found] = await rows(em, findOwnIntent(id, tenant));
    if (found === undefined) throw notFound('payment intent');
    return entityOf(em, PaymentIntent, found);
  }

  /** One page of the caller's intents, newest first, by keyset: page 1 and page 100,000 cost the same. */
  async list(tenant: Tenant, query: ListIntentsQuery): Promise<ListPage<PaymentIntentObject>> {
    return this.page(tenant, query);
  }

  /** One page of the intents of all merchants, or of one: for operators. */
  async search(scope: IntentScope, filter: IntentFilter): Promise<ListPage<PaymentIntentObject>> {
    return this.page(scope, filter);
  }

  private async page(scope: IntentScope, filter: IntentFilter): Promise<ListPage<PaymentIntentObject>> {
    const em = this.database.em();
    const cursor = filter.starting_after === undefined ? null : await this.cursor(scope, filter.starting_after);
    const found = await rows(em, intentPage(scope, filter, cursor));
    const page = listPage(
      found.map((one) => entityOf(em, PaymentIntent, one)),
      filter.limit,
    );
    return { ...page, data: await this.presentAll(em, page.data) };
  }

  /** Presents the intent with its current payments. */
  async present(em: EntityManager, intent: PaymentIntent): Promise<PaymentIntentObject> {
    const [presented] = await this.presentAll(em, [intent]);
    if (presented === undefined) throw new Error('Presenting one intent returned no object.');
    return presented;
  }

  /** Presents intents with their current payments. */
  async presentAll(em: EntityManager, intents: readonly PaymentIntent[]): Promise<PaymentIntentObject[]> {
    const addressed = intents.filter((intent) => intent.address !== null).map((intent) => intent.id);
    const deposits = await shownDepositsOf(em, addressed);
    const chains = new Map<string, ChainPosition>((await this.networks.all(em)).map((view) => [view.chainRef, view]));
    return intents.map((intent) =>
      presentIntent(intent, deposits.get(intent.id) ?? [], chains.get(intent.chainRef ?? '') ?? null),
    );
  }

  private async cursor(scope: IntentScope, id: string): Promise<TimeCursor> {
    const [place] = await this.database.rows(findPlace(scope, id));
    if (place === undefined) throw invalidParam('starting_after', 'starting_after is not one of your payment intents.');
    return place;
  }
}

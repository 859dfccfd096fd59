import { Injectable } from '@nestjs/common';
import type { FilterQuery } from '@mikro-orm/core';
import { invalidParam, notFound } from '../../domain/errors.js';
import type { Environment } from '../../domain/network.js';
import { checkSignature, type SignatureVerdict } from '../../domain/signature-check.js';
import type { Tenant } from '../../domain/tenant.js';
import { Database, rows } from '../../platform/database/database.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { countDeadLetters } from './dead-letters.js';
import { merchantNames, recentResults, sentBodies } from './endpoint-operations.sql.js';
import { EndpointSecrets } from './endpoint-secrets.js';
import { WebhookEndpoint } from './webhook-endpoint.entity.js';

/** The newest bodies that a signature check compares with. */
const BODIES_MAX = 200;
const RECENT_MAX = 10_000;

/** Deliveries of the last 24 hours by their status, each count up to 10,000, and the time of the oldest dead letter. */
export type RecentResults = RowOf<typeof recentResults>;

/** An endpoint with its dead letters. */
export interface EndpointOfMerchant {
  readonly endpoint: WebhookEndpoint;
  readonly merchantName: string;
  readonly deadLetters: number;
}

/** Which endpoints staff see. */
export interface EndpointFilter {
  readonly merchant_id?: string | undefined;
  readonly enabled?: boolean | undefined;
}

/** Endpoints of all merchants of an environment, for staff. */
@Injectable()
export class EndpointOperations {
  constructor(
    private readonly database: Database,
    private readonly secrets: EndpointSecrets,
  ) {}

  /** Returns up to `limit + 1` endpoints, newest first. @throws DomainError `invalid_request` for an unknown cursor. */
  async page(
    environment: Environment,
    { merchant_id: merchantId, enabled }: EndpointFilter,
    { limit, after }: { readonly limit: number; readonly after?: string | undefined },
  ): Promise<EndpointOfMerchant[]> {
    const em = this.database.em();
    const page: FilterQuery<WebhookEndpoint>[] = [
      { environment, deletedAt: null },
      ...(merchantId === undefined ? [] : [{ merchantId }]),
      ...(enabled === undefined ? [] : [{ enabled }]),
    ];
    if (after !== undefined) {
      const cursor = await em.findOne(WebhookEndpoint, { id: after, environment });
      if (cursor === null)
        throw invalidParam('starting_after', 'starting_after is not an endpoint of this environment.');
      const { createdAt, id } = cursor;
      // The first bound lets PostgreSQL enter its index there; the second leaves out the cursor and what is newer.
      page.push({ createdAt: { $lte: createdAt } }, { $or: [{ createdAt: { $lt: createdAt } }, { id: { $lt: id } }] });
    }
    const endpoints = await em.find(
      WebhookEndpoint,
      { $and: page },
      { orderBy: { createdAt: 'desc', id: 'desc' }, limit: limit + 1 },
    );
    const dead = await countDeadLetters(
      em,
      endpoints.map((endpoint) => endpoint.id),
    );
    const names = await this.namesOf(endpoints);
    return endpoints.map((endpoint) => ({
      endpoint,
      merchantName: names.get(endpoint.merchantId) ?? '',
      deadLetters: dead.get(endpoint.id) ?? 0,
    }));
  }

  /** Returns an endpoint with its results of the last 24 hours. @throws DomainError `not_found` */
  async get(environment: Environment, id: string): Promise<EndpointOfMerchant & { readonly recent: RecentResults }> {
    const em = this.database.em();
    const endpoint = await this.find(environment, id);
    const dead = await countDeadLetters(em, [id]);
    const [recent] = await rows(em, recentResults(id, RECENT_MAX));
    const none = { delivered: '0', failed: '0', retrying: '0', deadSince: null };
    const names = await this.namesOf([endpoint]);
    const merchantName = names.get(endpoint.merchantId) ?? '';
    return { endpoint, merchantName, deadLetters: dead.get(id) ?? 0, recent: recent ?? none };
  }

  /** Returns the tenant of an endpoint, as whom its actions are done. @throws DomainError `not_found` */
  async tenantOf(environment: Environment, id: string): Promise<Tenant> {
    const { merchantId } = await this.find(environment, id);
    return { merchantId, environment };
  }

  /**
   * Says why a receiver refuses a signature of this endpoint, at a time or now. The secrets stay here.
   * @throws DomainError `not_found`
   */
  async checkSignature(
    environment: Environment,
    id: string,
    { at: now = new Date(), ...given }: { readonly header: string; readonly body: string; readonly at?: Date },
  ): Promise<SignatureVerdict> {
    const endpoint = await this.find(environment, id);
    const { secret, previousSecret, previousSecretExpiresAt: until } = endpoint;
    const isOverlapping = previousSecret !== null && until !== null && until > now;
    const bodies = await this.database.rows(sentBodies(id, BODIES_MAX));
    return checkSignature({
      ...given,
      secret: this.secrets.open(id, Buffer.from(secret)),
      previousSecret: isOverlapping ? this.secrets.open(id, Buffer.from(previousSecret)) : null,
      sentBodies: bodies.map(({ body }) => body),
      now,
    });
  }

  private async namesOf(endpoints: readonly WebhookEndpoint[]): Promise<ReadonlyMap<string, string>> {
    const ids = [...new Set(endpoints.map((endpoint) => endpoint.merchantId))];
    const named = await this.database.rows(merchantNames(ids));
    return new Map(named.map(({ id, name }) => [id, name]));
  }

  private async find(environment: Environment, id: string): Promise<WebhookEndpoint> {
    const endpoint = await this.database.em().findOne(WebhookEndpoint, { id, environment, deletedAt: null });
    if (endpoint === null) throw notFound('webhook endpoint');
    return endpoint;
  }
}

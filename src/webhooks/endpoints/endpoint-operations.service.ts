import { Injectable } from '@nestjs/common';
import type { FilterQuery } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { invalidParam, notFound } from '../../domain/errors.js';
import type { Environment } from '../../domain/network.js';
import { checkSignature, type SignatureVerdict } from '../../domain/signature-check.js';
import type { Tenant } from '../../domain/tenant.js';
import { type ConsoleActor, recordAction, type StaffAction } from '../../platform/audit-trail.js';
import { Database, rows, type Tx } from '../../platform/database/database.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { countDeadLetters } from './dead-letters.js';
import { merchantNames, recentResults, sentBodies } from './endpoint-operations.sql.js';
import { EndpointSecrets } from './endpoint-secrets.js';
import { WebhookEndpoint } from './webhook-endpoint.entity.js';
import type { WebhookTest } from './webhook-endpoint.schema.js';
import type { WebhookEndpointWithSecret } from './webhook-endpoint.view.js';
import { WebhookEndpointsService } from './webhook-endpoints.service.js';

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

/** A member of staff, and the environment in which they act on endpoints. */
export interface EndpointStaff {
  readonly environment: Environment;
  readonly author: ConsoleActor;
}

/** Endpoints of all merchants of an environment, for staff. */
@Injectable()
export class EndpointOperations {
  constructor(
    private readonly database: Database,
    private readonly secrets: EndpointSecrets,
    private readonly endpoints: WebhookEndpointsService,
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
    const endpoint = await findEndpoint(this.database.em(), environment, id);
    const dead = await countDeadLetters(em, [id]);
    const [recent] = await rows(em, recentResults(id, RECENT_MAX));
    const none = { delivered: '0', failed: '0', retrying: '0', deadSince: null };
    const names = await this.namesOf([endpoint]);
    const merchantName = names.get(endpoint.merchantId) ?? '';
    return { endpoint, merchantName, deadLetters: dead.get(id) ?? 0, recent: recent ?? none };
  }

  /** Sends a test event. Audited. @throws DomainError `not_found`, `invalid_state_transition` as the merchant's own test */
  test(tx: Tx, staff: EndpointStaff, id: string): Promise<WebhookTest> {
    const entry = { action: 'endpoint.test', reason: null } as const;
    return asMerchant(tx, staff, id, entry, (tenant) => this.endpoints.test(tx, tenant, id));
  }

  /** Enables or disables an endpoint. Audited. @throws DomainError `not_found` */
  async setEnabled(
    tx: Tx,
    staff: EndpointStaff,
    id: string,
    { enabled, reason }: { readonly enabled: boolean; readonly reason: string },
  ): Promise<void> {
    const entry = { action: enabled ? 'endpoint.enable' : 'endpoint.disable', reason, after: { enabled } } as const;
    await asMerchant(tx, staff, id, entry, (tenant) => this.endpoints.update(tx, tenant, id, { enabled }));
  }

  /** Replaces the signing secret; the old one signs too for `overlap` seconds. Audited. @throws DomainError `not_found` */
  rotateSecret(
    tx: Tx,
    staff: EndpointStaff,
    id: string,
    { overlap, reason }: { readonly overlap: number; readonly reason: string },
  ): Promise<WebhookEndpointWithSecret> {
    const entry = { action: 'endpoint.rotate_secret', reason, details: { overlap_seconds: String(overlap) } } as const;
    return asMerchant(tx, staff, id, entry, (tenant) => this.endpoints.rotateSecret(tx, tenant, id, overlap));
  }

  /** Ends the overlap of two secrets. Audited. @throws DomainError `not_found` */
  async endOverlap(tx: Tx, staff: EndpointStaff, id: string): Promise<void> {
    const entry = { action: 'endpoint.end_overlap', reason: null } as const;
    await asMerchant(tx, staff, id, entry, (tenant) => this.endpoints.endOverlap(tx, tenant, id));
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
    const endpoint = await findEndpoint(this.database.em(), environment, id);
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
}

async function findEndpoint(em: EntityManager, environment: Environment, id: string): Promise<WebhookEndpoint> {
  const endpoint = await em.findOne(WebhookEndpoint, { id, environment, deletedAt: null });
  if (endpoint === null) throw notFound('webhook endpoint');
  return endpoint;
}

/** Does something as the merchant of an endpoint, and records its author. */
async function asMerchant<Result>(
  tx: Tx,
  { environment, author }: EndpointStaff,
  id: string,
  entry: Pick<StaffAction, 'action' | 'reason' | 'details' | 'after'>,
  act: (tenant: Tenant) => Promise<Result>,
): Promise<Result> {
  // Not in the identity map: the action locks the row first, and then reads it.
  const owner = await tx.findOne(
    WebhookEndpoint,
    { id, environment, deletedAt: null },
    { fields: ['merchantId'], disableIdentityMap: true },
  );
  if (owner === null) throw notFound('webhook endpoint');
  const done = await act({ merchantId: owner.merchantId, environment });
  await recordAction(tx, { ...author, ...entry, subject: id });
  return done;
}

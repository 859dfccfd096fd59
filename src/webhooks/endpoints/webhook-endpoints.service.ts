import type { EntityData, FilterQuery } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { DomainError, invalidParam, notFound } from '../../domain/errors.js';
import { newId } from '../../domain/ids.js';
import type { Tenant } from '../../domain/tenant.js';
import { EventsService } from '../../events/events.service.js';
import { type ListPage, listPage } from '../../http/pagination.js';
import { requestContext } from '../../http/request-context.js';
import { assign } from '../../platform/database/assign.js';
import { type Tx, afterCommit, row, rows } from '../../platform/database/database.js';
import { JobWaker } from '../../platform/queue/job-waker.js';
import { countDeadLetters, deadLettersOf } from './dead-letters.js';
import { EndpointSecrets } from './endpoint-secrets.js';
import { WebhookEndpoint } from './webhook-endpoint.entity.js';
import { lockMerchant, lockOwned, transactionTime } from './webhook-endpoints.sql.js';
import type {
  CreateWebhookEndpointBody,
  ListWebhookEndpointsQuery,
  UpdateWebhookEndpointBody,
  WebhookTest,
} from './webhook-endpoint.schema.js';
import { type WebhookEndpointView, type WebhookEndpointWithSecret, presentEndpoint } from './webhook-endpoint.view.js';

const ENDPOINTS_MAX = 50;
const NO_PREVIOUS_SECRET = {
  previousSecret: null,
  previousSecretExpiresAt: null,
} satisfies EntityData<WebhookEndpoint>;

/** Creates, changes, deletes and reads a merchant's endpoints. Only creation and rotation return a secret. */
@Injectable()
export class WebhookEndpointsService {
  constructor(
    private readonly secrets: EndpointSecrets,
    private readonly events: EventsService,
    private readonly queue: JobWaker,
  ) {}

  /**
   * Creates an endpoint; its URL has passed `WebhookTargets.assertAllowed`.
   * @throws DomainError `invalid_request` when the tenant has 50 endpoints already.
   */
  async create(tx: Tx, tenant: Tenant, input: CreateWebhookEndpointBody): Promise<WebhookEndpointWithSecret> {
    await assertRoom(tx, tenant);
    const id = newId('we_');
    const { secret, sealed } = this.secrets.issue(id);
    const now = await databaseTime(tx);
    const endpoint = tx.create(WebhookEndpoint, {
      id,
      ...ownedBy(tenant),
      url: input.url,
      description: textOrNull(input.description ?? ''),
      eventTypes: [...input.event_types],
      enabled: input.enabled,
      disabledReason: null,
      secret: sealed,
      previousSecretExpiresAt: null,
      createdAt: now,
      updatedAt: now,
    });
    await tx.flush();
    return { ...presentEndpoint(endpoint, 0), secret };
  }

  /** Changes the given fields. Enabling clears the failures, so that old ones do not disable the endpoint again at once. */
  async update(tx: Tx, tenant: Tenant, id: string, change: UpdateWebhookEndpointBody): Promise<WebhookEndpointView> {
    const endpoint = await lockEndpoint(tx, tenant, id);
    if (change.url !== undefined) endpoint.url = change.url;
    if (change.description !== undefined) endpoint.description = textOrNull(change.description);
    if (change.event_types !== undefined) endpoint.eventTypes = [...change.event_types];
    if (change.enabled === true && !endpoint.enabled) {
      assign(endpoint, { disabledReason: null, failingSince: null, deadLetters: 0 });
    }
    if (change.enabled !== undefined) endpoint.enabled = change.enabled;
    endpoint.updatedAt = await databaseTime(tx);
    await tx.flush();
    // Deliveries that were paused are due now.
    afterCommit(tx, () => this.queue.wake('webhooks.deliver', {}));
    return presentEndpoint(endpoint, await deadLettersOf(tx, id));
  }

  /**
   * Deletes an endpoint. Nothing is sent to it after the commit. The deliverer cancels its waiting deliveries in batches,
   * because there may be any number.
   */
  async remove(tx: Tx, tenant: Tenant, id: string): Promise<{ id: string; object: 'webhook_endpoint'; deleted: true }> {
    const endpoint = await lockEndpoint(tx, tenant, id);
    const now = await databaseTime(tx);
    assign(endpoint, { deletedAt: now, updatedAt: now, secret: Buffer.alloc(0), ...NO_PREVIOUS_SECRET });
    await tx.flush();
    afterCommit(tx, () => this.queue.wake('webhooks.deliver', {}));
    return { id, object: 'webhook_endpoint', deleted: true };
  }

  /** Replaces the secret at once. The old secret signs too for `overlapSeconds`, or not at all when that is 0. */
  async rotateSecret(tx: Tx, tenant: Tenant, id: string, overlapSeconds: number): Promise<WebhookEndpointWithSecret> {
    const endpoint = await lockEndpoint(tx, tenant, id);
    const { secret, sealed } = this.secrets.issue(id);
    const now = await databaseTime(tx);
    const overlaps = overlapSeconds > 0;
    endpoint.previousSecret = overlaps ? endpoint.secret : null;
    endpoint.previousSecretExpiresAt = overlaps ? new Date(now.getTime() + overlapSeconds * 1000) : null;
    endpoint.secret = sealed;
    endpoint.updatedAt = now;
    await tx.flush();
    return { ...presentEndpoint(endpoint, await deadLettersOf(tx, id)), secret };
  }

  /** Ends the overlap: the old secret stops signing now. Without an overlap nothing changes. */
  async endOverlap(tx: Tx, tenant: Tenant, id: string): Promise<WebhookEndpointView> {
    const endpoint = await lockEndpoint(tx, tenant, id);
    if (endpoint.previousSecretExpiresAt !== null) {
      assign(endpoint, { ...NO_PREVIOUS_SECRET, updatedAt: await databaseTime(tx) });
      await tx.flush();
    }
    return presentEndpoint(endpoint, await deadLettersOf(tx, id));
  }

  /**
   * Records a `ping` for this endpoint alone, whatever it subscribes to.
   * @throws DomainError `invalid_state_transition` when the endpoint is disabled: nothing would be sent.
   */
  async test(tx: Tx, tenant: Tenant, id: string): Promise<WebhookTest> {
    // Shared, since counting the dead letters takes time, and tests need not wait for each other.
    const endpoint = await lockEndpoint(tx, tenant, id, 'share');
    if (!endpoint.enabled) {
      throw new DomainError('invalid_state_transition', 'The endpoint is disabled; enable it before you test it.');
    }
    const data = presentEndpoint(endpoint, await deadLettersOf(tx, id));
    const traceparent = requestContext()?.traceparent;
    const eventId = await this.events.record(tx, { tenant, type: 'ping', resourceId: id, data, traceparent });
    return { object: 'webhook_test', event_id: eventId, webhook_endpoint_id: id };
  }

  async get(em: EntityManager, tenant: Tenant, id: string): Promise<WebhookEndpointView> {
    const endpoint = await em.findOne(WebhookEndpoint, { id, ...ownedBy(tenant), deletedAt: null });
    if (endpoint === null) throw notFound('webhook endpoint');
    return presentEndpoint(endpoint, await deadLettersOf(em, id));
  }

  /** Returns one page of endpoints, newest first. */
  async list(
    em: EntityManager,
    tenant: Tenant,
    { limit, starting_after: after }: ListWebhookEndpointsQuery,
  ): Promise<ListPage<WebhookEndpointView>> {
    const owned = { ...ownedBy(tenant), deletedAt: null } satisfies FilterQuery<WebhookEndpoint>;
    const page: FilterQuery<WebhookEndpoint>[] = [owned];
    if (after !== undefined) {
      const cursor = await em.findOne(WebhookEndpoint, { id: after, ...owned });
      if (cursor === null) throw invalidParam('starting_after', 'starting_after is not a webhook endpoint of yours.');
      const { createdAt, id } = cursor;
      // The first bound lets PostgreSQL enter its index there; the second leaves out the cursor and what is newer.
      page.push({ createdAt: { $lte: createdAt } }, { $or: [{ createdAt: { $lt: createdAt } }, { id: { $lt: id } }] });
    }
    const endpoints = await em.find(
      WebhookEndpoint,
      { $and: page },
      { orderBy: { createdAt: 'desc', id: 'desc' }, limit: limit + 1 },
    );
    const deadLetters = await countDeadLetters(
      em,
      endpoints.map((endpoint) => endpoint.id),
    );
    return listPage(
      endpoints.map((endpoint) => presentEndpoint(endpoint, deadLetters.get(endpoint.id) ?? 0)),
      limit,
    );
  }
}

/** The columns that own an endpoint; a caller object has more fields. */
function ownedBy({ merchantId, environment }: Tenant): Tenant {
  return { merchantId, environment };
}

/** Locks the merchant, so that two concurrent creations cannot both take the last free place. */
async function assertRoom(tx: Tx, tenant: Tenant): Promise<void> {
  await rows(tx, lockMerchant(tenant.merchantId));
  if ((await tx.count(WebhookEndpoint, { ...ownedBy(tenant), deletedAt: null })) < ENDPOINTS_MAX) return;
  throw new DomainError('invalid_request', `There are ${ENDPOINTS_MAX} webhook endpoints already; delete one first.`);
}

async function lockEndpoint(
  tx: Tx,
  tenant: Tenant,
  id: string,
  strength: 'share' | 'no key update' = 'no key update',
): Promise<WebhookEndpoint> {
  await rows(tx, lockOwned(id, tenant, strength));
  const endpoint = await tx.findOne(WebhookEndpoint, { id, ...ownedBy(tenant), deletedAt: null });
  if (endpoint === null) throw notFound('webhook endpoint');
  return endpoint;
}

async function databaseTime(tx: Tx): Promise<Date> {
  const { now } = await row(tx, transactionTime);
  return new Date(now);
}

const textOrNull = (text: string): string | null => (text === '' ? null : text);

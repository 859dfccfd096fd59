import { randomBytes } from 'node:crypto';
import { type FindOneOptions, LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Inject, Injectable } from '@nestjs/common';
import { DomainError, invalidParam, notFound } from '../../domain/errors.js';
import { ALL_EVENT_TYPES } from '../../domain/event-type.js';
import { newId } from '../../domain/ids.js';
import type { Environment } from '../../domain/network.js';
import type { SignatureVerdict } from '../../domain/signature-check.js';
import type { Tenant } from '../../domain/tenant.js';
import { type ConsoleActor, recordAction } from '../../platform/audit-trail.js';
import { Database, row, rows, type Tx } from '../../platform/database/database.js';
import { RUNTIME, type Runtime } from '../../platform/runtime.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { EndpointOperations } from '../../webhooks/endpoints/endpoint-operations.service.js';
import { WebhookEndpointsService } from '../../webhooks/endpoints/webhook-endpoints.service.js';
import { WebhookEndpoint } from '../../webhooks/endpoints/webhook-endpoint.entity.js';
import { WebhookTargets } from '../../webhooks/endpoints/webhook-targets.js';
import { countInboxes, merchantNames, newestInboxes, takeInboxTurn, twoMerchants } from './inbox-merchants.sql.js';
import { InboxRequest } from './inbox-request.entity.js';
import { requestPage } from './inbox-requests.sql.js';
import { type InboxAnswer, WebhookInbox } from './webhook-inbox.entity.js';

const KEY_BYTES = 16;
/** More than anybody makes by hand. */
const INBOXES_MAX = 100;
const DESCRIPTION = 'Inbox of the console';

/** An inbox with the name of its merchant. */
export interface ShownInbox {
  readonly inbox: WebhookInbox;
  readonly merchantName: string;
}

/** A request that an inbox has received, with the check of its signature at that time. */
export interface OpenedRequest {
  readonly request: InboxRequest;
  /** Null once the endpoint was deleted, and its secret with it. */
  readonly signature: SignatureVerdict | null;
}

/** The inboxes of the sandbox, for staff. Nothing of them exists in live. */
@Injectable()
export class WebhookInboxes {
  constructor(
    private readonly database: Database,
    private readonly endpoints: WebhookEndpointsService,
    private readonly operations: EndpointOperations,
    private readonly targets: WebhookTargets,
    @Inject(RUNTIME) private readonly runtime: Runtime,
  ) {}

  /**
   * Returns the newest inboxes with the names of their merchants, those with a deleted endpoint at the end.
   * @throws DomainError `not_found` in live
   */
  async list(environment: Environment): Promise<readonly ShownInbox[]> {
    assertSandbox(environment);
    const em = this.database.em();
    const ids = (await this.database.rows(newestInboxes(INBOXES_MAX))).map(({ id }) => id);
    const found = await em.find(WebhookInbox, { id: { $in: ids } });
    const inboxes = found.toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
    const merchants = await this.database.rows(merchantNames(inboxes.map(({ merchantId }) => merchantId)));
    const names = new Map(merchants.map(({ id, name }) => [id, name]));
    return inboxes.map((inbox) => ({ inbox, merchantName: names.get(inbox.merchantId) ?? '' }));
  }

  /**
   * Refuses inboxes where there can be none. It queries DNS, so call it before the transaction of `create`.
   * @throws DomainError `not_found` in live; `invalid_request` when endpoints may not lie on this machine
   */
  async assertPossible(environment: Environment | null): Promise<void> {
    assertSandbox(environment);
    await this.targets.assertAllowed('sandbox', this.urlOf(newKey()));
  }

  /**
   * Makes an inbox, and an endpoint for all events that sends to it. Without a merchant it is that of the only one.
   * `assertPossible` comes before. Audited.
   * @throws DomainError `invalid_request` for an unknown merchant; `invalid_state_transition` when there are 100
   */
  async create(tx: Tx, staff: ConsoleActor, merchantId: string | null): Promise<ShownInbox> {
    const merchant = await merchantFor(tx, merchantId);
    const tenant = { merchantId: merchant.id, environment: 'sandbox' } as const satisfies Tenant;
    await rows(tx, takeInboxTurn);
    if ((await row(tx, countInboxes)).count >= INBOXES_MAX) throw tooMany();
    const key = newKey();
    const { id: endpointId } = await this.endpoints.create(tx, tenant, {
      url: this.urlOf(key),
      description: DESCRIPTION,
      event_types: [ALL_EVENT_TYPES],
      enabled: true,
    });
    const id = newId('inb_');
    const inbox = tx.create(WebhookInbox, { id, ...tenant, endpointId, key, answer: '200', createdBy: staff.actor });
    await tx.flush();
    const details = { inbox: id, merchant: merchant.id };
    await recordAction(tx, { ...staff, action: 'inbox.create', subject: endpointId, reason: null, details });
    return { inbox, merchantName: merchant.name };
  }

  /** Changes what an inbox answers from now on. Audited. @throws DomainError `not_found` */
  async setAnswer(tx: Tx, staff: ConsoleActor, id: string, answer: InboxAnswer): Promise<ShownInbox> {
    const inbox = await findInbox(tx, staff.environment, id, { lockMode: LockMode.PESSIMISTIC_WRITE });
    const before = { answer: inbox.answer };
    inbox.answer = answer;
    await tx.flush();
    const change = { before, after: { answer } };
    await recordAction(tx, { ...staff, action: 'inbox.answer', subject: inbox.endpointId, reason: null, ...change });
    return { inbox, merchantName: (await row(tx, merchantNames([inbox.merchantId]))).name };
  }

  /** Returns an inbox. @throws DomainError `not_found` */
  find(environment: Environment | null, id: string): Promise<WebhookInbox> {
    return findInbox(this.database.em(), environment, id);
  }

  /** Returns up to `limit + 1` requests, newest first. @throws DomainError `not_found` */
  async requests(
    environment: Environment,
    id: string,
    { limit, after }: { readonly limit: number; readonly after: string | null },
  ): Promise<readonly RowOf<ReturnType<typeof requestPage>>[]> {
    await this.find(environment, id);
    return this.database.rows(requestPage(id, limit + 1, after));
  }

  /** Returns a request and what a receiver would have said of its signature. @throws DomainError `not_found` */
  async open(environment: Environment, inboxId: string, id: string): Promise<OpenedRequest> {
    const { endpointId } = await this.find(environment, inboxId);
    const request = await this.database.em().findOne(InboxRequest, { id, inboxId });
    if (request === null) throw notFound('request');
    const header = request.headers['x-webhook-signature'] ?? '';
    const body = Buffer.from(request.body).toString('utf8');
    const at = request.receivedAt;
    const isDeleted = (await this.database.em().count(WebhookEndpoint, { id: endpointId, deletedAt: null })) === 0;
    const signature = isDeleted
      ? null
      : await this.operations.checkSignature(environment, endpointId, { header, body, at });
    return { request, signature };
  }

  private urlOf(key: string): string {
    return `${this.runtime.baseUrl()}/sandbox/inbox/${key}`;
  }
}

const newKey = (): string => randomBytes(KEY_BYTES).toString('hex');

async function findInbox(
  em: EntityManager,
  environment: Environment | null,
  id: string,
  lock: Pick<FindOneOptions<WebhookInbox>, 'lockMode'> = {},
): Promise<WebhookInbox> {
  const inbox = environment === 'sandbox' ? await em.findOne(WebhookInbox, { id }, lock) : null;
  if (inbox === null) throw notFound('inbox');
  return inbox;
}

/** The merchant with this id, or the only one. */
async function merchantFor(tx: Tx, merchantId: string | null): Promise<RowOf<typeof merchantNames>> {
  const [merchant, second] = await rows(tx, merchantId === null ? twoMerchants : merchantNames([merchantId]));
  if (merchant === undefined) throw invalidParam('merchant_id', 'There is no such merchant.');
  if (second !== undefined) throw invalidParam('merchant_id', 'There are several merchants: name one.');
  return merchant;
}

const tooMany = (): DomainError =>
  new DomainError(
    'invalid_state_transition',
    `There are ${INBOXES_MAX} inboxes, which is the maximum. Use one of them, or delete the endpoint of one that you no longer need.`,
  );

function assertSandbox(environment: Environment | null): void {
  if (environment !== 'sandbox') throw notFound('inbox');
}

import type { RequestListener } from 'node:http';
import { Logger } from '@nestjs/common';
import type { EventType } from '../../src/domain/event-type.js';
import { newId } from '../../src/domain/ids.js';
import type { Tenant } from '../../src/domain/tenant.js';
import { RETRY_BASE_MS } from '../../src/domain/webhook-retry-schedule.js';
import { EventsService } from '../../src/events/events.service.js';
import { RelayService } from '../../src/events/relay.service.js';
import type { Database } from '../../src/platform/database/database.js';
import type { SqlParameter } from '../../src/platform/sql/sql.js';
import type { JobWaker } from '../../src/platform/queue/job-waker.js';
import { Metrics } from '../../src/platform/metrics.js';
import { OutboundClient } from '../../src/platform/outbound/outbound-client.js';
import type { JobName } from '../../src/platform/queue/jobs.js';
import { SecretBox } from '../../src/platform/secret-box.js';
import { DelivererService } from '../../src/webhooks/deliveries/deliverer.service.js';
import { DeliveryClaimsService } from '../../src/webhooks/deliveries/delivery-claims.service.js';
import { DeliveryFanoutService } from '../../src/webhooks/deliveries/delivery-fanout.service.js';
import { AttemptRecorder } from '../../src/webhooks/deliveries/attempt-recorder.service.js';
import type { WebhookScope } from '../../src/webhooks/endpoints/webhook-scope.js';
import { DeliveryReader } from '../../src/webhooks/deliveries/delivery-reader.service.js';
import { DeliveryResend } from '../../src/webhooks/deliveries/delivery-resend.service.js';
import { ReplaySignals } from '../../src/webhooks/deliveries/replay-signals.js';
import { DeliverySender } from '../../src/webhooks/deliveries/delivery-sender.service.js';
import { EndpointHealthService } from '../../src/webhooks/endpoints/endpoint-health.service.js';
import { DeliveryOverview } from '../../src/webhooks/overview/delivery-overview.service.js';
import { ReplayFeeder } from '../../src/webhooks/replays/replay-feeder.service.js';
import { ReplayJobs } from '../../src/webhooks/replays/replay-jobs.service.js';
import { ReplayPreviews } from '../../src/webhooks/replays/replay-preview.service.js';
import { EndpointRecoveryService } from '../../src/webhooks/recoveries/endpoint-recovery.service.js';
import { EndpointSecrets } from '../../src/webhooks/endpoints/endpoint-secrets.js';
import type { WebhookEndpointWithSecret } from '../../src/webhooks/endpoints/webhook-endpoint.view.js';
import type { CreateWebhookEndpointBody } from '../../src/webhooks/endpoints/webhook-endpoint.schema.js';
import { WebhookEndpointsService } from '../../src/webhooks/endpoints/webhook-endpoints.service.js';
import { WebhookTargets } from '../../src/webhooks/endpoints/webhook-targets.js';
import { type Receiver, startReceiver } from '../outbound/receiver-zoo.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { query } from '../support/sql.js';

export interface WebhookWorldOptions {
  readonly timeoutMs?: number;
  readonly backoffBaseMs?: number;
  /** 0: no limit. */
  readonly inFlightPerEndpoint?: number;
  /** Hex of the key that seals secrets. */
  readonly secretsKey?: string;
}

/** The columns of a delivery that tests check. */
export interface DeliveryRow {
  readonly id: string;
  readonly event_id: string;
  readonly endpoint_id: string;
  readonly series: number;
  readonly status: string;
  readonly attempts: number;
}

/** The columns of an attempt that tests check. */
export interface AttemptRow {
  readonly number: number;
  readonly started_at: string;
  readonly signed_at: string;
  readonly response_status: number | null;
  readonly error_code: string | null;
  readonly response_headers: Readonly<Record<string, string>> | null;
  readonly response_body: string | null;
}

/** A receiver of webhooks on this machine. */
export type WebhookReceiver = Receiver & { readonly url: string };

/** The services of one process, on a database that all processes share. */
export type WebhookProcess = ReturnType<typeof webhookProcess>;

function webhookProcess(database: Database, wakes: JobName[], options: WebhookWorldOptions) {
  const { timeoutMs = 5_000, backoffBaseMs = RETRY_BASE_MS, secretsKey = '5e'.repeat(32) } = options;
  const { inFlightPerEndpoint = 4 } = options;
  const retention = { answerRetentionDays: 30, attemptRetentionDays: 180 };
  const config = {
    webhooks: { timeoutMs, backoffBaseMs, allowPrivateTargets: true, inFlightPerEndpoint, ...retention },
  };
  const queue: JobWaker = {
    wake: (name) => void wakes.push(name),
    wakeMany: (name, all) => void wakes.push(...all.map(() => name)),
  };
  const outbound = new OutboundClient({ timeoutMs });
  const targets = new WebhookTargets(outbound, config);
  const secrets = new EndpointSecrets(new SecretBox(secretsKey));
  const events = new EventsService(queue);
  const claims = new DeliveryClaimsService(database, config);
  const sender = new DeliverySender(secrets, targets, outbound);
  const records = new AttemptRecorder(database, new EndpointHealthService(events), config);
  const resend = new DeliveryResend(queue);
  const signals = new ReplaySignals();
  return {
    outbound,
    targets,
    events,
    claims,
    sender,
    records,
    relay: new RelayService(database, new DeliveryFanoutService(queue)),
    endpoints: new WebhookEndpointsService(secrets, events, queue),
    reader: new DeliveryReader(database),
    resend,
    recoveries: new EndpointRecoveryService(database, queue),
    overview: new DeliveryOverview(database),
    replays: new ReplayJobs(database, resend, queue),
    previews: new ReplayPreviews(database),
    feeder: new ReplayFeeder(database, signals, config),
    deliverer: new DelivererService(claims, sender, records, signals, new Metrics()),
  };
}

/** The webhook pipeline on its own database, with one merchant; nothing runs unless a test runs it. */
export class WebhookWorld {
  readonly database: Database;
  readonly tenant: Tenant = { merchantId: newId('mer_'), environment: 'sandbox' };
  /** The jobs that were woken. */
  readonly wakes: JobName[] = [];
  readonly main: WebhookProcess;
  private readonly processes: WebhookProcess[] = [];
  private readonly receivers: Receiver[] = [];

  private constructor(
    readonly home: TestDatabase,
    options: WebhookWorldOptions,
  ) {
    this.database = home.database;
    this.main = this.newProcess(options);
  }

  static async open(options: WebhookWorldOptions = {}): Promise<WebhookWorld> {
    Logger.overrideLogger(false);
    const home = await freshDatabase();
    // Otherwise the ORM's first statement, inside a transaction, waits for a second connection to inspect the database.
    await home.orm.connect();
    const world = new WebhookWorld(home, options);
    await world.addMerchant(world.tenant.merchantId);
    return world;
  }

  async close(): Promise<void> {
    await Promise.all(this.receivers.map((receiver) => receiver.close()));
    for (const process of this.processes) {
      await process.feeder.beforeApplicationShutdown();
      await process.deliverer.stop();
    }
    await Promise.all(this.processes.map((process) => process.outbound.close()));
    await this.home.drop();
  }

  newProcess(options: WebhookWorldOptions = {}): WebhookProcess {
    const process = webhookProcess(this.database, this.wakes, options);
    this.processes.push(process);
    return process;
  }

  async addMerchant(id: string = newId('mer_')): Promise<string> {
    await this.query(`insert into merchant (id, name) values ($1, 'Merchant')`, [id]);
    return id;
  }

  query<Row>(text: string, parameters: readonly SqlParameter[] = []): Promise<Row[]> {
    return query<Row>(this.database, text, parameters);
  }

  async receive(answer: RequestListener): Promise<WebhookReceiver> {
    const receiver = await startReceiver(answer);
    this.receivers.push(receiver);
    return Object.assign(receiver, { url: `http://127.0.0.1:${receiver.port}/hooks` });
  }

  addEndpoint(
    input: Partial<CreateWebhookEndpointBody> = {},
    tenant = this.tenant,
  ): Promise<WebhookEndpointWithSecret> {
    const endpoint: CreateWebhookEndpointBody = {
      url: 'https://example.com/hooks',
      event_types: ['*'],
      enabled: true,
      ...input,
    };
    return this.database.transaction((tx) => this.main.endpoints.create(tx, tenant, endpoint));
  }

  record(type: EventType = 'payment_intent.completed', data: object = {}, tenant = this.tenant): Promise<string> {
    return this.database.transaction((tx) => this.main.events.record(tx, { tenant, type, resourceId: 'pi_1', data }));
  }

  /** Records events and relays them. */
  async publish(count = 1, type?: EventType): Promise<string[]> {
    const ids: string[] = [];
    for (let n = 1; n <= count; n++) ids.push(await this.record(type, { id: 'pi_1', n }));
    await this.main.relay.relay();
    return ids;
  }

  /** Attempts the deliveries that are due, also those that become due meanwhile. */
  async deliver({ deliverer }: WebhookProcess = this.main): Promise<void> {
    await deliverer.drain();
    await deliverer.idle();
  }

  /** Attempts waiting deliveries until each is delivered or a dead letter. */
  async exhaust(): Promise<void> {
    for (let attempt = 1; attempt <= 6; attempt++) {
      await this.deliver();
      await this.skipWait();
    }
  }

  /** Retries a delivery as its merchant; returns the id of the delivery that will be sent. */
  retry(id: string, scope: WebhookScope = this.tenant): Promise<string> {
    return this.database.transaction((tx) => this.main.resend.sendAgain(tx, scope, id));
  }

  setEnabled(endpointId: string, enabled: boolean): Promise<unknown> {
    return this.database.transaction((tx) => this.main.endpoints.update(tx, this.tenant, endpointId, { enabled }));
  }

  removeEndpoint(endpointId: string): Promise<unknown> {
    return this.database.transaction((tx) => this.main.endpoints.remove(tx, this.tenant, endpointId));
  }

  /** Makes every waiting delivery due. */
  async skipWait(): Promise<void> {
    await this.query(`update delivery set due_at = now() - interval '1 second' where status = 'pending'`);
  }

  deliveries(): Promise<DeliveryRow[]> {
    return this.query(
      `select d.id, d.event_id, d.endpoint_id, d.series, d.status, d.attempts
         from delivery d join event e on e.id = d.event_id order by e.sequence, d.endpoint_id, d.series`,
    );
  }

  /** All attempts that were recorded, by endpoint, delivery and number. */
  attempts(): Promise<AttemptRow[]> {
    return this.query(
      `select a.* from delivery_attempt a join delivery d on d.id = a.delivery_id
        order by d.endpoint_id, d.id, a.number`,
    );
  }
}

/** Returns a listener that answers with one status after the other, and then repeats the last. */
export function answering(...statuses: number[]): RequestListener {
  let n = 0;
  return (_request, response) => response.writeHead(statuses[Math.min(n++, statuses.length - 1)] ?? 200).end();
}

/** Returns a header of a received request as one text. */
export const headerOf = (request: Receiver['requests'][number] | undefined, name: string): string =>
  String(request?.headers[name] ?? '');

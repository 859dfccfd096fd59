import { ApiKeysService } from '../../src/auth/api-keys.service.js';
import { MerchantsService } from '../../src/auth/merchants.service.js';
import { type Receiver, startReceiver } from '../outbound/receiver-zoo.js';
import { type ApiAnswer, ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { startWorld, type World } from '../support/world.js';
import { answering, type WebhookReceiver } from './webhook-world.js';

/** The path of the merchant's endpoints. */
export const ENDPOINTS = '/v1/webhook-endpoints';

export interface Endpoint {
  readonly id: string;
  readonly secret: string;
  readonly url: string;
  readonly event_types: string[];
  readonly enabled: boolean;
  readonly previous_secret_expires_at: string | null;
}
export interface Delivery {
  readonly id: string;
  readonly status: string;
  readonly event_id: string;
  readonly endpoint_id: string;
  readonly series: number;
  readonly superseded: boolean;
  readonly last_response_status: number | null;
  readonly last_fault: string | null;
  readonly next_attempt_at: string | null;
}
export interface Page<Item> {
  readonly data: Item[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}
export interface ErrorAnswer {
  readonly error: { readonly code: string; readonly param?: string };
}

/** A receiver that refuses whatever comes until it is mended. */
interface BrokenReceiver {
  readonly target: string;
  mend(): void;
}

/** A merchant's webhooks over HTTP, in a world that delivers to this machine and soon tries again. */
export class WebhookApi {
  private readonly receivers: Receiver[] = [];

  private constructor(readonly world: World) {}

  static async start(): Promise<WebhookApi> {
    const env = { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true', WEBHOOK_BACKOFF_BASE_MS: '20' };
    return new WebhookApi(await startWorld({ env }));
  }

  /** Closes the receivers, too. */
  async stop(): Promise<void> {
    await Promise.all(this.receivers.map((one) => one.close()));
    await this.world.stop();
  }

  /** Starts a receiver that fails once, and then takes everything. */
  async receive(): Promise<WebhookReceiver> {
    const receiver = await startReceiver(answering(500, 200));
    this.receivers.push(receiver);
    return Object.assign(receiver, { url: urlOf(receiver) });
  }

  create(body: object): Promise<ApiAnswer<Endpoint>> {
    return this.world.api.post<Endpoint>(ENDPOINTS, body);
  }

  async deliveries(filter: string): Promise<Delivery[]> {
    return (await this.world.api.get<Page<Delivery>>(`/v1/deliveries?${filter}`)).body.data;
  }

  retry(id: string, idempotencyKey?: string): Promise<ApiAnswer<Delivery & ErrorAnswer>> {
    return this.world.api.post(`/v1/deliveries/${id}/retry`, undefined, keyed(idempotencyKey));
  }

  recover(
    id: string,
    body: object,
    idempotencyKey?: string,
  ): Promise<ApiAnswer<{ id: string; status: string } & ErrorAnswer>> {
    return this.world.api.post(`${ENDPOINTS}/${id}/recover`, body, keyed(idempotencyKey));
  }

  /** Adds an endpoint, and returns the delivery of a test event to it once it is in this status. */
  async tested(status: string, target: string): Promise<{ endpoint: Endpoint; delivery: Delivery }> {
    const { body: endpoint } = await this.create({ url: target });
    await this.world.api.post(`${ENDPOINTS}/${endpoint.id}/test`);
    const filter = `endpoint_id=${endpoint.id}&status=${status}`;
    const delivery = await eventually(async () => (await this.deliveries(filter))[0]);
    return { endpoint, delivery };
  }

  /** Starts a receiver that refuses with this body. */
  async broken(body: Buffer | string = 'no such order'): Promise<BrokenReceiver> {
    let isMended = false;
    const failing = await startReceiver((_request, response) => {
      response.writeHead(isMended ? 204 : 422, { 'Content-Type': 'text/plain' }).end(isMended ? undefined : body);
    });
    this.receivers.push(failing);
    return { target: urlOf(failing), mend: () => void (isMended = true) };
  }

  /** Returns a client of another merchant in the same environment. */
  async stranger(): Promise<ApiClient> {
    const { world } = this;
    const { key } = await world.database.transaction(async (tx) => {
      const { id: merchantId } = await world.service.get(MerchantsService).createMerchant(tx, { name: 'Stranger' });
      return world.service.get(ApiKeysService).createKey(tx, { merchantId, environment: 'sandbox' });
    });
    return new ApiClient(world.url, key);
  }
}

const urlOf = ({ port }: Receiver): string => `http://127.0.0.1:${port}/hooks`;

const keyed = (idempotencyKey?: string) => (idempotencyKey === undefined ? {} : { idempotencyKey });

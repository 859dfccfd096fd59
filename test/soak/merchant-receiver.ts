import Stripe from 'stripe';
import type { EventBody } from '../../src/events/event-envelope.js';
import { type ReceivedRequest, startReceiver } from '../outbound/receiver-zoo.js';
import type { ApiClient } from '../support/api-client.js';
import type { SeededRandom } from '../support/seeded-random.js';

const REFUSED_SHARE = 0.2;

/**
 * A merchant's webhook receiver. It verifies every signature, refuses some events at first with 500, and stores each event
 * once by its id. Repeated deliveries of an event must have the same bytes.
 */
export class MerchantReceiver {
  private constructor(
    readonly url: string,
    private readonly random: SeededRandom,
    private readonly closeReceiver: () => Promise<void>,
  ) {}

  /** The bytes of every acknowledged event, by id. */
  readonly byId = new Map<string, string>();
  /** The received attempts, and those that were refused. */
  attempts = 0;
  refused = 0;
  /** Deliveries that must never happen. */
  readonly faults: string[] = [];
  private readonly met = new Set<string>();
  private secret = '';

  static async listen(random: SeededRandom): Promise<MerchantReceiver> {
    const receiver = await startReceiver((_request, response) => {
      const received = receiver.requests.at(-1);
      response.writeHead(received === undefined ? 500 : merchant.receive(received)).end();
    });
    const merchant = new MerchantReceiver(`http://127.0.0.1:${receiver.port}/hooks`, random, () => receiver.close());
    return merchant;
  }

  /** Subscribes to all events of the merchant. Returns the endpoint's id. */
  async register(api: ApiClient): Promise<string> {
    const endpoint = { url: this.url, event_types: ['*'] };
    const { body, text } = await api.post<{ id: string; secret?: string }>('/v1/webhook-endpoints', endpoint);
    if (body.secret === undefined) throw new Error(`The endpoint was not made: ${text}`);
    this.secret = body.secret;
    return body.id;
  }

  /** The acknowledged events by sequence. */
  get events(): EventBody[] {
    return [...this.byId.values()]
      .map((text) => JSON.parse(text) as EventBody)
      .toSorted((a, b) => a.sequence - b.sequence);
  }

  close(): Promise<void> {
    return this.closeReceiver();
  }

  /** Returns the status to answer with. */
  private receive({ headers, body }: ReceivedRequest): 200 | 500 {
    this.attempts++;
    const event = this.verified(String(headers['x-webhook-signature']), body);
    if (event === null) return 500;
    const isNew = !this.met.has(event.id);
    this.met.add(event.id);
    if (isNew && this.random.chance(REFUSED_SHARE)) {
      this.refused++;
      return 500;
    }
    const before = this.byId.get(event.id) ?? body.toString();
    if (before !== body.toString()) this.faults.push(`${event.id} came with other bytes`);
    this.byId.set(event.id, before);
    return 200;
  }

  private verified(signature: string, body: Buffer): { readonly id: string } | null {
    try {
      return Stripe.webhooks.constructEvent(body, signature, this.secret);
    } catch (error) {
      this.faults.push(String(error));
      return null;
    }
  }
}

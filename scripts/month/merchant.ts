import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

const RETRY_MS = 500;
const TRIES_MAX = 60;

const intentSchema = z.object({
  id: z.string(),
  status: z.string(),
  address: z.string().nullable(),
  network: z.string(),
  token: z.string(),
  token_decimals: z.number().nullable(),
  crypto_amount: z.string().nullable(),
});
export type PlacedIntent = z.infer<typeof intentSchema>;

const pocketsSchema = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      network: z.string(),
      token: z.string(),
      available_cents: z.number(),
      held_cents: z.number(),
    }),
  ),
});
export type MerchantPocket = z.infer<typeof pocketsSchema>['data'][number];

/** What a merchant's server asks of the API. */
export class Merchant {
  readonly id: string;
  private readonly url: string;
  private readonly key: string;

  constructor(url: string, { id, key }: { readonly id: string; readonly key: string }) {
    this.url = url;
    this.id = id;
    this.key = key;
  }

  async createIntent(body: object): Promise<PlacedIntent> {
    return intentSchema.parse(await this.post('/payment-intents', body));
  }

  async generateAddress(id: string): Promise<PlacedIntent> {
    return intentSchema.parse(await this.post(`/payment-intents/${id}/generate-address`));
  }

  /** A customer pays: a real transfer on the development chain. */
  async pay(id: string, body: { readonly amount?: string; readonly token?: string } = {}): Promise<void> {
    await this.post(`/sandbox/payment-intents/${id}/pay`, body);
  }

  async createEndpoint(body: object): Promise<string> {
    return z.object({ id: z.string() }).parse(await this.post('/webhook-endpoints', body)).id;
  }

  async pockets(): Promise<readonly MerchantPocket[]> {
    return pocketsSchema.parse(await this.call('GET', '/pockets?limit=100')).data;
  }

  /** Returns the id; null when the API refuses it, such as because another withdrawal from the pocket is in flight. */
  async withdraw(body: object): Promise<string | null> {
    const response = await this.send('POST', '/withdrawals', body);
    return response.ok ? z.object({ id: z.string() }).parse(await response.json()).id : null;
  }

  /** Sends a request that the API refuses, as clients do. Returns the status. */
  async wrongly(method: string, path: string, body?: object): Promise<number> {
    return (await this.send(method, path, body)).status;
  }

  async disableEndpoint(id: string): Promise<void> {
    await this.call('PATCH', `/webhook-endpoints/${id}`, { enabled: false });
  }

  private post(path: string, body?: object): Promise<unknown> {
    return this.call('POST', path, body);
  }

  /** Like a client that knows its trade: an answer 503 is asked for again, with the same idempotency key. */
  private async call(method: string, path: string, body?: object): Promise<unknown> {
    const key = randomUUID();
    for (let tries = 1; ; tries += 1) {
      const response = await this.send(method, path, body, key);
      const text = await response.text();
      if (response.ok) return text === '' ? null : JSON.parse(text);
      if (response.status !== 503 || tries === TRIES_MAX) {
        throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
      }
      await sleep(RETRY_MS);
    }
  }

  private send(method: string, path: string, body?: object, key: string = randomUUID()): Promise<Response> {
    return fetch(`${this.url}/v1${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${this.key}`,
        'User-Agent': 'shop-backend/4.2 (node)',
        ...(method === 'POST' && { 'Idempotency-Key': key }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }
}

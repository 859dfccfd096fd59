import { randomUUID } from 'node:crypto';
import type { PaymentIntentObject } from '../../src/payments/intents/payment-intent.schema.js';
import { addressOf } from '../http/intents.js';
import { eventually } from '../support/eventually.js';
import type { Fleet } from '../support/fleet.js';
import { SeededRandom } from '../support/seeded-random.js';

const ORDER = { amount_cents: 2500, currency: 'USD', network: 'bnb', token: 'USDC' };
const ANSWERED_WITHIN_MS = 60_000;
/** Answers that a client may get while the service is being killed, and that it retries. */
const TRY_AGAIN = new Set([409, 503]);
const DROPPED_SHARE = 0.25;
const DROPPED_WITHIN_MS = 40;
const IN_TWO_PARTS_SHARE = 0.2;

/** A write with a good answer: repeated with its key, it must return the same bytes. */
export interface Answered {
  readonly path: string;
  readonly body: string | null;
  readonly idempotencyKey: string;
  readonly text: string;
}

/** A payment on the chain. */
export interface Paid {
  readonly intentId: string;
  readonly address: string;
  readonly amount: bigint;
  readonly parts: number;
}

/**
 * Customers of one merchant who buy without a pause, each over all api processes in turn: an intent, its address, a
 * payment on the chain, and a poll until it is seen. Some answers are dropped on the way back; a customer without an answer
 * asks again with the same key.
 */
export class Customers {
  readonly answered: Answered[] = [];
  readonly paid: Paid[] = [];
  /** Answers that the API must never give. */
  readonly surprises: string[] = [];
  /** Requests sent, and those whose answer was dropped on purpose. */
  requests = 0;
  dropped = 0;
  /** The longest wait for a good answer, or for a payment to be seen, in milliseconds. */
  slowestMs = 0;
  private buying = true;
  private readonly shoppers: Promise<void>[];

  constructor(
    private readonly fleet: Fleet,
    private readonly random: SeededRandom,
    count: number,
  ) {
    this.shoppers = Array.from({ length: count }, () => this.shop());
  }

  /** Lets every customer finish the current purchase. */
  async stop(): Promise<void> {
    this.buying = false;
    await Promise.all(this.shoppers);
  }

  /** Makes one request to the next api; null when there was no good answer. */
  async ask(method: string, path: string, body: string | null, key?: string): Promise<string | null> {
    const { url } = this.fleet.one('api', this.requests++ % 2);
    const response = await fetch(url + path, {
      method,
      headers: {
        Authorization: `Bearer ${this.fleet.account.apiKey}`,
        ...(key !== undefined && { 'Idempotency-Key': key }),
        ...(body !== null && { 'Content-Type': 'application/json' }),
      },
      body,
      signal: this.patience(),
    }).catch(() => null);
    const text = await response?.text().catch(() => null);
    if (response === null || text === null || text === undefined || TRY_AGAIN.has(response.status)) return null;
    if (!response.ok) this.surprises.push(`${method} ${path}: ${response.status} ${text}`);
    return response.ok ? text : null;
  }

  private patience(): AbortSignal {
    if (!this.random.chance(DROPPED_SHARE)) return AbortSignal.timeout(ANSWERED_WITHIN_MS / 4);
    this.dropped++;
    return AbortSignal.timeout(this.random.between(1, DROPPED_WITHIN_MS));
  }

  private async shop(): Promise<void> {
    while (this.buying) {
      const { id } = await this.write('/v1/payment-intents', JSON.stringify(ORDER));
      const intent = await this.write(`/v1/payment-intents/${id}/generate-address`, null);
      await this.pay(intent);
      await this.timed(() => this.isSeen(id));
    }
  }

  private async write(path: string, body: string | null): Promise<PaymentIntentObject> {
    const idempotencyKey = randomUUID();
    const text = await this.timed(() => this.ask('POST', path, body, idempotencyKey));
    this.answered.push({ path, body, idempotencyKey, text });
    return JSON.parse(text);
  }

  private async isSeen(id: string): Promise<boolean> {
    const text = await this.ask('GET', `/v1/payment-intents/${id}`, null);
    return text !== null && (JSON.parse(text) as PaymentIntentObject).payments.length > 0;
  }

  private async pay(intent: PaymentIntentObject): Promise<void> {
    const amount = BigInt(intent.crypto_amount ?? 0);
    const address = addressOf(intent);
    const first = this.random.chance(IN_TWO_PARTS_SHARE) ? amount / 3n : amount;
    const parts = [first, amount - first].filter((part) => part > 0n);
    for (const part of parts) {
      await this.fleet.testnet.controls.pay({ to: address, token: 'USDC', amount: part });
    }
    this.paid.push({ intentId: intent.id, address, amount, parts: parts.length });
  }

  private async timed<Result>(probe: () => Promise<Result>): Promise<NonNullable<Result>> {
    const from = performance.now();
    const result = await eventually(probe, ANSWERED_WITHIN_MS);
    this.slowestMs = Math.max(this.slowestMs, performance.now() - from);
    return result;
  }
}

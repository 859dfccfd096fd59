import * as fc from 'fast-check';
import { newId } from '../../src/domain/ids.js';
import type { StatusFilter } from '../../src/payments/intents/payment-intent.schema.js';
import { ORDER } from '../http/intents.js';
import { FINAL_DEPTH } from '../http/paying.js';
import type { ApiAnswer, ApiClient, CallOptions } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { query } from '../support/sql.js';
import type { World } from '../support/world.js';

const STATUS_FILTERS: readonly StatusFilter[] = [
  'requires_payment',
  'processing',
  'completed',
  'expired',
  'canceled',
  'requires_action',
  'failed',
  'cancelled',
];

/** The next action of a merchant. The two numbers choose its object and its parameters. */
export interface Step {
  readonly action: Action;
  readonly n: number;
  readonly m: number;
}

type Action = keyof typeof ACTIONS;

const QUIET_WITHIN_MS = 30_000;
const LIMITS = ['1', '2', '3', '100', '0', '101', 'x'];
const MOMENTS = ['2020-01-01', '2100-01-01T00:00:00Z', 'yesterday'];
const DESTINATIONS = ['0x70997970c51812dc3a010c7d01b50e0d17dc79c8', 'nowhere'];
const BODIES = [
  { ...ORDER, amount_cents: 0 },
  { ...ORDER, tokn: 'USDC' },
  { ...ORDER, network: 'solana' },
  { ...ORDER, token: 'DOGE' },
  '{"amount_cents":',
];
/** Headers about the time, the request or the connection, not about the result. */
const OF_THE_MOMENT = new Set(
  'connection content-length date etag keep-alive original-request-id ratelimit request-id'.split(' '),
);

const pick = <Value>(from: readonly Value[], n: number): Value | undefined => from[n % Math.max(1, from.length)];

/** A merchant that acts, and records every answer verbatim. */
export class Actor {
  readonly intents: string[] = [];
  readonly endpoints: string[] = [];
  /** The last creation, which can be repeated. */
  lastCreation: { readonly idempotencyKey: string; readonly body: object } | null = null;
  private readonly transcript: string[] = [];
  private steps = 0;

  constructor(
    readonly world: World,
    readonly merchantId: string,
    readonly api: ApiClient,
  ) {}

  async act({ action, n, m }: Step): Promise<void> {
    this.steps += 1;
    await ACTIONS[action](this, n, m);
    await this.untilQuiet('confirmed');
  }

  /** All merchants use the same idempotency keys, which belong to each merchant separately. */
  get idempotencyKey(): string {
    return `step-${this.steps}`;
  }

  /** Sends a request and records the answer. */
  async send(method: string, path: string, options: CallOptions = {}): Promise<ApiAnswer> {
    const answer = await this.api.call(method, path, { idempotencyKey: this.idempotencyKey, ...options });
    const headers = [...answer.headers].flatMap(([name, value]) =>
      OF_THE_MOMENT.has(name) ? [] : `${name}: ${value}`,
    );
    this.transcript.push([`${method} ${path}`, answer.status, ...headers, answer.text].join('\n'));
    return answer;
  }

  anIntent(n: number): string {
    return pick(this.intents, n) ?? 'pi_none';
  }

  anEndpoint(n: number): string {
    return pick(this.endpoints, n) ?? 'we_none';
  }

  /**
   * Waits until every intent of this merchant is settled and every event numbered, so that its lists no longer change, and
   * until its payments are seen on the chain, or final there.
   */
  async untilQuiet(payments: 'seen' | 'confirmed'): Promise<void> {
    await eventually(async () => {
      const open = await query(
        this.world.database,
        `select 'event to be numbered' as what, id from event where merchant_id = $1 and sequence is null
         union all
         select 'intent to be settled', intent_id from dirty_intent join payment_intent on id = intent_id
          where merchant_id = $1
         union all
         select 'payment to be ' || $2::text, payment.id from sandbox_payment payment
           join payment_intent intent on intent.id = payment.intent_id
          where merchant_id = $1 and not exists (
            select from deposit where deposit.tx_hash = payment.tx_hash and deposit.status in ('confirmed', $2::text))`,
        [this.merchantId, payments],
      );
      expect(open).toEqual([]);
      return true;
    }, QUIET_WITHIN_MS);
  }

  /**
   * Returns every answer, with ids, addresses and times replaced by their order of appearance. Two merchants with the same
   * actions and the same answers have the same texts.
   */
  answers(): string[] {
    const names = new Map<string, string>();
    const nameOf = (kind: string, value: string): string => {
      const known = names.get(value.toLowerCase()) ?? `<${kind} ${names.size + 1}>`;
      names.set(value.toLowerCase(), known);
      return known;
    };
    const masked = (answer: string): string =>
      answer
        .replaceAll(/req_[0-9a-z]{26}/g, '<request>')
        .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
        // The progress of deliveries to a URL that does not answer.
        .replaceAll(/"(last_success_at|failing_since)":(null|"<time>")/g, '"$1":<health>')
        .replaceAll(/"dead_letters":\d+/g, '"dead_letters":<health>')
        // Every merchant sees the progress of the chain.
        .replaceAll(/"(block_number|confirmations)":\d+/g, '"$1":<block>')
        .replaceAll(/[a-z]{2,3}_[0-9a-hjkmnp-tv-z]{26}/g, (id) => nameOf(id.split('_', 1)[0] ?? '', id))
        .replaceAll(/0x[0-9a-f]{64}/gi, (hash) => nameOf('hash', hash))
        .replaceAll(/0x[0-9a-f]{40}/gi, (address) => nameOf('address', address))
        .replaceAll(/whsec_[\w-]{43}/g, (secret) => nameOf('secret', secret));
    return this.transcript.map(masked);
  }
}

/** One request each, some of them wrong. */
const ACTIONS = {
  create: async (actor: Actor, n: number, m: number): Promise<void> => {
    const body = { ...ORDER, amount_cents: 100 + n, reference: `order ${m % 3}`, metadata: { place: m } };
    const answer = await actor.send('POST', '/v1/payment-intents', { body });
    actor.intents.push(String(answer.body['id']));
    actor.lastCreation = { idempotencyKey: actor.idempotencyKey, body };
  },
  repeat: async (actor: Actor, n: number): Promise<void> => {
    if (actor.lastCreation === null) return;
    const { idempotencyKey, body } = actor.lastCreation;
    const changed = n % 2 === 0 ? body : { ...body, amount_cents: 1 };
    await actor.send('POST', '/v1/payment-intents', { idempotencyKey, body: changed });
  },
  createWrongly: async (actor: Actor, n: number): Promise<void> => {
    await actor.send('POST', '/v1/payment-intents', { body: pick(BODIES, n) });
  },
  generateAddress: async (actor: Actor, n: number): Promise<void> => {
    await actor.send('POST', `/v1/payment-intents/${actor.anIntent(n)}/generate-address`);
  },
  confirm: async (actor: Actor, n: number): Promise<void> => {
    await actor.send('POST', `/v1/payment-intents/${actor.anIntent(n)}/confirm`);
  },
  pay: async (actor: Actor, n: number): Promise<void> => {
    const { status } = await actor.send('POST', `/v1/sandbox/payment-intents/${actor.anIntent(n)}/pay`);
    if (status !== 202) return;
    // Blocks are mined only here, so that confirmations do not depend on the time.
    await actor.untilQuiet('seen');
    await actor.world.chain('polygon').mine(FINAL_DEPTH);
    await actor.untilQuiet('confirmed');
  },
  getIntent: async (actor: Actor, n: number, m: number): Promise<void> => {
    const id = m % 5 === 0 ? newId('pi_') : actor.anIntent(n);
    await actor.send('GET', `/v1/payment-intents/${id}`);
  },
  listIntents: async (actor: Actor, n: number, m: number): Promise<void> => {
    const filter = new URLSearchParams({ limit: pick(LIMITS, n) ?? '1' });
    if (n % 2 === 0) filter.set('status', pick([...STATUS_FILTERS, 'paid'], m) ?? '');
    if (n % 3 === 0) filter.set('network', pick(['polygon', 'bnb', 'mars'], m) ?? '');
    if (m % 3 === 0) filter.set('starting_after', m % 2 === 0 ? actor.anIntent(n) : newId('pi_'));
    if (m % 4 === 0) filter.set('created_gte', pick(MOMENTS, n) ?? '');
    if (m % 5 === 0) filter.set('created_lt', pick(MOMENTS, n) ?? '');
    // Every merchant uses the same references.
    if (m % 7 === 0) filter.set('reference', `order ${n % 3}`);
    if (m % 11 === 0) filter.set('address', pick(DESTINATIONS, n) ?? '');
    await actor.send('GET', `/v1/payment-intents?${filter.toString()}`);
  },
  listEvents: async (actor: Actor, n: number, m: number): Promise<void> => {
    const filter = new URLSearchParams({ limit: pick(LIMITS, n) ?? '1' });
    if (n % 2 === 0) filter.set('after_sequence', String(m % 5));
    if (m % 4 === 0) filter.set('event_type', pick(['ping', 'payment_intent.processing', 'nothing'], n) ?? '');
    await actor.send('GET', `/v1/events?${filter.toString()}`);
  },
  listPockets: async (actor: Actor, n: number): Promise<void> => {
    const { body } = await actor.send('GET', '/v1/pockets');
    const [pocket]: { id: string }[] = Object(body).data;
    await actor.send('GET', `/v1/pockets/${pocket?.id}/entries?limit=${pick(LIMITS, n)}`);
  },
  askForWithdrawal: async (actor: Actor, n: number, m: number): Promise<void> => {
    const { body } = await actor.send('GET', '/v1/pockets');
    const [pocket]: { id: string }[] = Object(body).data;
    const order = { pocket_id: pocket?.id, amount_cents: 1 + n, destination: pick(DESTINATIONS, m) };
    await actor.send('POST', '/v1/withdrawals', { body: { ...order, dry_run: true } });
  },
  listWithdrawals: async (actor: Actor, n: number, m: number): Promise<void> => {
    const filter = new URLSearchParams({ limit: pick(LIMITS, n) ?? '1' });
    if (m % 3 === 0) filter.set('starting_after', newId('wd_'));
    if (m % 4 === 0) filter.set('destination', pick(DESTINATIONS, n) ?? '');
    await actor.send('GET', `/v1/withdrawals?${filter.toString()}`);
  },
  addEndpoint: async (actor: Actor, n: number): Promise<void> => {
    const url = n % 4 === 0 ? 'ftp://example.com' : 'https://example.com/hooks';
    const { status, body } = await actor.send('POST', '/v1/webhook-endpoints', { body: { url, event_types: ['*'] } });
    if (status === 201) actor.endpoints.push(String(body['id']));
  },
  changeEndpoint: async (actor: Actor, n: number, m: number): Promise<void> => {
    const place = `/v1/webhook-endpoints/${actor.anEndpoint(n)}`;
    if (m % 4 === 0) await actor.send('DELETE', place);
    else if (m % 4 === 1) await actor.send('POST', `${place}/rotate-secret`, { body: { overlap_seconds: 60 } });
    else if (m % 4 === 2) await actor.send('POST', `${place}/test`);
    else await actor.send('PATCH', place, { body: { enabled: n % 2 === 0 } });
  },
  listEndpoints: async (actor: Actor, n: number): Promise<void> => {
    await actor.send('GET', `/v1/webhook-endpoints?limit=${pick(LIMITS, n)}`);
  },
} as const;

const aStep: fc.Arbitrary<Step> = fc.record({
  action: fc.constantFrom(...(Object.keys(ACTIONS) as Action[])),
  n: fc.nat(999),
  m: fc.nat(999),
});

const BEGINNING = ['create', 'generateAddress', 'pay', 'create'] as const;
/** With these numbers each action reads its whole list, or the first intent. */
const END = ['getIntent', 'listIntents', 'listEvents', 'listPockets', 'listEndpoints'] as const;
const EVERYTHING = { n: 17, m: 1 };

/** Begins with a payment from creation to the pocket, continues at random, and ends with reading everything. */
export const aHistory: fc.Arbitrary<readonly Step[]> = fc
  .tuple(fc.nat(999), fc.array(aStep, { minLength: 30, maxLength: 30 }))
  .map(([m, steps]) => [
    ...BEGINNING.map((action) => ({ action, n: 0, m })),
    ...steps,
    ...END.map((action) => ({ action, ...EVERYTHING })),
  ]);

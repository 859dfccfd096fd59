import { codeBlock, readDocument } from '../../test/support/markdown.js';
import { SeededRandom } from '../../test/support/seeded-random.js';
import { query } from '../../test/support/sql.js';
import { WebhookWorld } from '../../test/webhooks/webhook-world.js';
import { newId } from '../domain/ids.js';
import type { EventBody } from './event-envelope.js';
import { EventViewsService } from './event-views.service.js';
import { type EventListQuery, eventSchema } from './events.schema.js';

let world: WebhookWorld;
let views: EventViewsService;
beforeEach(async () => {
  world = await WebhookWorld.open();
  views = new EventViewsService(world.database);
});
afterEach(() => world.close());

const TYPES = ['payment_intent.processing', 'payment_intent.completed', 'ping'] as const;

/** Returns a random filter, with times of events and times between them. */
function aFilter(chance: SeededRandom, events: readonly EventBody[]): EventListQuery {
  const maybe = <Value>(value: () => Value): Value | undefined => (chance.between(0, 1) === 0 ? undefined : value());
  const moment = (): Date => new Date(Date.parse(chance.pick(events).created_at) + chance.between(-1, 1));
  return {
    limit: chance.between(1, 40),
    starting_after: maybe(() => chance.pick(events).id),
    event_type: maybe(() => chance.pick(TYPES)),
    created_gte: maybe(moment),
    created_lt: maybe(moment),
    after_sequence: maybe(() => chance.between(0, events.length)),
  };
}

/** Returns the page that the contract demands for a filter, from all events in ascending order. */
function expected(events: readonly EventBody[], filter: EventListQuery): SequencePage {
  const { after_sequence: after, starting_after: cursor, created_gte: from, created_lt: until } = filter;
  const place = events.find(({ id }) => id === cursor)?.sequence;
  const matching = events.filter(
    ({ sequence, type, created_at: at }) =>
      (filter.event_type === undefined || type === filter.event_type) &&
      (from === undefined || new Date(at) >= from) &&
      (until === undefined || new Date(at) < until) &&
      (after === undefined ? place === undefined || sequence < place : sequence > Math.max(after, place ?? 0)),
  );
  const listed = after === undefined ? matching.toReversed() : matching;
  return { sequences: sequencesOf(listed.slice(0, filter.limit)), hasMore: listed.length > filter.limit };
}

/** Reads a page of events of the world's tenant. */
const list = async (filter: EventListQuery): Promise<readonly EventBody[]> =>
  (await views.list(world.tenant, filter)).data;

interface SequencePage {
  readonly sequences: readonly number[];
  readonly hasMore: boolean;
}

async function listSequences(filter: EventListQuery): Promise<SequencePage> {
  const { data, has_more: hasMore } = await views.list(world.tenant, filter);
  return { sequences: sequencesOf(data), hasMore };
}

const sequencesOf = (events: readonly { sequence: number }[]): number[] => events.map((event) => event.sequence);

describe('EventViewsService', () => {
  it('shows an event as it is delivered, to its own tenant only, and only once it has its sequence', async () => {
    const id = await world.record('ping', { id: 'we_1', object: 'webhook_endpoint' });
    await expect(views.get(world.tenant, id)).rejects.toMatchObject({ code: 'not_found' });
    await world.main.relay.relay();
    const event = await views.get(world.tenant, id);
    expect(eventSchema.parse(event)).toEqual(event);
    const [stored] = await world.query<{ body: string }>(`select body from event where id = $1`, [id]);
    expect(JSON.stringify(event)).toBe(stored?.body);
    const others = [
      { ...world.tenant, environment: 'live' as const },
      { ...world.tenant, merchantId: newId('mer_') },
    ];
    for (const other of others) {
      await expect(views.get(other, id)).rejects.toMatchObject({ code: 'not_found' });
      expect((await views.list(other, { limit: 25 })).data).toEqual([]);
      const paging = views.list(other, { limit: 25, starting_after: id });
      await expect(paging).rejects.toMatchObject({ code: 'invalid_request', details: { param: 'starting_after' } });
    }
  });

  it('pages through all events newest first, each once, also those of one millisecond', async () => {
    await world.query(
      `insert into event (id, merchant_id, environment, type, resource_id, data, created_at)
       select 'evt_' || lpad(n::text, 3, '0'), $1, 'sandbox', 'ping', 'x', '{}', now() + (n / 10) * interval '1 ms'
         from generate_series(1, 57) n`,
      [world.tenant.merchantId],
    );
    await world.main.relay.relay();
    const seen: string[] = [];
    for (let after: string | undefined, more = true; more; after = seen.at(-1)) {
      const page = await views.list(world.tenant, { limit: 7, starting_after: after });
      more = page.has_more;
      seen.push(...page.data.map((event) => event.id));
    }
    expect(seen).toEqual(Array.from({ length: 57 }, (_, n) => `evt_${String(57 - n).padStart(3, '0')}`));
  });

  it('lists what came after a sequence in ascending order, page by page, and never what is below the sequence', async () => {
    await world.publish(9);
    const after = (await list({ limit: 2, after_sequence: 4 }))[1]?.id;
    expect(await listSequences({ limit: 2, after_sequence: 4 })).toEqual({ sequences: [5, 6], hasMore: true });
    const next = { limit: 2, after_sequence: 4, starting_after: after };
    expect(await listSequences(next)).toEqual({ sequences: [7, 8], hasMore: true });
    const above = { limit: 2, after_sequence: 7, starting_after: after };
    expect(await listSequences(above)).toEqual({ sequences: [8, 9], hasMore: false });
    expect(await listSequences({ limit: 25, after_sequence: 9 })).toEqual({ sequences: [], hasMore: false });
  });

  it('filters by type, and by time with an inclusive lower and an exclusive upper bound', async () => {
    await world.publish(2, 'payment_intent.completed');
    await world.publish(1, 'payment_intent.failed');
    await world.publish(1, 'payment_intent.completed');
    const all = await list({ limit: 25 });
    const failed = await list({ limit: 25, event_type: 'payment_intent.failed' });
    expect(sequencesOf(failed)).toEqual([3]);
    const moment = new Date(all.find((event) => event.sequence === 3)?.created_at ?? 0);
    const later = await list({ limit: 25, created_gte: moment });
    const earlier = await list({ limit: 25, created_lt: moment });
    expect(sequencesOf([...later, ...earlier])).toEqual([4, 3, 2, 1]);
    const inside = { limit: 1, created_lt: moment, starting_after: all.find((event) => event.sequence === 2)?.id };
    expect(await listSequences(inside)).toEqual({ sequences: [1], hasMore: false });
    const above = { limit: 1, created_lt: moment, starting_after: all[0]?.id };
    expect(await listSequences(above)).toEqual({ sequences: [2], hasMore: true });
    const both = { limit: 25, event_type: 'payment_intent.completed', created_gte: moment, after_sequence: 1 } as const;
    expect(await listSequences(both)).toEqual({ sequences: [4], hasMore: false });
  });

  it('lists the events of a time range in the order of their sequence, however much the two orders differ', async () => {
    const chance = new SeededRandom(7);
    const base = Date.parse('2026-01-31T12:00:00Z');
    // Batches of the relay: the time advances by 10 s, and single events are up to 5 minutes late.
    for (let n = 0; n < 120; n++) {
      const lateMs = chance.between(0, 9) === 0 ? chance.between(1, 300_000) : 0;
      await world.query(
        `insert into event (id, merchant_id, environment, type, resource_id, data, created_at)
         values ($1, $2, 'sandbox', $3, 'x', '{}', $4)`,
        [newId('evt_'), world.tenant.merchantId, chance.pick(TYPES), new Date(base + n * 10_000 - lateMs)],
      );
      if (chance.between(0, 4) === 0) await world.main.relay.relay();
    }
    await world.main.relay.relay();
    const all = (await list({ limit: 200 })).toReversed();
    expect(sequencesOf(all)).toEqual(Array.from({ length: 120 }, (_, n) => n + 1));
    for (let n = 0; n < 200; n++) {
      const filter = aFilter(chance, all);
      expect([filter, await listSequences(filter)]).toEqual([filter, expected(all, filter)]);
    }
  });

  it('has its disorder computed again by the statement of docs/operations.md', async () => {
    await world.query(
      `insert into event (id, merchant_id, environment, type, resource_id, data, created_at)
       select 'evt_' || n, $1, 'sandbox', 'ping', 'x', '{}', now() + (case when n = 2 then 60 else n end) * interval '1 s'
         from generate_series(1, 4) n`,
      [world.tenant.merchantId],
    );
    await world.main.relay.relay();
    const counter = () => world.query(`select latest_at, disorder_ms from event_counter order by merchant_id`);
    const right = await counter();
    expect(right).toEqual([{ latest_at: expect.anything(), disorder_ms: '57000' }]);
    await world.query(`update event_counter set disorder_ms = 9, latest_at = null`);
    await query(world.home.owner, codeBlock(readDocument('docs/operations.md'), 'recompute-disorder'));
    expect(await counter()).toEqual(right);
  });
});

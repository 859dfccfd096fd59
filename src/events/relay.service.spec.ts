import { Module } from '@nestjs/common';
import { DiscoveryModule, NestFactory } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import type { Tenant } from '../domain/tenant.js';
import { CONFIG } from '../platform/config.js';
import { Database, type Tx } from '../platform/database/database.js';
import { DeclaredMethods } from '../platform/declared-methods.js';
import { LeaseKeeper } from '../platform/leases.js';
import { createLogger, LOGGER } from '../platform/logging.js';
import { RecurringJobs } from '../platform/recurring/recurring-jobs.service.js';
import { WebhookWorld } from '../../test/webhooks/webhook-world.js';
import type { DeliveryFanout } from './delivery-fanout.js';
import { RelayService } from './relay.service.js';

interface EventRow {
  id: string;
  merchant_id: string;
  environment: string;
  sequence: string | null;
  body: string | null;
  position: string;
}

let world: WebhookWorld;
beforeEach(async () => {
  world = await WebhookWorld.open();
});
afterEach(() => world.close());

const events = (): Promise<EventRow[]> => world.query<EventRow>(`select * from event order by position`);
const sequences = async (): Promise<number[]> => (await events()).map((event) => Number(event.sequence));
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

@Module({})
class Worker {}

/** Starts a process with the role worker whose only job is the relay. */
function startWorker() {
  const logger = createLogger('silent');
  const module = {
    module: Worker,
    imports: [DiscoveryModule, ScheduleModule.forRoot()],
    providers: [
      DeclaredMethods,
      RecurringJobs,
      { provide: Database, useValue: world.database },
      { provide: RelayService, useFactory: () => world.newProcess().relay },
      { provide: LeaseKeeper, useFactory: () => new LeaseKeeper(world.database, { leaseTtlMs: 1_000 }, logger) },
      { provide: CONFIG, useValue: { roles: new Set(['worker']) } },
      { provide: LOGGER, useValue: logger },
    ],
  };
  return NestFactory.createApplicationContext(module, { logger: false });
}

describe('RelayService', () => {
  it('relays the events of a lost wake-up when a worker starts, and ends what it relays when that stops [K-145]', async () => {
    await world.record();
    const worker = await startWorker();
    await worker.close();
    expect(await sequences()).toEqual([1]);
  });

  it('writes the envelope of [spec 2.4] around the data as it was recorded, byte for byte [J-136]', async () => {
    const data = { '10': 1, b: 'é😀\u2028"\\/', a: { n: 1e21, s: '\u0000' }, __proto: null, list: [0.1, -0] };
    const id = await world.record('payment_intent.completed', data);
    await world.main.relay.relay();
    const [event] = await events();
    const body = event?.body ?? '';
    expect(body.endsWith(`,"data":${JSON.stringify(data)}}`)).toBe(true);
    expect(JSON.parse(body)).toEqual({
      id,
      object: 'event',
      type: 'payment_intent.completed',
      event_type: 'payment_intent.completed',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      environment: 'sandbox',
      sequence: 1,
      api_version: 'v1',
      data: JSON.parse(JSON.stringify(data)),
    });
  });

  it('numbers events without gaps, in the order they were recorded, while 20 record at once [J-140]', async () => {
    const recorders = upTo(20).map(async () => {
      const ids: string[] = [];
      for (let n = 0; n < 10; n++) ids.push(await world.record());
      return ids;
    });
    const relays = [world.main.relay, world.newProcess().relay];
    let recording = true;
    const relaying = relays.map(async (relay) => {
      while (recording) await relay.relay();
      await relay.relay();
    });
    const recorded = await Promise.all(recorders).finally(() => (recording = false));
    await Promise.all(relaying);
    expect((await sequences()).toSorted((a, b) => a - b)).toEqual(upTo(200));
    const numberOf = new Map((await events()).map((event) => [event.id, Number(event.sequence)]));
    for (const ids of recorded) {
      const numbers = ids.map((id) => numberOf.get(id) ?? 0);
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    }
  });

  it('fans out each event once, however many processes relay at the same time', async () => {
    await world.addEndpoint();
    await Promise.all(upTo(40).map(() => world.record()));
    const relayed = await Promise.all(upTo(4).map(() => world.newProcess().relay.relay()));
    expect(relayed.reduce((sum, count) => sum + count)).toBe(40);
    expect(await sequences()).toEqual(upTo(40));
    expect(await world.deliveries()).toHaveLength(40);
  });

  it('continues until no event waits, however many batches that takes', async () => {
    await world.query(
      `insert into event (id, merchant_id, environment, type, resource_id, data)
       select 'evt_' || n, $1, 'sandbox', 'payment_intent.completed', 'pi_1', '{}' from generate_series(1, 1203) n`,
      [world.tenant.merchantId],
    );
    expect(await world.main.relay.relay()).toBe(1203);
    expect(await sequences()).toEqual(upTo(1203));
    expect(await world.main.relay.relay()).toBe(0);
  });

  it('counts separately for every merchant and environment', async () => {
    const other = await world.addMerchant();
    const tenants: Tenant[] = [
      world.tenant,
      { ...world.tenant, environment: 'live' },
      { merchantId: other, environment: 'sandbox' },
    ];
    for (const tenant of [...tenants, ...tenants]) await world.record('payment_intent.completed', {}, tenant);
    await world.main.relay.relay();
    expect(await sequences()).toEqual([1, 1, 1, 2, 2, 2]);
    await world.record();
    await world.main.relay.relay();
    expect((await sequences()).at(-1)).toBe(3);
  });

  it('has no event of a transaction that rolled back, and sends no wake-up for it', async () => {
    const failing = world.database.transaction(async (tx) => {
      const fact = { tenant: world.tenant, type: 'ping', resourceId: 'we_1', data: {} } as const;
      await world.main.events.record(tx, fact);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await world.record();
    await world.main.relay.relay();
    expect(await sequences()).toEqual([1]);
    expect(world.wakes).toEqual(['events.relay']);
  });

  it('writes neither deliveries nor sequence when it dies between them, and the next run writes both [J-138]', async () => {
    await world.addEndpoint();
    await world.record();
    const diesAfterFanOut: DeliveryFanout = {
      fanOut: async (tx: Tx, eventIds: readonly string[]) => {
        await insertDelivery(tx, eventIds);
        throw new Error('killed');
      },
    };
    await expect(new RelayService(world.database, diesAfterFanOut).relay()).rejects.toThrow('killed');
    expect(await events()).toMatchObject([{ sequence: null, body: null }]);
    expect(await world.deliveries()).toEqual([]);
    await world.main.relay.relay();
    expect(await sequences()).toEqual([1]);
    expect(await world.deliveries()).toMatchObject([{ status: 'pending', attempts: 0 }]);
  });
});

async function insertDelivery(tx: Tx, eventIds: readonly string[]): Promise<void> {
  await tx.execute(
    `insert into delivery (id, event_id, endpoint_id, status) select 'dlv_1', ?, id, 'pending' from webhook_endpoint`,
    [...eventIds],
  );
}

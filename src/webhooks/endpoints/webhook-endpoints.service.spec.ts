import { EventViewsService } from '../../events/event-views.service.js';
import { newId } from '../../domain/ids.js';
import type { Tenant } from '../../domain/tenant.js';
import { inRequest } from '../../../test/support/in-request.js';
import { WebhookWorld } from '../../../test/webhooks/webhook-world.js';
import { DEAD_LETTERS_SHOWN_MAX } from './dead-letters.js';
import {
  createWebhookEndpointBody,
  updateWebhookEndpointBody,
  webhookEndpointSchema,
  webhookEndpointWithSecretSchema,
} from './webhook-endpoint.schema.js';
import type { WebhookEndpointsService } from './webhook-endpoints.service.js';

let world: WebhookWorld;
let endpoints: WebhookEndpointsService;
beforeEach(async () => {
  world = await WebhookWorld.open();
  endpoints = world.main.endpoints;
});
afterEach(() => world.close());

const read = (id: string) => endpoints.get(world.database.em(), world.tenant, id);
const update = (id: string, change: object) =>
  world.database.transaction((tx) => endpoints.update(tx, world.tenant, id, change));

describe('WebhookEndpointsService', () => {
  it('shows the secret at creation and at rotation, and nowhere else', async () => {
    const created = await world.addEndpoint({ url: 'https://example.com/hooks', description: 'Orders' });
    expect(webhookEndpointWithSecretSchema.parse(created)).toEqual(created);
    expect(created.secret).toMatch(/^whsec_[\w-]{43}$/);
    const shown = await read(created.id);
    expect(webhookEndpointSchema.parse(shown)).toEqual(shown);
    const { secret, ...rest } = created;
    expect(shown).toEqual(rest);
    const rotated = await world.database.transaction((tx) => endpoints.rotateSecret(tx, world.tenant, created.id, 0));
    expect(webhookEndpointWithSecretSchema.parse(rotated)).toEqual(rotated);
    expect(rotated.secret).not.toBe(secret);
    expect(rotated.previous_secret_expires_at).toBeNull();
  });

  it('counts dead letters up to a maximum, so that no read of an endpoint counts them all', async () => {
    const { id } = await world.addEndpoint();
    await world.publish();
    await world.query(
      `insert into delivery (id, event_id, endpoint_id, series, status, attempts, finished_at)
       select 'dlv_' || n, event_id, endpoint_id, 2 * n + 1, 'dead_letter', 6, now()
         from delivery cross join generate_series(1, $1::int) n`,
      [DEAD_LETTERS_SHOWN_MAX + 1],
    );
    const shown = await read(id);
    expect(webhookEndpointSchema.parse(shown)).toMatchObject({ dead_letters: DEAD_LETTERS_SHOWN_MAX });
    expect(await update(id, { enabled: true })).toMatchObject({ dead_letters: DEAD_LETTERS_SHOWN_MAX });
    await world.query(`update delivery set superseded = true where id <> 'dlv_7'`);
    expect(await read(id)).toMatchObject({ dead_letters: 1 });
  });

  it('says at every mention of `enabled` that enabling sends no event of the time before', () => {
    const places = [createWebhookEndpointBody.out, updateWebhookEndpointBody.out, webhookEndpointSchema];
    for (const { shape } of places) {
      expect(shape.enabled.meta()?.description).toContain(
        'enabling it later does not send the event; fetch it with GET /v1/events',
      );
    }
  });

  it('stores secrets encrypted, each for its own row [S1]', async () => {
    const { id, secret } = await world.addEndpoint();
    await world.database.transaction((tx) => endpoints.rotateSecret(tx, world.tenant, id, 60));
    const [row] = await world.query<{ whole: string; secret: Buffer; previous_secret: Buffer }>(
      `select endpoint::text as whole, secret, previous_secret from webhook_endpoint endpoint`,
    );
    expect(row?.whole).not.toContain(Buffer.from('whsec_').toString('hex'));
    expect(row?.previous_secret.includes(secret)).toBe(false);
    expect(row?.secret[0]).toBe(1);
    expect(row?.previous_secret).not.toEqual(row?.secret);
  });

  it('keeps the old secret beside the new one until the overlap ends or is ended', async () => {
    const { id } = await world.addEndpoint();
    const before = Date.now();
    const rotated = await world.database.transaction((tx) => endpoints.rotateSecret(tx, world.tenant, id, 3600));
    const expiresInMs = Date.parse(rotated.previous_secret_expires_at ?? '') - before;
    expect(Math.abs(expiresInMs - 3_600_000)).toBeLessThan(60_000);
    const ended = await world.database.transaction((tx) => endpoints.endOverlap(tx, world.tenant, id));
    expect(ended.previous_secret_expires_at).toBeNull();
    const again = await world.database.transaction((tx) => endpoints.endOverlap(tx, world.tenant, id));
    expect(again).toEqual(ended);
  });

  it('changes the given fields and keeps the rest', async () => {
    const { id, ...created } = await world.addEndpoint({ description: 'Orders', event_types: ['ping'] });
    const changed = await update(id, { url: 'https://example.org/', description: '' });
    expect(changed).toMatchObject({ url: 'https://example.org/', description: null, event_types: ['ping'] });
    expect(changed.created_at).toBe(created.created_at);
    expect(await update(id, {})).toMatchObject({ url: 'https://example.org/', enabled: true });
  });

  it('clears old failures when the merchant enables an endpoint that the service disabled', async () => {
    const { id } = await world.addEndpoint();
    await world.query(
      `update webhook_endpoint set enabled = false, disabled_reason = 'failing', dead_letters = 30,
         failing_since = now() - interval '6 days'`,
    );
    expect(await update(id, { enabled: true })).toMatchObject({ enabled: true, disabled_reason: null });
    expect(await world.query(`select failing_since, dead_letters from webhook_endpoint`)).toEqual([
      { failing_since: null, dead_letters: 0 },
    ]);
    expect(world.wakes).toContain('webhooks.deliver');
  });

  it('allows a tenant up to 50 endpoints, also when many are created at once', async () => {
    const attempts = Array.from({ length: 60 }, () => world.addEndpoint());
    const settled = await Promise.allSettled(attempts);
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(50);
    for (const result of settled.filter(({ status }) => status === 'rejected')) {
      expect(result).toMatchObject({ reason: { code: 'invalid_request' } });
    }
    const [first] = (await endpoints.list(world.database.em(), world.tenant, { limit: 1 })).data;
    await world.database.transaction((tx) => endpoints.remove(tx, world.tenant, first?.id ?? ''));
    await world.addEndpoint();
    await world.addEndpoint({}, { ...world.tenant, environment: 'live' });
  });

  it('lists newest first, page by page', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.unshift((await world.addEndpoint()).id);
    const page = await endpoints.list(world.database.em(), world.tenant, { limit: 2 });
    expect(page).toMatchObject({ has_more: true, next_cursor: ids[1] });
    expect(page.data.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    const next = await endpoints.list(world.database.em(), world.tenant, { limit: 3, starting_after: ids[1] });
    expect(next).toMatchObject({ has_more: false, next_cursor: null });
    expect(next.data.map(({ id }) => id)).toEqual(ids.slice(2, 5));
  });

  it('is unknown to other merchants and to the other environment [B-20] [B-21]', async () => {
    const { id } = await world.addEndpoint();
    const others: Tenant[] = [
      { ...world.tenant, environment: 'live' },
      { ...world.tenant, merchantId: newId('mer_') },
    ];
    for (const other of others) {
      const tries = [
        () => endpoints.get(world.database.em(), other, id),
        () => world.database.transaction((tx) => endpoints.update(tx, other, id, { enabled: false })),
        () => world.database.transaction((tx) => endpoints.rotateSecret(tx, other, id, 0)),
        () => world.database.transaction((tx) => endpoints.endOverlap(tx, other, id)),
        () => world.database.transaction((tx) => endpoints.test(tx, other, id)),
        () => world.database.transaction((tx) => endpoints.remove(tx, other, id)),
      ];
      for (const attempt of tries) await expect(attempt()).rejects.toMatchObject({ code: 'not_found' });
      expect((await endpoints.list(world.database.em(), other, { limit: 25 })).data).toEqual([]);
      const paging = endpoints.list(world.database.em(), other, { limit: 25, starting_after: id });
      await expect(paging).rejects.toMatchObject({ code: 'invalid_request' });
    }
    expect(await read(id)).toMatchObject({ enabled: true });
  });

  it('is not found once deleted, and its secrets are erased', async () => {
    const { id } = await world.addEndpoint();
    const answer = await world.database.transaction((tx) => endpoints.remove(tx, world.tenant, id));
    expect(answer).toEqual({ id, object: 'webhook_endpoint', deleted: true });
    await expect(read(id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(update(id, {})).rejects.toMatchObject({ code: 'not_found' });
    expect(await world.query(`select octet_length(secret) as size, previous_secret from webhook_endpoint`)).toEqual([
      { size: 0, previous_secret: null },
    ]);
  });

  it('records a ping that carries the endpoint and the trace, and refuses one for a disabled endpoint', async () => {
    const { id } = await world.addEndpoint();
    const trace = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const test = () => world.database.transaction((tx) => endpoints.test(tx, world.tenant, id));
    const { event_id: eventId } = await inRequest(trace, test);
    await world.main.relay.relay();
    const event = await new EventViewsService(world.database).get(world.tenant, eventId);
    expect(event).toMatchObject({ type: 'ping', data: await read(id) });
    expect(await world.query(`select traceparent from event`)).toEqual([{ traceparent: trace }]);
    await update(id, { enabled: false });
    await expect(test()).rejects.toMatchObject({ code: 'invalid_state_transition' });
  });
});

describe('WebhookTargets', () => {
  it('refuses targets that no endpoint may have, for live also those that the sandbox allows [J-127] [J-130]', async () => {
    const { targets } = world.main;
    await targets.assertAllowed('sandbox', 'http://127.0.0.1:8080/hooks');
    for (const url of ['http://127.0.0.1:8080/', 'https://127.0.0.1/', 'https://[::ffff:7f00:1]/', 'http://8.8.8.8/']) {
      await expect(targets.assertAllowed('live', url)).rejects.toMatchObject({ details: { param: 'url' } });
    }
    for (const url of ['ftp://8.8.8.8/', 'http://169.254.169.254/', 'https://a:b@8.8.8.8/', 'https://8.8.8.8:22/']) {
      await expect(targets.assertAllowed('sandbox', url)).rejects.toMatchObject({ details: { param: 'url' } });
    }
  });
});

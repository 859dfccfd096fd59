import { WebhookWorld } from '../../../test/webhooks/webhook-world.js';
import { KIM } from '../../../test/support/console-actor.js';
import { runtimeServing } from '../../../test/support/served-chains.js';
import { untilOneWaitsForALock } from '../../../test/support/waiting-for-lock.js';
import { SecretBox } from '../../platform/secret-box.js';
import { signWebhook } from '../../domain/webhook-signature.js';
import { EndpointOperations } from '../../webhooks/endpoints/endpoint-operations.service.js';
import { EndpointSecrets } from '../../webhooks/endpoints/endpoint-secrets.js';
import { InboxReceiver } from './inbox-receiver.service.js';
import type { InboxAnswer } from './webhook-inbox.entity.js';
import { WebhookInboxes } from './webhook-inboxes.service.js';

const KEPT = 200;
let world: WebhookWorld;
let inboxes: WebhookInboxes;
let receiver: InboxReceiver;
let inboxId: string;
let key: string;
let endpointId: string;

beforeAll(async () => {
  world = await WebhookWorld.open();
  const { database, main } = world;
  const operations = new EndpointOperations(
    database,
    new EndpointSecrets(new SecretBox('5e'.repeat(32))),
    main.endpoints,
  );
  const runtime = { ...runtimeServing([]), baseUrl: () => 'http://127.0.0.1:3000' };
  inboxes = new WebhookInboxes(database, main.endpoints, operations, main.targets, runtime);
  receiver = new InboxReceiver();
  inboxId = (await create(null)).inbox.id;
  ({ key, endpointId } = await inboxes.find('sandbox', inboxId));
});
afterAll(() => world.close());

const create = (merchantId: string | null) => world.database.transaction((tx) => inboxes.create(tx, KIM, merchantId));

const setAnswer = (answer: InboxAnswer) =>
  world.database.transaction((tx) => inboxes.setAnswer(tx, KIM, inboxId, answer));

const receive = (body: string, headers: Readonly<Record<string, string>> = {}) =>
  world.database.transaction((tx) => receiver.receive(tx, key, { headers, body: Buffer.from(body) }));

const newest = async () => (await inboxes.requests('sandbox', inboxId, { limit: 1, after: null }))[0]?.id ?? '';

describe('an inbox', () => {
  it('has an endpoint of its merchant for all events, at an address that cannot be guessed', async () => {
    const [row] = await world.query<{ url: string; event_types: string[]; merchant_id: string }>(
      `select e.url, e.event_types, e.merchant_id from webhook_endpoint e join webhook_inbox i on i.endpoint_id = e.id`,
    );
    expect(row).toEqual({
      url: `http://127.0.0.1:3000/sandbox/inbox/${key}`,
      event_types: ['*'],
      merchant_id: world.tenant.merchantId,
    });
    expect(key).toMatch(/^[0-9a-f]{32}$/);
    expect(await inboxes.list('sandbox')).toMatchObject([{ inbox: { id: inboxId, createdBy: KIM.actor } }]);
  });

  it('answers as it is set, and keeps what each request was answered', async () => {
    expect(await receive('{}')).toBe('200');
    expect(await setAnswer('500')).toMatchObject({ inbox: { id: inboxId, answer: '500' }, merchantName: 'Merchant' });
    expect(await receive('{}')).toBe('500');
    await setAnswer('200');
    const kept = await inboxes.requests('sandbox', inboxId, { limit: 2, after: null });
    expect(kept.map(({ answer, bytes }) => [answer, bytes])).toEqual([
      ['500', 2],
      ['200', 2],
    ]);
    const actions = await world.query<{ action: string }>('select action from audit_entry order by id');
    expect(actions.map(({ action }) => action)).toEqual(['inbox.create', 'inbox.answer', 'inbox.answer']);
  });

  it('notes in the audit what each of two changes at once has replaced', async () => {
    const changes: Promise<unknown>[] = [];
    await world.database.transaction(async (tx) => {
      await inboxes.setAnswer(tx, KIM, inboxId, '500');
      changes.push(setAnswer('timeout'));
      await untilOneWaitsForALock(world.database);
    });
    await Promise.all(changes);
    const audited = await world.query<{ before: object; after: object }>(
      `select before, after from audit_entry where action = 'inbox.answer' order by id desc limit 2`,
    );
    expect(audited).toEqual([
      { before: { answer: '500' }, after: { answer: 'timeout' } },
      { before: { answer: '200' }, after: { answer: '500' } },
    ]);
    await setAnswer('200');
  });

  it('says step by step whether a request is signed, and shows any bytes', async () => {
    const { secret } = await world.database.transaction((tx) =>
      world.main.endpoints.rotateSecret(tx, world.tenant, endpointId, 0),
    );
    const body = '{"text":"<b>\u202Egnp.exe"}';
    const seconds = Math.floor(Date.now() / 1_000);
    await receive(body, { 'x-webhook-signature': signWebhook([secret], body, seconds) });
    const good = await inboxes.open('sandbox', inboxId, await newest());
    expect([good.signature?.valid, Buffer.from(good.request.body).toString('utf8')]).toEqual([true, body]);
    await receive('{"text":"other"}', { 'x-webhook-signature': signWebhook([secret], body, seconds) });
    const bad = await inboxes.open('sandbox', inboxId, await newest());
    expect(bad.signature?.steps.map(({ step, ok }) => [step, ok])).toEqual([
      ['format', true],
      ['timestamp', true],
      ['signature', false],
    ]);
    await receive('\u0000', { 'x-webhook-signature': '' });
    expect((await inboxes.open('sandbox', inboxId, await newest())).signature?.valid).toBe(false);
  });

  it('keeps its newest 200 requests, page by page', async () => {
    for (let n = 0; n < KEPT + 5; n += 1) await receive(JSON.stringify({ n }));
    const [count] = await world.query<{ count: number }>('select count(*)::int as count from inbox_request');
    expect(count).toEqual({ count: KEPT });
    const first = await inboxes.requests('sandbox', inboxId, { limit: 100, after: null });
    const second = await inboxes.requests('sandbox', inboxId, { limit: 100, after: first[99]?.id ?? '' });
    expect(second).toHaveLength(100);
    expect(second[0]?.id).toBe(first[100]?.id);
  });

  it('is refused as the 101st one, until the endpoint of another is deleted, whose requests stay', async () => {
    await receive('{"kept":true}');
    const { merchantId } = world.tenant;
    await world.query(
      `insert into merchant select (jsonb_populate_record(m, '{"id": "mer_other"}')).* from merchant m where id = $1`,
      [merchantId],
    );
    await world.query(
      `insert into webhook_endpoint
       select (jsonb_populate_record(e, jsonb_build_object('id', 'we_' || n, 'merchant_id', 'mer_other', 'url', url || n))).*
         from webhook_endpoint e, generate_series(1, 99) n where id = $1`,
      [endpointId],
    );
    await world.query(
      `insert into webhook_inbox (id, merchant_id, environment, endpoint_id, key, answer, created_by)
       select 'inb_' || lpad(n::text, 26, '0'), 'mer_other', 'sandbox', 'we_' || n, lpad(n::text, 32, '0'), '200', 'kim'
         from generate_series(1, 99) n`,
    );
    await expect(create(merchantId)).rejects.toMatchObject({
      code: 'invalid_state_transition',
      message: expect.stringMatching(/^There are 100 inboxes, .* delete the endpoint of one/),
    });
    await world.database.transaction((tx) => world.main.endpoints.remove(tx, world.tenant, endpointId));
    const opened = await inboxes.open('sandbox', inboxId, await newest());
    expect([opened.signature, Buffer.from(opened.request.body).toString('utf8')]).toEqual([null, '{"kept":true}']);
    const made = await create(merchantId);
    const shown = await inboxes.list('sandbox');
    expect([shown.length, shown[0]]).toEqual([100, made]);
  });

  it('does not exist in live, for another key, or as the inbox of an unknown merchant', async () => {
    const absent = { code: 'not_found' };
    await expect(inboxes.list('live')).rejects.toMatchObject(absent);
    await expect(inboxes.assertPossible('live')).rejects.toMatchObject(absent);
    await expect(inboxes.open('live', inboxId, await newest())).rejects.toMatchObject(absent);
    const received = { headers: {}, body: Buffer.alloc(0) };
    const lost = world.database.transaction((tx) => receiver.receive(tx, '00', received));
    await expect(lost).rejects.toMatchObject(absent);
    await expect(create('mer_none')).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

import { newId } from '../../src/domain/ids.js';
import { WebhookEndpointsService } from '../../src/webhooks/endpoints/webhook-endpoints.service.js';
import { ReplayJobs } from '../../src/webhooks/replays/replay-jobs.service.js';
import { KIM } from '../support/console-actor.js';
import { query } from '../support/sql.js';
import type { Example, Setting } from './admin-operations.js';

const reason = 'a test';

/** Adds a merchant with an endpoint, which is disabled if asked for. */
async function anEndpoint({ service, environment }: Setting, enabled = true): Promise<string> {
  const merchantId = newId('mer_');
  await query(service.database, `insert into merchant (id, name) values ($1, 'Shop')`, [merchantId]);
  const endpoints = service.service.get(WebhookEndpointsService);
  const input = { url: 'https://shop.example.com/hooks', event_types: ['*' as const], enabled };
  const { id } = await service.database.transaction((tx) => endpoints.create(tx, { merchantId, environment }, input));
  return id;
}

/** Adds a dead letter of a new endpoint. */
async function aDeadLetter(setting: Setting): Promise<string> {
  const endpointId = await anEndpoint(setting);
  const [id, eventId] = [newId('dlv_'), newId('evt_')];
  await query(
    setting.service.database,
    `insert into event (id, merchant_id, environment, type, resource_id, data, sequence, body)
     select $1, merchant_id, environment, 'payment_intent.completed', 'pi_1', '{}', 1, '{}'
       from webhook_endpoint where id = $2`,
    [eventId, endpointId],
  );
  await query(
    setting.service.database,
    `insert into delivery (id, event_id, endpoint_id, status, attempts, finished_at, last_response_status)
     values ($1, $2, $3, 'dead_letter', 6, now(), 500)`,
    [id, eventId, endpointId],
  );
  return id;
}

async function aJob(setting: Setting, isPaused = false): Promise<string> {
  const { service, environment } = setting;
  const filter = { delivery_ids: [await aDeadLetter(setting)] };
  const jobs = service.service.get(ReplayJobs);
  return service.database.transaction(async (tx) => {
    const by = { environment, author: { ...KIM, environment } };
    const { id } = await jobs.order(tx, { ...by, verb: 'recover', filter, reason });
    if (isPaused) await jobs.move(tx, by, id, 'paused');
    return id;
  });
}

const ofEndpoint = async (setting: Setting, enabled = true) => ({ path: { id: await anEndpoint(setting, enabled) } });

/** Examples of the operations on deliveries and endpoints. */
export const DELIVERY_EXAMPLES: Readonly<Record<string, (setting: Setting) => Example | Promise<Example>>> = {
  listDeadLetters: () => ({}),
  listDeliveries: () => ({ query: '?status=dead_letter&response=5xx' }),
  exportDeliveries: () => ({ query: '?status=dead_letter' }),
  getDelivery: async (setting) => ({ path: { id: await aDeadLetter(setting) } }),
  resendDelivery: async (setting) => ({ path: { id: await aDeadLetter(setting) }, body: { reason }, status: 202 }),
  previewReplay: () => ({ body: { verb: 'recover' }, readsOnly: true }),
  createReplayJob: async (setting) => ({
    body: { verb: 'recover', delivery_ids: [await aDeadLetter(setting)], reason },
    status: 202,
  }),
  listReplayJobs: () => ({}),
  getReplayJob: async (setting) => ({ path: { id: await aJob(setting) } }),
  pauseReplayJob: async (setting) => ({ path: { id: await aJob(setting) } }),
  resumeReplayJob: async (setting) => ({ path: { id: await aJob(setting, true) } }),
  stopReplayJob: async (setting) => ({ path: { id: await aJob(setting) } }),
  listEndpoints: () => ({}),
  getEndpoint: (setting) => ofEndpoint(setting),
  checkSignature: async (setting) => ({
    ...(await ofEndpoint(setting)),
    body: { header: 't=1,v1=x', body: '{}' },
    readsOnly: true,
  }),
  testEndpoint: async (setting) => ({ ...(await ofEndpoint(setting)), status: 202 }),
  enableEndpoint: async (setting) => ({ ...(await ofEndpoint(setting, false)), body: { reason } }),
  disableEndpoint: async (setting) => ({ ...(await ofEndpoint(setting)), body: { reason } }),
  rotateEndpointSecret: async (setting) => ({ ...(await ofEndpoint(setting)), body: { reason } }),
  endEndpointOverlap: (setting) => ofEndpoint(setting),
};

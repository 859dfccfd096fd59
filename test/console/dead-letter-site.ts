import { WebhookEndpointsService } from '../../src/webhooks/endpoints/webhook-endpoints.service.js';
import { type Receiver, startReceiver } from '../outbound/receiver-zoo.js';
import { query } from '../support/sql.js';
import { type LightConsole, startLightConsole } from './light-console.js';
import { publishAndDeliver } from './published-events.js';

/** The merchant whose endpoint fails. */
export const TENANT = { merchantId: 'mer_shop', environment: 'sandbox' } as const;

/** A console whose merchant has an endpoint that fails. */
export interface DeadLetterSite extends LightConsole {
  readonly receiver: Receiver;
  readonly endpointId: string;
  /** What the receiver answers from now on. */
  readonly answers: { status: number; body: string };
  /** Records events of an intent, and delivers them until they are dead letters or were taken. */
  publish(count: number, intentId?: string): Promise<void>;
  /** Lets the receiver fail again, and forgets what was sent. */
  reset(): Promise<void>;
}

export async function startDeadLetterSite(): Promise<DeadLetterSite> {
  const site = await startLightConsole({
    env: { ROLES: 'api,worker', WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true', WEBHOOK_BACKOFF_BASE_MS: '1' },
  });
  const answers = { status: 500, body: '' };
  const receiver = await startReceiver((_request, response) => response.writeHead(answers.status).end(answers.body));
  await query(
    site.database,
    `insert into merchant (id, name) values ('mer_shop', '<Shop> & sons') on conflict do nothing`,
  );
  const endpoints = site.service.get(WebhookEndpointsService);
  const input = { url: `http://127.0.0.1:${receiver.port}/hooks`, event_types: ['*' as const], enabled: true };
  const { id: endpointId } = await site.database.transaction((tx) => endpoints.create(tx, TENANT, input));
  return {
    ...site,
    receiver,
    endpointId,
    answers,
    publish: (count, intentId) => publishAndDeliver(site, TENANT.merchantId, count, intentId),
    reset: async () => {
      Object.assign(answers, { status: 500, body: '' });
      receiver.requests.length = 0;
      await query(site.database, 'update delivery set superseded = true');
    },
    stop: async () => {
      await receiver.close();
      await site.stop();
    },
  };
}

import { InboxReceiver } from '../../src/sandbox/inbox/inbox-receiver.service.js';
import { WebhookInboxes } from '../../src/sandbox/inbox/webhook-inboxes.service.js';
import { query } from '../support/sql.js';
import { aChain, aMerchant, anIntent, type SeededChain } from '../support/factories.js';
import type { Example, Setting } from './admin-operations.js';
import type { ConsoleService } from './console-service.js';

const chains = new WeakMap<ConsoleService, Promise<SeededChain>>();

/** An intent of the sandbox on a development chain, which another process runs. */
async function intentOnDevChain({ service }: Setting): Promise<string> {
  const chain = chains.get(service) ?? aChain(service.database);
  chains.set(service, chain);
  return (await anIntent(service.database, { tenant: await aMerchant(service.database), chain: await chain })).id;
}

/** What does not exist in live. */
const sandboxOnly =
  (example: (setting: Setting) => Omit<Example, 'path'>) =>
  async (setting: Setting): Promise<Example> => {
    const path = { id: await intentOnDevChain(setting) };
    const wanted = example(setting);
    if (setting.environment === 'sandbox') return { ...wanted, path };
    return { ...wanted, path, status: 404, code: 'not_found', readsOnly: true };
  };

const ABSENT = { status: 404, code: 'not_found', readsOnly: true } as const;

/** What is done to an inbox that has received one request. */
const ofInbox =
  (example: (request: string) => Example) =>
  async ({ service, environment }: Setting): Promise<Example> => {
    const { merchantId } = await aMerchant(service.database);
    const { id } = await service.database.transaction(async (tx) => {
      const { inbox } = await service.service.get(WebhookInboxes).create(tx, STAFF, merchantId);
      await service.service.get(InboxReceiver).receive(tx, inbox.key, { headers: {}, body: Buffer.from('{}') });
      return inbox;
    });
    const [request] = await query<{ id: string }>(
      service.database,
      'select id from inbox_request where inbox_id = $1',
      [id],
    );
    const wanted = example(request?.id ?? '');
    return { ...wanted, path: { id, ...wanted.path }, ...(environment === 'live' && ABSENT) };
  };

const STAFF = {
  actor: 'a test',
  address: '127.0.0.1',
  requestId: 'req_1',
  environment: 'sandbox',
  role: 'admin',
} as const;

/** A process without chains says so to whoever may ask it for one. */
const withoutChain = { status: 409, code: 'invalid_state_transition', readsOnly: true } as const;

/** The operations that exist in the sandbox alone, by their ids. */
export const SANDBOX_EXAMPLES: Readonly<Record<string, (setting: Setting) => Example | Promise<Example>>> = {
  getIntentControls: sandboxOnly(() => ({})),
  payIntent: sandboxOnly(() => ({ body: { payment: 'exact' }, status: 202 })),
  expireIntent: sandboxOnly(() => ({})),
  reorgIntent: sandboxOnly(() => ({ body: { returns: true }, ...withoutChain })),
  listInboxes: ({ environment }) => (environment === 'sandbox' ? {} : ABSENT),
  createInbox: async ({ service, environment }) => ({
    body: { merchant_id: (await aMerchant(service.database)).merchantId },
    ...(environment === 'sandbox' ? { status: 201 } : ABSENT),
  }),
  setInboxAnswer: ofInbox(() => ({ body: { answer: '500' } })),
  listInboxRequests: ofInbox(() => ({})),
  getInboxRequest: ofInbox((request) => ({ path: { request } })),
  mineBlocks: sandboxOnly(() => ({ body: { blocks: 1 }, ...withoutChain })),
};

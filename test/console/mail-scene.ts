import { newId } from '../../src/domain/ids.js';
import { WebhookEndpointsService } from '../../src/webhooks/endpoints/webhook-endpoints.service.js';
import { type Receiver, startReceiver } from '../outbound/receiver-zoo.js';
import { eventuallyPasses } from '../support/eventually.js';
import {
  aChain,
  aDeposit,
  aMerchant,
  anIntent,
  type IntentTraits,
  readUpTo,
  type SeededChain,
  type SeededIntent,
} from '../support/factories.js';
import { query } from '../support/sql.js';
import { aToken } from '../support/unattributed-deposits.js';
import { verifiedAtReceipt } from '../support/verified-webhook.js';
import type { ConsoleService } from './console-service.js';

/** An endpoint of a shop that verifies what it receives. */
export interface Shop {
  readonly endpointId: string;
  readonly url: string;
  /** From now on the shop has the right secret. */
  setSecret(): void;
  /** Waits until the shop has accepted an event. */
  accepts(): Promise<void>;
}

/** What the mails are about: payments of merchants, and their shops, which run here and verify signatures. */
export class MailScene {
  /** By the path of its endpoint: the secret that each shop has. */
  private readonly secrets = new Map<string, string>();
  private readonly accepted = new Set<string>();

  private constructor(
    readonly service: ConsoleService,
    readonly chain: SeededChain,
    readonly liveChain: SeededChain,
    /** The contract of USDT on the chain. */
    readonly usdt: string,
    private readonly receiver: Receiver,
  ) {}

  static async start(service: ConsoleService): Promise<MailScene> {
    const receiver = await startReceiver((_request, response) => {
      const received = receiver.requests.at(-1);
      const isAccepted = received !== undefined && scene.verifies(received);
      response.writeHead(isAccepted ? 200 : 401).end();
    });
    const { database } = service;
    const live = await aChain(database, { environment: 'live', network: 'ethereum' });
    const chain = await aChain(database);
    const usdt = await aToken(database, chain, 'USDT');
    const scene: MailScene = new MailScene(service, chain, live, usdt, receiver);
    return scene;
  }

  stop(): Promise<void> {
    return this.receiver.close();
  }

  async intent(more: Partial<IntentTraits> = {}): Promise<SeededIntent> {
    const { database } = this.service;
    // No listener runs here: without this, pages would say after half a minute that it is behind.
    await readUpTo(database, this.chain, new Date());
    return anIntent(database, { tenant: await aMerchant(database), chain: this.chain, ...more });
  }

  async hashOf(depositId: string): Promise<string> {
    const [row] = await query<{ tx_hash: string }>(this.service.database, 'select tx_hash from deposit where id = $1', [
      depositId,
    ]);
    return row?.tx_hash ?? '';
  }

  /** A completed intent whose completion was relayed. */
  async completion(): Promise<{ readonly paid: SeededIntent; readonly eventId: string }> {
    const paid = await this.intent({ status: 'completed' });
    await aDeposit(this.service.database, paid, { status: 'confirmed' });
    const eventId = newId('evt_');
    await query(
      this.service.database,
      `insert into event (id, merchant_id, environment, type, resource_id, data, sequence, body)
       values ($1, $2, 'sandbox', 'payment_intent.completed', $3, '{}', 1, '{}')`,
      [eventId, paid.tenant.merchantId, paid.id],
    );
    return { paid, eventId };
  }

  /** The shop of an intent's merchant. With `isMistaken` it has another secret than the one that signs. */
  async shop({ tenant }: SeededIntent, { isEnabled = true, isMistaken = false } = {}): Promise<Shop> {
    const path = `/${tenant.merchantId}`;
    const url = `http://127.0.0.1:${this.receiver.port}${path}`;
    const endpoints = this.service.service.get(WebhookEndpointsService);
    const { id, secret } = await this.service.database.transaction((tx) =>
      endpoints.create(tx, tenant, { url, event_types: ['payment_intent.completed'], enabled: isEnabled }),
    );
    this.secrets.set(path, isMistaken ? 'whsec_another' : secret);
    return {
      endpointId: id,
      url,
      setSecret: () => void this.secrets.set(path, secret),
      accepts: () => eventuallyPasses(() => expect([...this.accepted]).toContain(path)),
    };
  }

  /** A delivery of an event, with the answer of its last attempt. */
  async delivery(eventId: string, { endpointId }: Shop, status: 'held' | 'dead_letter', answer: number | null) {
    const id = newId('dlv_');
    const isDead = status === 'dead_letter';
    await query(
      this.service.database,
      `insert into delivery (id, event_id, endpoint_id, status, attempts, finished_at)
       values ($1, $2, $3, $4, $5, case when $4 = 'dead_letter' then now() end)`,
      [id, eventId, endpointId, status, isDead ? 6 : 0],
    );
    if (!isDead) {
      await query(this.service.database, 'update webhook_endpoint set holds = true where id = $1', [endpointId]);
    }
    if (answer === null) return;
    await query(
      this.service.database,
      `insert into delivery_attempt (delivery_id, number, started_at, duration_ms, signed_at, response_status)
       values ($1, 6, now(), 40, 0, $2)`,
      [id, answer],
    );
  }

  private verifies(received: Receiver['requests'][number]): boolean {
    try {
      verifiedAtReceipt(received, this.secrets.get(received.path) ?? '');
    } catch {
      return false;
    }
    this.accepted.add(received.path);
    return true;
  }
}

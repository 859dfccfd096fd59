import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PaymentIntentObject } from '../../src/payments/intents/payment-intent.schema.js';
import { addressOf } from '../http/intents.js';
import { type Receiver, startReceiver } from '../outbound/receiver-zoo.js';
import { expectBooksInOrder, pocketOf } from '../support/books.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { auditBooksOf } from '../support/final-audit.js';
import { provideQuickVault } from '../support/quick-vault.js';
import { LEASE_TTL_MS } from './service-lane.js';
import { sandboxDir, type SandboxDir } from '../support/sandbox-dir.js';
import type { ServiceBuild } from '../support/service-build.js';
import { type Exit, ServiceProcess } from '../support/service-process.js';
import { query } from '../support/sql.js';
import { verifiedAtReceipt } from '../support/verified-webhook.js';

const ARM_ON_SIGNAL = new URL('arm-on-signal.mjs', import.meta.url).href;
const RECOVERED_WITHIN_MS = 45_000;
const ORDER = { amount_cents: 2500, currency: 'USD', network: 'polygon', token: 'USDC' } as const;

/** The expected end of an intent. */
export type Ending = 'completed' | 'expired';

/** The outcome of one intent whose service was killed on the way. */
export interface Survival {
  readonly exit: Exit;
  readonly status: string;
  /** Smallest units that the pocket received, and that were paid. */
  readonly credited: bigint;
  readonly paid: bigint;
  /** Types of the intent's events without their prefix, by sequence. */
  readonly events: readonly string[];
  /** The same by the received webhooks, verified, each event once. */
  readonly delivered: readonly string[];
}

/**
 * One data directory, database and chain over many runs of the service, with a merchant, a payer and a webhook receiver
 * that keep running. The only recovery action is a restart.
 */
export class Lane {
  private service: ServiceProcess;
  private secret = '';

  private constructor(
    private readonly build: ServiceBuild,
    private readonly dir: SandboxDir,
    readonly db: TestDatabase,
    private readonly receiver: Receiver,
  ) {
    this.service = this.spawn();
  }

  static async open(build: ServiceBuild): Promise<Lane> {
    const [dir, db] = await Promise.all([sandboxDir(), freshDatabase()]);
    await provideQuickVault(dir.path);
    const receiver = await startReceiver((_request, response) => response.end());
    const lane = new Lane(build, dir, db, receiver);
    try {
      await lane.service.ready();
      await lane.register();
      return lane;
    } catch (error) {
      await lane.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.service.kill();
    await this.receiver.close();
    try {
      await auditBooksOf({ DATABASE_URL: this.db.url, DATA_DIR: this.dir.path });
    } finally {
      await this.db.drop();
      await this.dir.remove();
    }
  }

  /** Takes one intent to its end in a service that is killed at `failpoint` and then started again without it. */
  async survive(failpoint: string, ending: Ending): Promise<Survival> {
    const { merchant_id: merchantId } = await this.service.sandbox();
    const pocketBefore = await pocketOf(this.db.database, merchantId, 'polygon');
    const { exited } = await this.arm(failpoint);
    const intent = await this.addressedIntent();
    const paid = ending === 'completed' ? await this.pay(intent) : 0n;
    if (ending === 'expired') await this.write(`/v1/sandbox/payment-intents/${intent.id}/expire`);
    await this.untilEnded(intent.id, ending);
    const exit = await exited;
    // Once more after the restart: the answer from before the kill must still hold.
    const { status } = await this.untilEnded(intent.id, ending);
    const events = await this.untilAllDelivered(intent.id);
    await expectBooksInOrder(this.db.database);
    const credited = (await pocketOf(this.db.database, merchantId, 'polygon')) - pocketBefore;
    return { exit, status, credited, paid, events, delivered: this.deliveredOf(intent.id) };
  }

  private async register(): Promise<void> {
    const url = `http://127.0.0.1:${this.receiver.port}/hooks`;
    const endpoint = await this.write<{ secret: string }>('/v1/webhook-endpoints', { url, event_types: ['*'] });
    this.secret = endpoint.secret;
  }

  private spawn(): ServiceProcess {
    const env = { ...environment(this.db), ARM_FILE: this.armFile };
    return ServiceProcess.spawn(this.build, { dataDir: this.dir.path, env, imports: [ARM_ON_SIGNAL] });
  }

  /** Lets the running service die at a failpoint, and starts it again. Returns how it ended. */
  private async arm(failpoint: string): Promise<{ exited: Promise<Exit> }> {
    const armed = this.service;
    await writeFile(this.armFile, failpoint);
    process.kill(armed.pid, 'SIGUSR2');
    await eventually(
      () => armed.printed,
      (seen) => seen.includes(`armed ${failpoint}\n`),
    );
    const exited = armed.exited.then(async (exit) => {
      this.service = this.spawn();
      await this.service.ready();
      return exit;
    });
    // It is awaited later, and may have failed by then.
    exited.catch(() => undefined);
    return { exited };
  }

  private get armFile(): string {
    return join(this.dir.path, 'armed');
  }

  private async addressedIntent(): Promise<PaymentIntentObject> {
    const { id } = await this.write<PaymentIntentObject>('/v1/payment-intents', ORDER);
    await this.write(`/v1/payment-intents/${id}/generate-address`);
    // A repeat with another key takes a transaction.
    return this.write<PaymentIntentObject>(`/v1/payment-intents/${id}/generate-address`);
  }

  /** Pays directly on the chain. */
  private async pay(intent: PaymentIntentObject): Promise<bigint> {
    const amount = BigInt(intent.crypto_amount ?? 0);
    const chain = await this.service.chain('polygon');
    await chain.pay({ to: addressOf(intent), token: 'USDC', amount });
    return amount;
  }

  private untilEnded(id: string, status: Ending): Promise<PaymentIntentObject> {
    return eventually(async () => {
      const { body } = await (await this.service.api()).get<PaymentIntentObject>(`/v1/payment-intents/${id}`);
      expect(body.status).toBe(status);
      return body;
    }, RECOVERED_WITHIN_MS);
  }

  /** Waits until all deliveries have arrived. Returns the intent's events. */
  private async untilAllDelivered(id: string): Promise<string[]> {
    await eventually(
      async () => {
        const owed = await query(
          this.db.database,
          `select event.id from event left join delivery on delivery.event_id = event.id
          where event.sequence is null or delivery.status is distinct from 'delivered'`,
        );
        return owed.length;
      },
      (seen) => seen === 0,
      RECOVERED_WITHIN_MS,
    );
    const rows = await query<{ type: string }>(
      this.db.database,
      `select type from event where resource_id = $1 order by sequence`,
      [id],
    );
    return rows.map(({ type }) => shortType(type));
  }

  private deliveredOf(intentId: string): string[] {
    const events = this.receiver.requests.map((request) => verifiedAtReceipt(request, this.secret));
    const byId = new Map(events.filter(({ data }) => data.id === intentId).map((event) => [event.id, event]));
    const inOrder = [...byId.values()].toSorted((a, b) => a.sequence - b.sequence);
    return inOrder.map((event) => shortType(event.event_type));
  }

  /** A client without a good answer tries again with the same key. */
  private write<Body>(path: string, body?: object): Promise<Body> {
    const idempotencyKey = randomUUID();
    return eventually(async () => {
      const answer = await (await this.service.api()).post<Body>(path, body, { idempotencyKey });
      if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.text}`);
      return answer.body;
    }, RECOVERED_WITHIN_MS) as Promise<Body>;
  }
}

const shortType = (type: string): string => type.replace('payment_intent.', '');

function environment(db: TestDatabase): Readonly<Record<string, string>> {
  return {
    DATABASE_URL: db.url,
    DATABASE_POOL_MAX: '8',
    LEASE_TTL_MS,
    DEV_CHAINS: 'polygon',
    DEV_BLOCK_INTERVAL_MS: '100',
    WALLET_POOL_TARGET: '60',
    WEBHOOK_TIMEOUT_MS: '1000',
    WEBHOOK_BACKOFF_BASE_MS: '50',
  };
}

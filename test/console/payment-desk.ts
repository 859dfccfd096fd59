import type { Page } from 'playwright-core';
import type { PaymentIntentObject } from '../../src/payments/intents/payment-intent.schema.js';
import { eventually } from '../support/eventually.js';
import { signedInAdmin } from './console-client.js';
import { type ConsoleWorld, startConsole } from './console-world.js';

/** Text of a merchant that a page must not run or turn around. */
export const HOSTILE = '<img src=x onerror="document.title=1"> \u202Etxt.exe';

/** A console in Chromium with signed-in staff, and the payments of its merchant. */
export class PaymentDesk {
  private constructor(
    readonly world: ConsoleWorld,
    /** Of an administrator. */
    readonly cookie: string,
  ) {}

  static async open(): Promise<PaymentDesk> {
    const world = await startConsole({ env: { WEBHOOK_BACKOFF_BASE_MS: '200' } });
    return new PaymentDesk(world, (await signedInAdmin(world)).cookie);
  }

  stop(): Promise<void> {
    return this.world.stop();
  }

  /** Runs a flow of signed-in staff. */
  flow(run: (page: Page) => Promise<void>): Promise<void> {
    return this.world.flow(async (page) => {
      const [name = '', value = ''] = this.cookie.split('=');
      await page.context().addCookies([{ name, value, url: this.world.url }]);
      await run(page);
    });
  }

  /** Creates an intent with an address: 25.00 USD in USDC on polygon, unless the body says otherwise. */
  async quotedIntent(body: object = {}): Promise<PaymentIntentObject> {
    const { api } = this.world;
    const order = { amount_cents: 2500, currency: 'USD', network: 'polygon', token: 'USDC', ...body };
    const { body: created } = await api.post<PaymentIntentObject>('/v1/payment-intents', order);
    const path = `/v1/payment-intents/${created.id}/generate-address`;
    return (await api.post<PaymentIntentObject>(path)).body;
  }

  pay(id: string) {
    return this.world.api.post(`/v1/sandbox/payment-intents/${id}/pay`);
  }

  async read(id: string): Promise<PaymentIntentObject> {
    return (await this.world.api.get<PaymentIntentObject>(`/v1/payment-intents/${id}`)).body;
  }

  /** Creates an intent, and pays it. */
  async completed(body: object = {}): Promise<PaymentIntentObject> {
    const { id } = await this.quotedIntent(body);
    await this.pay(id);
    return eventually(async () => {
      const intent = await this.read(id);
      expect(intent.status).toBe('completed');
      return intent;
    });
  }
}

/** The status of the object that a page shows. */
export const statusOn = (page: Page) => page.locator('[data-tone]').first();

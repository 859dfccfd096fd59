import type { Locator, Page } from 'playwright-core';
import { WebhookEndpointsService } from '../../src/webhooks/endpoints/webhook-endpoints.service.js';
import { query } from '../support/sql.js';
import { addDeliveries } from '../webhooks/many-deliveries.js';
import type { ConsoleClient } from './console-client.js';
import { addMember, signedIn } from './console-service.js';
import { type LightConsole, startLightConsole } from './light-console.js';

/** Sooner than a page asks by itself while changes are reported to it. */
export const AT_ONCE = { timeout: 20_000 };

/** A console with an administrator, and an endpoint that has one dead letter. */
export class ShellScene {
  private constructor(
    readonly site: LightConsole,
    readonly member: ConsoleClient,
    private readonly endpointId: string,
  ) {}

  static async start(): Promise<ShellScene> {
    const site = await startLightConsole();
    const member = await signedIn(site, await addMember(site, 'shell@example.com', { sandbox: 'admin' }));
    await query(site.database, `insert into merchant (id, name) values ('mer_shop', 'Shop') on conflict do nothing`);
    const input = { url: 'https://shop.example/hooks', event_types: ['*' as const], enabled: true };
    const tenant = { merchantId: 'mer_shop', environment: 'sandbox' } as const;
    const endpoints = site.service.get(WebhookEndpointsService);
    const { id } = await site.database.transaction((tx) => endpoints.create(tx, tenant, input));
    const scene = new ShellScene(site, member, id);
    await scene.addDeadLetter();
    return scene;
  }

  /** Inserts one more dead letter. */
  addDeadLetter(): Promise<string> {
    return addDeliveries(
      { query: (text, parameters) => query(this.site.database, text, parameters) },
      { endpointId: this.endpointId, count: 1, status: 'dead_letter', responseStatus: 500 },
    );
  }

  stop(): Promise<void> {
    return this.site.stop();
  }
}

/** The row of the endpoint, with so many dead letters. */
export const withDeadLetters = (page: Page, count: number): Locator =>
  page.getByRole('cell', { name: String(count), exact: true });

import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.js';
import { query } from '../support/sql.js';
import { expectAccessible, expectNoSidewaysScroll } from './page-checks.js';
import { HOSTILE, PaymentDesk } from './payment-desk.js';
import { takePictures } from './pictures.js';

let desk: PaymentDesk;
beforeAll(async () => {
  desk = await PaymentDesk.open();
});
afterAll(() => desk.stop());

describe('the request log of the console', () => {
  /** Waits until a request is in the log, and returns its id. */
  const logged = async ({ headers }: { readonly headers: Headers }): Promise<string> => {
    const id = headers.get('request-id') ?? '';
    await eventually(
      () => query(desk.world.database, `select from api_request where id = $1`, [id]),
      (rows) => rows.length > 0,
    );
    return id;
  };
  const rowOf = (page: Page, id: string) =>
    page
      .getByRole('table', { name: 'API requests' })
      .getByRole('row')
      .filter({ hasText: id.slice(-8) });

  it('shows errors by code and route, leads from there to the requests, and finds one by its id', () =>
    desk.flow(async (page) => {
      const order = { amount_cents: 2500, currency: 'USD', network: 'polygon' };
      const id = await logged(
        await desk.world.api.post(
          '/v1/payment-intents',
          { ...order, token: HOSTILE },
          { idempotencyKey: HOSTILE.slice(0, 37) },
        ),
      );
      const made = await logged(await desk.world.api.post('/v1/payment-intents', { ...order, token: 'USDC' }));
      await page.goto('/admin/sandbox/requests');
      await rowOf(page, made).locator('[data-tone]').getByText('201', { exact: true }).waitFor();
      await takePictures(page, 'requests');
      await expectAccessible(page);
      await expectNoSidewaysScroll(page);
      await page.getByRole('link', { name: 'Show invalid_request of POST /v1/payment-intents', exact: true }).click();
      await page.waitForURL(/error_code=invalid_request/);
      await rowOf(page, id).locator('[data-tone]').getByText('400', { exact: true }).waitFor();
      await rowOf(page, made).waitFor({ state: 'detached' });
      await page.keyboard.press('Control+k');
      await page.getByRole('searchbox').fill(`It says "Request-Id: ${id}". Why?`);
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/sandbox/requests?request_id=${id}`);
      await rowOf(page, id).getByText('<img src=x').waitFor();
      await takePictures(page, 'request');
      await expectAccessible(page);
      const [name = '', value = ''] = desk.cookie.split('=');
      const file = await fetch(`${desk.world.url}/admin/api/sandbox/requests.csv?request_id=${id}`, {
        headers: { Cookie: `${name}=${value}` },
      });
      expect((await file.text()).split('\r\n')[1]).toMatch(new RegExp(`^${id},.*,400,invalid_request,`));
    }));

  it('is joined into the timeline of an intent: who called, with which key, and what the answer was', () =>
    desk.flow(async (page) => {
      const { id } = await desk.quotedIntent();
      await desk.world.api.post(`/v1/sandbox/payment-intents/${id}/expire`);
      await eventually(async () => (await desk.read(id)).status === 'expired');
      const refused = await logged(
        await desk.world.api.post(`/v1/payment-intents/${id}/confirm`, undefined, { idempotencyKey: 'confirm-late' }),
      );
      await page.goto(`/admin/sandbox/intents/${id}`);
      const item = page.getByRole('listitem').filter({ hasText: refused });
      await item.getByText('POST /v1/payment-intents/:id/confirm was answered 409 invalid_state_transition.').waitFor();
      expect(await item.innerText()).toMatch(
        new RegExp(`Key key_\\w+ \\(\\.\\.\\.${desk.world.apiKey.slice(-4)}\\), idempotency key confirm-late, \\d+ ms`),
      );
      await takePictures(page, 'timeline');
      await item.getByRole('link', { name: 'Open in the log' }).click();
      await page.waitForURL(`**/sandbox/requests?request_id=${refused}`);
      await rowOf(page, refused).getByText('invalid_state_transition').waitFor();
    }));
});

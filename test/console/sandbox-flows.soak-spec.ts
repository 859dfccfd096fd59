import { WebhookInboxes } from '../../src/sandbox/inbox/webhook-inboxes.service.js';
import { eventually, eventuallyPasses } from '../support/eventually.js';
import { expectAccessible, expectNoSidewaysScroll } from './page-checks.js';
import { PaymentDesk, statusOn } from './payment-desk.js';
import { takePictures } from './pictures.js';

let desk: PaymentDesk;
beforeAll(async () => {
  desk = await PaymentDesk.open();
});
afterAll(() => desk.stop());

describe('a payment of the sandbox panel', () => {
  it('is made on the page of its intent, which shows it completed without a reload', () =>
    desk.flow(async (page) => {
      const intent = await desk.quotedIntent();
      await page.goto(`/admin/sandbox/intents/${intent.id}`);
      const panel = page.getByRole('group', { name: 'Pay' });
      await page.getByText('Send exactly 25 USDC on polygon.').waitFor();
      await takePictures(page, 'sandbox-open');
      await panel.getByRole('button', { name: 'Pay exactly: 25 USDC' }).click();
      await page.locator('[data-code="paid_completed"]').getByText('The intent is paid: 25 USDC arrived').waitFor();
      const orders = page.getByRole('table', { name: 'Ordered payments' });
      await orders.getByText('25 USDC').waitFor();
      await orders.getByText('Final', { exact: true }).waitFor();
      await panel.getByText('The payment intent is completed, so a payment would be late.').waitFor();
      await page.locator('[data-kind="staff_action"]').getByText('Payment made in the sandbox.').waitFor();
      await page.getByText('Send exactly').waitFor({ state: 'detached' });
      await panel.getByRole('button', { name: 'Pay late: 25 USDC' }).waitFor();
      await takePictures(page, 'sandbox-paid');
      await expectAccessible(page);
      await expectNoSidewaysScroll(page);
    }));

  it('is made too late, and what it lacks in another token, by the keyboard alone', () =>
    desk.flow(async (page) => {
      const intent = await desk.quotedIntent();
      await page.goto(`/admin/sandbox/intents/${intent.id}`);
      await page.getByLabel('Another amount').fill('2.5');
      await page.getByLabel('Or another token').selectOption('USDT');
      await page.getByLabel('Another amount').press('Enter');
      const orders = page.getByRole('table', { name: 'Ordered payments' });
      await orders.getByText('2.5 USDT').waitFor();
      await orders.getByText('Final', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Expire, then pay: 25 USDC' }).press('Enter');
      await page.getByRole('table', { name: 'Payments', exact: true }).getByText('confirmed, late').waitFor();
      await eventuallyPasses(async () => expect(await statusOn(page).innerText()).toBe('Expired'));
      expect((await desk.read(intent.id)).status).toBe('expired');
    }));
});

describe('an inbox in the console', () => {
  it('shows what an endpoint is sent with the check of its signature, and the retries of what it refuses', () =>
    desk.flow(async (page) => {
      await page.goto('/admin/sandbox/inbox');
      await page.getByRole('button', { name: 'Create inbox' }).click();
      await page.waitForURL('**/sandbox/inbox/inb_*');
      await page.getByText('Nothing was received yet').waitFor();
      await page.getByRole('button', { name: 'Send test' }).click();
      await page.getByRole('button', { name: /new, refresh/ }).click();
      const received = page.getByRole('table', { name: 'Received requests' });
      await received.getByRole('link', { name: /^inr_/ }).click();
      await page.waitForURL('**/sandbox/inbox/inb_*?request=inr_*');
      await page.getByText('The signature is valid.').waitFor();
      await page.getByText('Signature: fine').waitFor();
      await page.getByRole('region', { name: 'the body' }).getByText('"ping"').waitFor();
      await takePictures(page, 'inbox');
      await expectAccessible(page);
      await expectNoSidewaysScroll(page);

      await page.getByLabel('Answer webhooks with').selectOption('500');
      await page.getByText('The answer is changed').waitFor();
      await page.getByRole('button', { name: 'Send test' }).click();
      await page.getByText('The receiver did not take the test').waitFor();
      await page.getByRole('button', { name: /new, refresh/ }).click();
      await eventuallyPasses(async () => {
        const refresh = page.getByRole('button', { name: /new, refresh/ });
        if (await refresh.isVisible()) await refresh.click();
        expect(await received.locator('[data-tone="bad"]').count()).toBeGreaterThan(1);
      });
      await page.goto('/admin/sandbox/inbox');
      await page.getByText('500: fails').waitFor();
      await takePictures(page, 'inboxes');
      await expectAccessible(page);
    }));
});

describe('the address of an inbox', () => {
  it('answers nothing when it is set so, and is at no other address', async () => {
    const staff = { actor: 'kim@example.com', address: '127.0.0.1', requestId: 'req_1', role: 'support' } as const;
    const inboxes = desk.world.service.get(WebhookInboxes);
    const actor = { ...staff, environment: 'sandbox' } as const;
    const { id, key } = await desk.world.database.transaction(async (tx) => {
      const { inbox } = await inboxes.create(tx, actor, desk.world.merchantId);
      await inboxes.setAnswer(tx, actor, inbox.id, 'timeout');
      return inbox;
    });
    const given = new AbortController();
    const post = (path: string) =>
      fetch(`${desk.world.url}/sandbox/inbox/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"is":"text"}',
        signal: given.signal,
      });
    const outcome = post(key).then(
      ({ status: answered }) => answered,
      () => 'given up',
    );
    const [received] = await eventually(
      () => inboxes.requests('sandbox', id, { limit: 1, after: null }),
      ({ length }) => length > 0,
    );
    expect(received).toMatchObject({ answer: 'timeout', bytes: 13 });
    expect((await post('0'.repeat(32))).status).toBe(404);
    given.abort();
    expect(await outcome).toBe('given up');
  });
});

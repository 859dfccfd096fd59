import type { Page } from 'playwright-core';
import type { PaymentIntentObject } from '../../src/payments/intents/payment-intent.schema.js';
import { WebhookInboxes } from '../../src/sandbox/inbox/webhook-inboxes.service.js';
import { eventually, eventuallyPasses } from '../support/eventually.js';
import { query } from '../support/sql.js';
import { newKey } from '../support/world.js';
import { signedInAdmin } from './console-client.js';
import { type ConsoleWorld, startConsole } from './console-world.js';
import { expectAccessible, expectNoSidewaysScroll } from './page-checks.js';
import { takePictures } from './pictures.js';

const HOSTILE = '<img src=x onerror="document.title=1"> \u202Etxt.exe';

let world: ConsoleWorld;
let cookie: string;
let merchant: string;
beforeAll(async () => {
  world = await startConsole({ env: { WEBHOOK_BACKOFF_BASE_MS: '200' } });
  cookie = (await signedInAdmin(world)).cookie;
  merchant = world.merchantId;
});
afterAll(() => world.stop());

/** Runs a flow of signed-in staff. */
const staffFlow = (run: (page: Page) => Promise<void>): Promise<void> =>
  world.flow(async (page) => {
    const [name = '', value = ''] = cookie.split('=');
    await page.context().addCookies([{ name, value, url: world.url }]);
    await run(page);
  });

async function quotedIntent(body: object = {}): Promise<PaymentIntentObject> {
  const { body: created } = await world.api.post<PaymentIntentObject>('/v1/payment-intents', {
    amount_cents: 2500,
    currency: 'USD',
    network: 'polygon',
    token: 'USDC',
    ...body,
  });
  const { body: quoted } = await world.api.post<PaymentIntentObject>(
    `/v1/payment-intents/${created.id}/generate-address`,
  );
  return quoted;
}

const pay = (id: string, body: object = {}) => world.api.post(`/v1/sandbox/payment-intents/${id}/pay`, body);

const read = async (id: string): Promise<PaymentIntentObject> =>
  (await world.api.get<PaymentIntentObject>(`/v1/payment-intents/${id}`)).body;

async function completed(body: object = {}): Promise<PaymentIntentObject> {
  const { id } = await quotedIntent(body);
  await pay(id);
  return eventually(async () => {
    const intent = await read(id);
    expect(intent.status).toBe('completed');
    return intent;
  });
}

/** The id of the event that an intent is completed. An event can be read moments after its commit, when it has its sequence. */
const completionOf = (intentId: string): Promise<string> =>
  eventually(async () => {
    const { body } = await world.api.get<{ data: { id: string; type: string; data: { id: string } }[] }>(
      '/v1/events?limit=50',
    );
    return body.data.find(({ data, type }) => data.id === intentId && type === 'payment_intent.completed')?.id;
  });

const status = (page: Page) => page.locator('[data-tone]').first();
const rowsOf = (page: Page, label: string): Promise<string[]> =>
  page.getByRole('table', { name: label }).getByRole('row').locator('td:first-of-type').allInnerTexts();

describe('a payment in the console', () => {
  it('is followed from the address to the pocket without a reload', () =>
    staffFlow(async (page) => {
      const intent = await quotedIntent({ reference: HOSTILE, metadata: { '<b>x</b>': HOSTILE } });
      await page.goto(`/admin/sandbox/intents/${intent.id}`);
      await page
        .locator('[data-code="not_paid"]')
        .getByText('No payment of 25 USDC has been seen on polygon')
        .waitFor();
      expect(await status(page).innerText()).toBe('requires_action');
      const seen: string[] = [];
      await page.exposeFunction('noteStatus', (word: string) => seen.push(word));
      await page.evaluate(`new MutationObserver(() => {
        const word = document.querySelector('[data-tone]').innerText;
        if (word !== window.lastWord) { window.lastWord = word; window.noteStatus(word); }
      }).observe(document.body, { subtree: true, childList: true, characterData: true })`);
      await pay(intent.id);
      await page.locator('[data-code="paid_completed"]').getByText('The intent is paid: 25 USDC arrived').waitFor();
      await page.getByText('25 USDC reached the pocket.').waitFor();
      expect(seen.at(-1)).toBe('completed');
      expect([
        'completed',
        'processing,completed',
        'requires_action,processing,completed',
        'requires_action,completed',
      ]).toContain(seen.join(','));
      // What a merchant writes is text.
      expect(await page.title()).toContain(intent.id);
      expect(await page.locator('img').count()).toBe(0);
      expect(await page.getByText('<img src=x').count()).toBeGreaterThan(0);
      await page.getByText('POST /v1/payment-intents created the intent.').waitFor();
      await takePictures(page, 'intent');
      await expectAccessible(page);
      await expectNoSidewaysScroll(page);
    }));

  it('moves the balance of its pocket, whose entry leads back to it', () =>
    staffFlow(async (page) => {
      await page.goto(`/admin/sandbox/pockets?token=USDC&network=polygon&merchant_id=${merchant}`);
      await page.getByRole('link', { name: /^pkt_/ }).first().click();
      const balance = page.locator('dd').first();
      await balance.waitFor();
      const before = Number.parseInt(await balance.innerText(), 10);
      const paid = await completed();
      await page
        .getByText(`${before + 25} USDC`)
        .first()
        .waitFor();
      await page.getByRole('button', { name: /new, refresh/ }).click();
      await page.getByRole('link', { name: paid.id }).click();
      await page.waitForURL(`**/sandbox/intents/${paid.id}`);
      await page.goBack();
      await page.getByRole('heading', { name: 'USDC on polygon' }).waitFor();
      await takePictures(page, 'pocket');
      await expectAccessible(page);
    }));

  it('is made on the page of its intent, which shows it completed without a reload', () =>
    staffFlow(async (page) => {
      const intent = await quotedIntent();
      await page.goto(`/admin/sandbox/intents/${intent.id}`);
      const panel = page.getByRole('group', { name: 'Pay' });
      await takePictures(page, 'sandbox-open');
      await panel.getByRole('button', { name: 'Pay exactly: 25 USDC' }).click();
      await page.locator('[data-code="paid_completed"]').getByText('The intent is paid: 25 USDC arrived').waitFor();
      const orders = page.getByRole('table', { name: 'Ordered payments' });
      await orders.getByText('25 USDC').waitFor();
      await orders.getByText('final', { exact: true }).waitFor();
      await panel.getByText('The payment intent is completed: a payment is late now.').waitFor();
      await page.locator('[data-kind="staff_action"]').getByText(`sandbox.pay on ${intent.id}.`).waitFor();
      await takePictures(page, 'sandbox-paid');
      await expectAccessible(page);
      await expectNoSidewaysScroll(page);
    }));

  it('is made too late, and what it lacks in another token, by the keyboard alone', () =>
    staffFlow(async (page) => {
      const intent = await quotedIntent();
      await page.goto(`/admin/sandbox/intents/${intent.id}`);
      await page.getByLabel('Another amount').fill('2.5');
      await page.getByLabel('Or another token').selectOption('USDT');
      await page.getByLabel('Another amount').press('Enter');
      const orders = page.getByRole('table', { name: 'Ordered payments' });
      await orders.getByText('2.5 USDT').waitFor();
      await orders.getByText('final', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Expire, then pay: 25 USDC' }).press('Enter');
      await page.getByRole('table', { name: 'Payments', exact: true }).getByText('confirmed, late').waitFor();
      await eventuallyPasses(async () => expect(await status(page).innerText()).toBe('expired'));
      expect((await read(intent.id)).status).toBe('expired');
    }));

  it('takes a note, which the timeline shows', () =>
    staffFlow(async (page) => {
      const intent = await quotedIntent();
      await page.goto(`/admin/sandbox/intents/${intent.id}`);
      await page.getByLabel('New note').fill('The shop called twice.');
      await page.getByRole('button', { name: 'Add note' }).click();
      await page.getByRole('list').getByText('The shop called twice.').first().waitFor();
      await page.locator('[data-kind="note"]').getByText('The shop called twice.').waitFor();
      const [entry] = await world.database
        .em()
        .getConnection()
        .execute('select action, subject from audit_entry order by id desc limit 1');
      expect(entry).toEqual({ action: 'note.write', subject: intent.id });
    }));
});

describe('an inbox in the console', () => {
  it('shows what an endpoint is sent with the check of its signature, and the retries of what it refuses', () =>
    staffFlow(async (page) => {
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
    const inboxes = world.service.get(WebhookInboxes);
    const actor = { ...staff, environment: 'sandbox' } as const;
    const id = await inboxes.create(actor, merchant);
    await inboxes.setAnswer(actor, id, 'timeout');
    const { key } = await inboxes.find('sandbox', id);
    const given = new AbortController();
    const post = (path: string) =>
      fetch(`${world.url}/sandbox/inbox/${path}`, {
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

describe('a list in the console', () => {
  it('keeps its rows over filters, pages, the back button, a reload and a shared address', () =>
    staffFlow(async (page) => {
      const reference = `list-${newKey()}`;
      const create = (amount: number) =>
        world.api.post('/v1/payment-intents', {
          amount_cents: amount,
          currency: 'USD',
          network: 'polygon',
          token: 'USDC',
          reference,
        });
      await Promise.all(Array.from({ length: 27 }, (_, n) => create(100 + n)));
      await page.goto('/admin/sandbox/intents');
      await page.getByRole('textbox', { name: 'Reference' }).fill(reference);
      await page.getByRole('textbox', { name: 'Reference' }).press('Enter');
      await page.waitForURL(/reference=list-/);
      const first = await eventually(async () => {
        const rows = await rowsOf(page, 'Payment intents');
        expect(rows).toHaveLength(25);
        return rows;
      });
      await page.getByRole('button', { name: 'Next' }).click();
      await page.waitForURL(/after=pi_/);
      const second = await eventually(async () => {
        const rows = await rowsOf(page, 'Payment intents');
        expect(rows).toHaveLength(2);
        return rows;
      });
      await page.reload();
      await eventuallyPasses(async () => expect(await rowsOf(page, 'Payment intents')).toEqual(second));
      const shared = page.url();
      await page.goBack();
      await eventuallyPasses(async () => expect(await rowsOf(page, 'Payment intents')).toEqual(first));
      await create(999);
      await page.getByRole('button', { name: '1 new, refresh' }).waitFor();
      await takePictures(page, 'intents');
      expect(await rowsOf(page, 'Payment intents')).toEqual(first);
      const other = await page.context().newPage();
      await other.goto(shared);
      await eventuallyPasses(async () => expect(await rowsOf(other, 'Payment intents')).toEqual(second));
      await expectAccessible(page);
    }));
});

describe('the search of the console', () => {
  it('opens what is named by a transaction in a sentence, an address in any case, a reference or an event', () =>
    staffFlow(async (page) => {
      const reference = `find ${newKey()}`;
      const paid = await completed({ reference });
      const hash = paid.payments[0]?.tx_hash ?? '';
      const address = paid.address ?? '';
      const eventId = await completionOf(paid.id);
      await page.goto('/admin/sandbox/intents');
      for (const text of [
        `Hello, I have paid with ${hash}, where is it?`,
        `0x${address.slice(2).toUpperCase()}`,
        address.toLowerCase(),
        reference,
        paid.id.toUpperCase(),
      ]) {
        // From a list, within the loaded page: only the search can lead to the intent.
        await page.getByRole('heading', { name: 'Payment intents' }).waitFor();
        await page.keyboard.press('Control+k');
        await page.getByRole('searchbox').fill(text);
        await page.keyboard.press('Enter');
        await page.waitForURL(`**/sandbox/intents/${paid.id}`);
        await page.locator('[data-code="paid_completed"]').waitFor();
        await page.getByRole('link', { name: 'Payment intents' }).click();
      }
      // To its deliveries where an endpoint was owed it, and to its intent otherwise.
      await page.getByRole('searchbox').fill(`${eventId} never arrived`);
      await page.keyboard.press('Enter');
      await page.waitForURL(
        ({ pathname, searchParams }) =>
          pathname.endsWith(`/intents/${paid.id}`) || searchParams.get('event_id') === eventId,
      );
    }));

  it('says what it does not know', () =>
    staffFlow(async (page) => {
      await page.goto(`/admin/sandbox/search?q=${encodeURIComponent(`Is 0x${'ab'.repeat(32)} there?`)}`);
      await page.getByText(/^Nothing here is known as 0xabababababababab/).waitFor();
      await takePictures(page, 'search');
      await expectAccessible(page);
    }));
});

describe('the request log of the console', () => {
  /** Waits until a request is in the log, and returns its id. */
  const logged = async ({ headers }: { readonly headers: Headers }): Promise<string> => {
    const id = headers.get('request-id') ?? '';
    await eventually(
      () => query(world.database, `select from api_request where id = $1`, [id]),
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
    staffFlow(async (page) => {
      const order = { amount_cents: 2500, currency: 'USD', network: 'polygon' };
      const id = await logged(
        await world.api.post(
          '/v1/payment-intents',
          { ...order, token: HOSTILE },
          { idempotencyKey: HOSTILE.slice(0, 37) },
        ),
      );
      const made = await logged(await world.api.post('/v1/payment-intents', { ...order, token: 'USDC' }));
      await page.goto('/admin/sandbox/requests');
      await rowOf(page, made).getByText('201').waitFor();
      await takePictures(page, 'requests');
      await expectAccessible(page);
      await expectNoSidewaysScroll(page);
      await page.getByRole('link', { name: 'Show invalid_request of POST /v1/payment-intents', exact: true }).click();
      await page.waitForURL(/error_code=invalid_request/);
      await rowOf(page, id).getByText('400').waitFor();
      await rowOf(page, made).waitFor({ state: 'detached' });
      await page.keyboard.press('Control+k');
      await page.getByRole('searchbox').fill(`It says "Request-Id: ${id}". Why?`);
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/sandbox/requests?request_id=${id}`);
      await rowOf(page, id).getByText('<img src=x').waitFor();
      await takePictures(page, 'request');
      await expectAccessible(page);
      const [name = '', value = ''] = cookie.split('=');
      const file = await fetch(`${world.url}/admin/api/sandbox/requests.csv?request_id=${id}`, {
        headers: { Cookie: `${name}=${value}` },
      });
      expect((await file.text()).split('\r\n')[1]).toMatch(new RegExp(`^${id},.*,400,invalid_request,`));
    }));

  it('is joined into the timeline of an intent: who called, with which key, and what the answer was', () =>
    staffFlow(async (page) => {
      const { id } = await quotedIntent();
      await world.api.post(`/v1/sandbox/payment-intents/${id}/expire`);
      await eventually(async () => (await read(id)).status === 'expired');
      const refused = await logged(
        await world.api.post(`/v1/payment-intents/${id}/confirm`, undefined, { idempotencyKey: 'confirm-late' }),
      );
      await page.goto(`/admin/sandbox/intents/${id}`);
      const item = page.getByRole('listitem').filter({ hasText: refused });
      await item.getByText('POST /v1/payment-intents/:id/confirm was answered 409 invalid_state_transition.').waitFor();
      expect(await item.innerText()).toMatch(
        new RegExp(`Key key_\\w+ \\(\\.\\.\\.${world.apiKey.slice(-4)}\\), idempotency key confirm-late, \\d+ ms`),
      );
      await takePictures(page, 'timeline');
      await item.getByRole('link', { name: 'Open in the log' }).click();
      await page.waitForURL(`**/sandbox/requests?request_id=${refused}`);
      await rowOf(page, refused).getByText('invalid_state_transition').waitFor();
    }));
});

import type { Page } from 'playwright-core';
import { eventually, eventuallyPasses } from '../support/eventually.js';
import { newKey } from '../support/world.js';
import { expectAccessible, expectNoSidewaysScroll } from './page-checks.js';
import { HOSTILE, PaymentDesk, statusOn } from './payment-desk.js';
import { takePictures } from './pictures.js';

let desk: PaymentDesk;
beforeAll(async () => {
  desk = await PaymentDesk.open();
});
afterAll(() => desk.stop());

/** The id of the event that an intent is completed. An event can be read moments after its commit, when it has its sequence. */
const completionOf = (intentId: string): Promise<string> =>
  eventually(async () => {
    const { body } = await desk.world.api.get<{ data: { id: string; type: string; data: { id: string } }[] }>(
      '/v1/events?limit=50',
    );
    return body.data.find(({ data, type }) => data.id === intentId && type === 'payment_intent.completed')?.id;
  });

const rowsOf = (page: Page, label: string): Promise<string[]> =>
  page.getByRole('table', { name: label }).getByRole('row').locator('td:first-of-type').allInnerTexts();

describe('a payment in the console', () => {
  it('is followed from the address to the pocket without a reload', () =>
    desk.flow(async (page) => {
      const intent = await desk.quotedIntent({ reference: HOSTILE, metadata: { '<b>x</b>': HOSTILE } });
      await page.goto(`/admin/sandbox/intents/${intent.id}`);
      await page
        .locator('[data-code="not_paid"]')
        .getByText('No payment of 25 USDC has been seen on polygon')
        .waitFor();
      expect(await statusOn(page).innerText()).toBe('Requires action');
      const seen: string[] = [];
      await page.exposeFunction('noteStatus', (word: string) => seen.push(word));
      await page.evaluate(`new MutationObserver(() => {
        const word = document.querySelector('[data-tone]').innerText;
        if (word !== window.lastWord) { window.lastWord = word; window.noteStatus(word); }
      }).observe(document.body, { subtree: true, childList: true, characterData: true })`);
      await desk.pay(intent.id);
      await page.locator('[data-code="paid_completed"]').getByText('The intent is paid: 25 USDC arrived').waitFor();
      await page.getByText('25 USDC reached the pocket.').waitFor();
      // The badge comes with another answer than the verdict.
      await eventuallyPasses(async () => expect(seen.at(-1)).toBe('Completed'));
      expect([
        'Completed',
        'Processing,Completed',
        'Requires action,Processing,Completed',
        'Requires action,Completed',
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
    desk.flow(async (page) => {
      await page.goto(`/admin/sandbox/pockets?token=USDC&network=polygon&merchant_id=${desk.world.merchantId}`);
      await page.getByRole('link', { name: /^pkt_/ }).first().click();
      const balance = page.locator('dd').first();
      await balance.waitFor();
      const before = Number.parseInt(await balance.innerText(), 10);
      const paid = await desk.completed();
      await page
        .getByText(`${before + 25} USDC`)
        .first()
        .waitFor();
      await page.getByRole('button', { name: /new, refresh/ }).click();
      await page.getByRole('link', { name: paid.id.slice(-8) }).click();
      await page.waitForURL(`**/sandbox/intents/${paid.id}`);
      await page.goBack();
      await page.getByRole('heading', { name: 'USDC on polygon' }).waitFor();
      await takePictures(page, 'pocket');
      await expectAccessible(page);
    }));

  it('takes a note, which the timeline shows', () =>
    desk.flow(async (page) => {
      const intent = await desk.quotedIntent();
      await page.goto(`/admin/sandbox/intents/${intent.id}`);
      await page.getByLabel('New note').fill('The shop called twice.');
      await page.getByRole('button', { name: 'Add note' }).click();
      await page.getByRole('list').getByText('The shop called twice.').first().waitFor();
      await page.locator('[data-kind="note"]').getByText('The shop called twice.').waitFor();
      const [entry] = await desk.world.database
        .em()
        .getConnection()
        .execute('select action, subject from audit_entry order by id desc limit 1');
      expect(entry).toEqual({ action: 'note.write', subject: intent.id });
    }));
});

describe('a list in the console', () => {
  it('keeps its rows over filters, pages, the back button, a reload and a shared address', () =>
    desk.flow(async (page) => {
      const reference = `list-${newKey()}`;
      const create = (amount: number) =>
        desk.world.api.post('/v1/payment-intents', {
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
    desk.flow(async (page) => {
      const reference = `find ${newKey()}`;
      const paid = await desk.completed({ reference });
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
        `${eventId} never arrived`,
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
    }));

  it('says what it does not know', () =>
    desk.flow(async (page) => {
      await page.goto(`/admin/sandbox/search?q=${encodeURIComponent(`Is 0x${'ab'.repeat(32)} there?`)}`);
      await page.getByText(/^Nothing here is known as 0xabababababababab/).waitFor();
      await takePictures(page, 'search');
      await expectAccessible(page);
    }));
});

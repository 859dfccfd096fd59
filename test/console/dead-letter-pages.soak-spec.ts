import { aChain, anIntent } from '../support/factories.js';
import { query } from '../support/sql.js';
import { describeInChromium } from './chromium.js';
import type { ConsoleClient } from './console-client.js';
import { addMember, signedIn } from './console-service.js';
import { type DeadLetterSite, startDeadLetterSite, TENANT } from './dead-letter-site.js';
import { expectAccessible, expectNoSidewaysScroll, expectReadableColours } from './page-checks.js';

/** What a hostile receiver answers: markup, marks of direction, NUL, and far more than is kept. */
const HOSTILE = `<img src=x onerror="document.title='owned'"><b>bold</b>\u202Egnp.exe\u0000${'x'.repeat(64 * 1024)}`;

const WIDTHS = [1280, 390];

let site: DeadLetterSite;
let kim: ConsoleClient;

describeInChromium('dead letters as the console shows them', () => {
  beforeAll(async () => {
    site = await startDeadLetterSite();
    kim = await signedIn(site, await addMember(site, 'kim@example.com', { sandbox: 'support' }));
  });
  beforeEach(() => site.reset());
  afterAll(() => site.stop());

  it('show what a hostile receiver answers as text [J-142]', async () => {
    site.answers.body = HOSTILE;
    await site.publish(1);
    await site.flow(
      async (page) => {
        const { body } = await kim.get('/sandbox/deliveries?status=dead_letter');
        await page.goto(`/admin/sandbox/deliveries/${body['data'][0].id}`);
        await page.getByText('Attempt 6').click();
        const shown = page.getByRole('region', { name: 'Body of answer 6' });
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 800 });
          await shown.getByText('<img src=x onerror=').waitFor();
          expect(await shown.textContent()).toContain('<b>bold</b>[U+202E]gnp.exe');
          expect(await shown.locator('img, b').count()).toBe(0);
          expect(await page.title()).not.toContain('owned');
          await expectNoSidewaysScroll(page);
        }
      },
      { as: kim },
    );
  });

  it('are exported as CSV that no spreadsheet runs [M-163]', async () => {
    await site.publish(1);
    const response = await fetch(`${site.url}/admin/api/sandbox/deliveries.csv?status=dead_letter`, {
      headers: { Cookie: kim.cookie },
    });
    const text = await response.text();
    expect([response.status, text]).toEqual([200, expect.any(String)]);
    const [head, line] = text.split('\r\n');
    expect(response.headers.get('content-type')).toContain('text/csv');
    expect(head).toContain('id,status,event_type');
    expect(line).toContain(',<Shop> & sons,');
  });

  it('say which answers and attempts are no longer kept', async () => {
    await site.publish(1);
    const [made] = await query<{ id: string }>(
      site.database,
      `insert into delivery (id, event_id, endpoint_id, series, status, attempts, finished_at, merchant_id, environment,
         last_response_status)
       select 'dlv_old', event_id, endpoint_id, 99, 'dead_letter', 6, now(), merchant_id, environment, 500
         from delivery where not superseded order by created_at desc limit 1 returning id`,
    );
    await query(
      site.database,
      `insert into delivery_attempt (delivery_id, number, started_at, duration_ms, signed_at, response_status)
       values ($1, 6, now() - interval '31 days', 12, 1, 500)`,
      [made?.id ?? ''],
    );
    await site.flow(
      async (page) => {
        await page.goto(`/admin/sandbox/deliveries/${made?.id}`);
        await page.getByText('5 of 6 attempts are no longer kept.').waitFor();
        await page.getByText('Attempt 6').first().click();
        await page.getByText('The headers and the body of this answer are no longer kept.').waitFor();
        await expectAccessible(page);
        const directory = process.env['SCREENSHOTS'];
        if (directory !== undefined) await page.screenshot({ path: `${directory}/pruned-answer.png`, fullPage: true });
      },
      { as: kim },
    );
  });

  it('are one line in the timeline of their intent, which the keyboard opens to the single attempts', async () => {
    const { id } = await anIntent(site.database, { tenant: TENANT, chain: await aChain(site.database) });
    await site.publish(1, id);
    await site.flow(
      async (page) => {
        await page.goto(`/admin/sandbox/intents/${id}`);
        const line = page.locator('summary').filter({ hasText: 'failed attempts' });
        await line.waitFor();
        const written = `6 failed attempts to http://127.0.0.1:${site.receiver.port}/hooks, last: 500, `;
        expect((await line.innerText()).startsWith(written)).toBe(true);
        const attempts = page.locator('[data-kind="webhook_attempt"]');
        expect([await attempts.count(), await attempts.last().isVisible()]).toEqual([6, false]);
        await line.focus();
        await page.keyboard.press('Enter');
        await attempts.last().getByText('Attempt 6 to').waitFor();
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 800 });
          await expectAccessible(page);
          await expectNoSidewaysScroll(page);
        }
        await page.keyboard.press('Enter');
        await attempts.last().waitFor({ state: 'hidden' });
      },
      { as: kim },
    );
  });

  it('are explained by a signature check that shows no secret', async () => {
    await site.publish(1);
    const [request] = site.receiver.requests;
    const header = String(request?.headers['x-webhook-signature']);
    const body = request?.body ?? Buffer.alloc(0);
    const path = `/sandbox/endpoints/${site.endpointId}/check-signature`;
    expect(await kim.post(path, { header, body: body.toString() })).toMatchObject({ body: { valid: true } });
    const changed = JSON.stringify(JSON.parse(body.toString()), null, 2);
    const { body: verdict } = await kim.post(path, { header, body: changed });
    expect(verdict).toMatchObject({ valid: false, steps: [{ ok: true }, { ok: true }, { ok: false }] });
    expect(verdict['steps'][2].text).toContain('parsed and written again');
    expect(JSON.stringify(verdict)).not.toContain('whsec_');
  });

  it('are accessible at 1280 and 390 pixels, and can be read in both schemes', async () => {
    await site.publish(3);
    await site.flow(
      async (page) => {
        for (const path of ['dead-letters', 'deliveries', 'replay-jobs', 'endpoints', `endpoints/${site.endpointId}`]) {
          await page.emulateMedia({ colorScheme: 'light' });
          await page.goto(`/admin/sandbox/${path}`);
          await page.getByRole('heading', { level: 1 }).waitFor();
          await page.getByText('Loading').first().waitFor({ state: 'detached' });
          for (const width of WIDTHS) {
            await page.setViewportSize({ width, height: 800 });
            await expectAccessible(page);
            await expectNoSidewaysScroll(page);
          }
          await page.emulateMedia({ colorScheme: 'dark' });
          await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
          await expectReadableColours(page);
        }
      },
      { as: kim },
    );
  });
});

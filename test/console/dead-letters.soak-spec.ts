import type { Page } from 'playwright-core';
import { shellQuoted } from '../../admin-ui/src/features/deliveries/curl.js';
import { WebhookEndpointsService } from '../../src/webhooks/endpoints/webhook-endpoints.service.js';
import { type Receiver, startReceiver } from '../outbound/receiver-zoo.js';
import { query } from '../support/sql.js';
import { addDeliveries } from '../webhooks/many-deliveries.js';
import { describeInChromium } from './chromium.js';
import type { ConsoleClient } from './console-client.js';
import { addMember, auditOf, signedIn } from './console-service.js';
import { type LightConsole, startLightConsole } from './light-console.js';
import { expectAccessible, expectNoSidewaysScroll, expectReadableColours, tabTo } from './page-checks.js';
import { publishAndDeliver } from './published-events.js';

/** What a hostile receiver answers: markup, marks of direction, NUL, and far more than is kept. */
const HOSTILE = `<img src=x onerror="document.title='owned'"><b>bold</b>\u202Egnp.exe\u0000${'x'.repeat(64 * 1024)}`;

let site: LightConsole;
let receiver: Receiver;
let status: number;
let answer: string;
let endpointId: string;
let kim: ConsoleClient;
let vic: ConsoleClient;
let ada: ConsoleClient;

const WIDTHS = [1280, 390];

const publish = (count: number): Promise<void> => publishAndDeliver(site, 'mer_shop', count);

describeInChromium('dead letters in the console', () => {
  beforeAll(async () => {
    site = await startLightConsole({
      env: { ROLES: 'api,worker', WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true', WEBHOOK_BACKOFF_BASE_MS: '1' },
    });
    receiver = await startReceiver((_request, response) => response.writeHead(status).end(answer));
    await query(
      site.database,
      `insert into merchant (id, name) values ('mer_shop', '<Shop> & sons') on conflict do nothing`,
    );
    const endpoints = site.service.get(WebhookEndpointsService);
    const input = { url: `http://127.0.0.1:${receiver.port}/hooks`, event_types: ['*' as const], enabled: true };
    const tenant = { merchantId: 'mer_shop', environment: 'sandbox' } as const;
    endpointId = (await site.database.transaction((tx) => endpoints.create(tx, tenant, input))).id;
    kim = await signedIn(site, await addMember(site, 'kim@example.com', { sandbox: 'support' }));
    ada = await signedIn(site, await addMember(site, 'ada@example.com', { sandbox: 'admin' }));
    vic = await signedIn(site, await addMember(site, 'vic@example.com', { sandbox: 'viewer' }));
  });
  beforeEach(async () => {
    status = 500;
    answer = '';
    receiver.requests.length = 0;
    await query(site.database, 'update delivery set superseded = true');
  });
  afterAll(async () => {
    await receiver.close();
    await site.stop();
  });

  const addDead = (count: number, responseStatus: number) =>
    addDeliveries(
      { query: (text, parameters) => query(site.database, text, parameters) },
      { endpointId, count, status: 'dead_letter', responseStatus },
    );

  const landing = async (page: Page): Promise<void> => {
    await page.goto('/admin/sandbox/dead-letters');
    await page.getByRole('table', { name: 'Dead letters by endpoint and cause' }).waitFor();
  };

  it('a failed delivery appears, is replayed once its receiver is fixed, and the audit says by whom', () =>
    site.flow(
      async (page) => {
        await publish(1);
        await landing(page);
        await page.getByText('500: the receiver fails').waitFor();
        await page.getByRole('link', { name: /^Open the deliveries/ }).click();
        await page.getByRole('link', { name: 'payment_intent.completed' }).first().click();
        await page.getByRole('heading', { name: 'Series 1' }).waitFor();
        expect(await page.getByText('Answered 500').count()).toBe(6);
        const before = receiver.requests.length;
        const t = (n: number): number =>
          Number(/t=(\d+)/.exec(String(receiver.requests[n]?.headers['x-webhook-signature']))?.[1]);
        await page.getByText('Attempt 6').click();
        await page.getByRole('button', { name: 'Copy as curl' }).click();
        const copied = await page.evaluate<string>('navigator.clipboard.readText()');
        expect(copied).toContain(shellQuoted(receiver.requests[5]?.body.toString() ?? ''));
        expect(copied).toContain(`--url 'http://127.0.0.1:${receiver.port}/hooks'`);
        expect(copied).toContain(`t=${t(5)},v1=<not shown`);
        await expectAccessible(page);
        status = 200;
        await page.getByRole('button', { name: 'Resend' }).click();
        await page.getByLabel('Reason, for the audit log').fill('The receiver was fixed.');
        await page.getByRole('dialog').getByRole('button', { name: 'Resend' }).dblclick();
        await page.getByRole('heading', { name: 'Series 2' }).waitFor();
        await page.getByText('Answered 200').waitFor();
        expect(receiver.requests).toHaveLength(before + 1);
        expect(Math.abs(t(before) - Date.now() / 1_000)).toBeLessThan(60);
        expect(t(before)).toBeGreaterThanOrEqual(t(0));
        expect((await auditOf(site, 'kim@example.com')).at(-1)).toMatchObject({
          action: 'delivery.resend',
          reason: 'The receiver was fixed.',
          environment: 'sandbox',
          role: 'support',
        });
      },
      { as: kim, permissions: ['clipboard-read', 'clipboard-write'] },
    ));

  it('all that match since a time are replayed by the keyboard alone, as one job with right counts [M-172]', () =>
    site.flow(
      async (page) => {
        await addDead(40, 500);
        status = 200;
        await landing(page);
        await page.getByRole('button', { name: /^Recover http/ }).focus();
        await page.keyboard.press('Enter');
        const dialog = page.getByRole('dialog');
        await dialog.getByText('40 deliveries will be sent').waitFor();
        await expectAccessible(page);
        const [tenth] = await query<{ at: string }>(
          site.database,
          `select created_at as at from delivery where not superseded order by created_at desc offset 9 limit 1`,
        );
        await dialog.getByLabel('Since (UTC)').fill(new Date(tenth?.at ?? '').toISOString().slice(0, 16));
        await dialog.getByText('10 deliveries will be sent').waitFor();
        await page.reload();
        await dialog.getByText('10 deliveries will be sent').waitFor();
        await dialog.getByLabel('Since (UTC)').fill('2999-01-01T00:00');
        await dialog.getByText('This time is in the future.').waitFor();
        expect(await dialog.getByRole('button', { name: 'Recover 0' }).isDisabled()).toBe(true);
        await dialog.getByLabel('Since (UTC)').fill('');
        await dialog.getByRole('button', { name: 'Recover 40' }).waitFor();
        await tabTo(page, 'input[name=reason]');
        await page.keyboard.type('All at once.');
        await page.keyboard.press('Enter');
        await page.getByText('40 sent: 40 delivered, 0 failed again, 0 waiting.').waitFor();
        await page.getByText('Done').waitFor();
        await expectAccessible(page);
        const jobs = await query(site.database, `select from replay_job where reason = 'All at once.'`);
        expect(jobs).toHaveLength(1);
      },
      { as: kim },
    ));

  it('are tested first where the receiver probably has another secret, and the dialog shows what it answers', () =>
    site.flow(
      async (page) => {
        await addDead(5, 401);
        status = 401;
        await landing(page);
        await page.getByRole('button', { name: /^Preview a replay of http/ }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByText('5 deliveries will be sent').waitFor();
        await dialog.getByRole('button', { name: 'Send test' }).click();
        await dialog.getByText('The receiver did not take the test').waitFor();
        await dialog.getByRole('status').getByText('401: probably a wrong secret').waitFor();
        await expectAccessible(page);
        status = 200;
        await dialog.getByRole('button', { name: 'Send test' }).click();
        await dialog.getByText('The receiver took the test: 200').waitFor();
        await dialog.getByRole('button', { name: 'Go on to recover' }).click();
        await dialog.locator('input[name=reason]:focus').waitFor();
        // One more where the test that was refused has spent its attempts: it is a dead letter as well.
        await dialog.getByRole('button', { name: /^Recover [56]$/ }).click();
        await page.getByText(/^([56]) sent: \1 delivered, 0 failed again, 0 waiting\.$/).waitFor();
      },
      { as: kim },
    ));

  it('of a disabled endpoint are enabled and replayed at once by an administrator alone', async () => {
    await addDead(5, 500);
    await query(site.database, 'update webhook_endpoint set enabled = false where id = $1', [endpointId]);
    status = 200;
    await site.flow(
      async (page) => {
        await landing(page);
        await page.getByRole('button', { name: /^Preview/ }).waitFor();
        expect(await page.getByRole('button', { name: /recover http/i }).count()).toBe(0);
      },
      { as: kim },
    );
    await site.flow(
      async (page) => {
        await page.goto('/admin/sandbox/endpoints');
        await page.getByLabel('Status').selectOption('disabled');
        await page.getByRole('textbox', { name: 'Merchant' }).fill('mer_shop');
        await page.getByRole('textbox', { name: 'Merchant' }).press('Enter');
        await page.waitForURL(/state=disabled.*merchant_id=mer_shop/);
        await page.getByRole('link', { name: /hooks$/ }).waitFor();
        await page.getByLabel('Status').selectOption('enabled');
        await page.getByText('Nothing matches these filters').waitFor();
        await landing(page);
        await page.getByRole('button', { name: /^Enable and recover http/ }).click();
        await page.getByRole('button', { name: 'Enable and recover 5' }).click();
        await page.getByText('5 sent: 5 delivered, 0 failed again, 0 waiting.').waitFor();
      },
      { as: ada },
    );
  });

  it('have no Recover for a viewer, whom the API refuses too', async () => {
    await publish(1);
    await site.flow(
      async (page) => {
        await landing(page);
        await page.getByRole('link', { name: /^Open the deliveries/ }).waitFor();
        await page.getByRole('button', { name: /^Preview a replay of http/ }).click();
        await page.getByText('1 delivery will be sent').waitFor();
        expect(await page.getByRole('button', { name: /^(Recover|Go on)/ }).count()).toBe(0);
      },
      { as: vic },
    );
    const order = { verb: 'recover', endpoint_id: endpointId };
    expect(await vic.post('/sandbox/replay-jobs', order)).toMatchObject({ status: 403 });
    expect(await kim.post('/live/replay-jobs', order)).toMatchObject({ status: 404 });
  });

  it('show what a hostile receiver answers as text [J-142]', async () => {
    answer = HOSTILE;
    await publish(1);
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
    await publish(1);
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
    await publish(1);
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

  it('are explained by a signature check that shows no secret', async () => {
    await publish(1);
    const [request] = receiver.requests;
    const header = String(request?.headers['x-webhook-signature']);
    const body = request?.body ?? Buffer.alloc(0);
    const path = `/sandbox/endpoints/${endpointId}/check-signature`;
    expect(await kim.post(path, { header, body: body.toString() })).toMatchObject({ body: { valid: true } });
    const changed = JSON.stringify(JSON.parse(body.toString()), null, 2);
    const { body: verdict } = await kim.post(path, { header, body: changed });
    expect(verdict).toMatchObject({ valid: false, steps: [{ ok: true }, { ok: true }, { ok: false }] });
    expect(verdict['steps'][2].text).toContain('parsed and written again');
    expect(JSON.stringify(verdict)).not.toContain('whsec_');
  });

  it('are accessible at 1280 and 390 pixels, and can be read in both schemes', async () => {
    await publish(3);
    await site.flow(
      async (page) => {
        for (const path of ['dead-letters', 'deliveries', 'replay-jobs', 'endpoints', `endpoints/${endpointId}`]) {
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

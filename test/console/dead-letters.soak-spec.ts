import type { Page } from 'playwright-core';
import { shellQuoted } from '../../admin-ui/src/features/deliveries/curl.js';
import { eventually } from '../support/eventually.js';
import { query } from '../support/sql.js';
import { addDeliveries } from '../webhooks/many-deliveries.js';
import { describeInChromium } from './chromium.js';
import type { ConsoleClient } from './console-client.js';
import { addMember, auditOf, signedIn } from './console-service.js';
import { type DeadLetterSite, startDeadLetterSite } from './dead-letter-site.js';
import { expectAccessible, tabTo } from './page-checks.js';

let site: DeadLetterSite;
let kim: ConsoleClient;
let vic: ConsoleClient;
let ada: ConsoleClient;

describeInChromium('dead letters in the console', () => {
  beforeAll(async () => {
    site = await startDeadLetterSite();
    kim = await signedIn(site, await addMember(site, 'kim@example.com', { sandbox: 'support' }));
    ada = await signedIn(site, await addMember(site, 'ada@example.com', { sandbox: 'admin' }));
    vic = await signedIn(site, await addMember(site, 'vic@example.com', { sandbox: 'viewer' }));
  });
  beforeEach(() => site.reset());
  afterAll(() => site.stop());

  const addDead = (count: number, responseStatus: number) =>
    addDeliveries(
      { query: (text, parameters) => query(site.database, text, parameters) },
      { endpointId: site.endpointId, count, status: 'dead_letter', responseStatus },
    );

  const landing = async (page: Page): Promise<void> => {
    await page.goto('/admin/sandbox/dead-letters');
    await page.getByRole('table', { name: 'Dead letters by endpoint and cause' }).waitFor();
  };

  it('a failed delivery appears, is replayed once its receiver is fixed, and the audit says by whom', () =>
    site.flow(
      async (page) => {
        await site.publish(1);
        await landing(page);
        await page.getByText('500: the receiver fails').waitFor();
        await page.getByRole('link', { name: /^Open the deliveries/ }).click();
        await page.getByRole('link', { name: 'payment_intent.completed' }).first().click();
        await page.getByRole('heading', { name: 'Series 1' }).waitFor();
        expect(await page.getByText('Answered 500').count()).toBe(6);
        const before = site.receiver.requests.length;
        const t = (n: number): number =>
          Number(/t=(\d+)/.exec(String(site.receiver.requests[n]?.headers['x-webhook-signature']))?.[1]);
        await page.getByText('Attempt 6').click();
        await page.getByRole('button', { name: 'Copy as curl' }).click();
        const copied = await eventually(
          () => page.evaluate<string>('navigator.clipboard.readText()'),
          (text) => text.includes(`t=${t(5)},`),
        );
        expect(copied).toContain(shellQuoted(site.receiver.requests[5]?.body.toString() ?? ''));
        expect(copied).toContain(`--url 'http://127.0.0.1:${site.receiver.port}/hooks'`);
        expect(copied).toContain(`t=${t(5)},v1=<not shown`);
        await expectAccessible(page);
        site.answers.status = 200;
        await page.getByRole('button', { name: 'Resend' }).click();
        await page.getByLabel('Reason, for the audit log').fill('The receiver was fixed.');
        await page.getByRole('dialog').getByRole('button', { name: 'Resend' }).dblclick();
        await page.getByRole('heading', { name: 'Series 2' }).waitFor();
        await page.getByText('Answered 200').waitFor();
        expect(site.receiver.requests).toHaveLength(before + 1);
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
        site.answers.status = 200;
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
        site.answers.status = 401;
        await landing(page);
        await page.getByRole('button', { name: /^Preview a replay of http/ }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByText('5 deliveries will be sent').waitFor();
        await dialog.getByRole('button', { name: 'Send test' }).click();
        await dialog.getByText('The receiver did not take the test').waitFor();
        await dialog.getByRole('status').getByText('401: probably a wrong secret').waitFor();
        await expectAccessible(page);
        site.answers.status = 200;
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
    await query(site.database, 'update webhook_endpoint set enabled = false where id = $1', [site.endpointId]);
    site.answers.status = 200;
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
    await site.publish(1);
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
    const order = { verb: 'recover', endpoint_id: site.endpointId };
    expect(await vic.post('/sandbox/replay-jobs', order)).toMatchObject({ status: 403 });
    expect(await kim.post('/live/replay-jobs', order)).toMatchObject({ status: 404 });
  });
});

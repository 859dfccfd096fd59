import type { Page } from 'playwright-core';
import { AuditSealer } from '../../src/audit-log/audit-sealer.service.js';
import { aPriceSnapshot } from '../support/factories.js';
import { eventually } from '../support/eventually.js';
import { query } from '../support/sql.js';
import { describeInChromium } from './chromium.js';
import type { ConsoleClient } from './console-client.js';
import { addMember, auditOf, signedIn } from './console-service.js';
import { untilFocused } from './focus.js';
import { type LightConsole, startLightConsole } from './light-console.js';
import { expectSoundWithRows, opened, WATCHED_PAGES } from './watched-pages.js';
import { watchedScene } from './watched-scene.js';

let site: LightConsole;
let chainRef: string;
let admin: ConsoleClient;
let viewer: ConsoleClient;

/** The text of the row of a table that begins with this cell. */
const rowOf = (page: Page, table: string, cell: string): Promise<string> =>
  page.getByRole('table', { name: table }).getByRole('row').filter({ hasText: cell }).first().innerText();

describeInChromium('the pages that watch the service', () => {
  beforeAll(async () => {
    site = await startLightConsole();
    ({ chainRef } = await watchedScene(site));
    admin = await signedIn(site, await addMember(site, 'admin@example.com', { sandbox: 'admin' }));
    viewer = await signedIn(site, await addMember(site, 'viewer@example.com', { sandbox: 'viewer' }));
  });
  afterAll(() => site.stop());

  // The others: `watch.soak-spec.ts`.
  it.each(WATCHED_PAGES.filter(([path]) => path === 'treasury'))(
    'of %s have no violation of WCAG 2.2 A and AA with rows in both schemes, and fit 320 px',
    (path, text) => site.flow((page) => expectSoundWithRows(page, path, text), { as: viewer, colorScheme: 'light' }),
  );

  it('show how far a network is read, and how its nodes do', () =>
    site.flow(
      async (page) => {
        await opened(page, 'networks', 'https://second.example');
        expect(await rowOf(page, 'Networks', 'polygon')).toMatch(
          /Degraded\s+1,012\s+1,000\s+12 blocks, \d+ s\s+990\s+1 of 2/,
        );
        expect(await rowOf(page, 'Nodes of polygon', 'first')).toMatch(/Up\s+42 ms\s+0 of 100 \(0 %\)\s+none/);
        expect(await rowOf(page, 'Nodes of polygon', 'second')).toMatch(
          /Down\s+–\s+1 of 4 \(25 %\)\s+It does not answer\./,
        );
        expect(await page.getByText('from block 905 back to 903').count()).toBe(1);
        await page.getByText('Ask the nodes, or set the cursor back').click();
        await page.getByText(`update chain_cursor set height = <HEIGHT>`).waitFor();
        // A viewer looks, and no more.
        expect(await page.getByRole('button', { name: 'Pause' }).count()).toBe(0);
      },
      { as: viewer },
    ));

  it('pause and resume a listener by the keyboard alone, with a reason that is in the audit', () =>
    site.flow(
      async (page) => {
        await opened(page, 'networks', 'https://second.example');
        await page.getByRole('button', { name: 'Pause polygon' }).focus();
        await page.keyboard.press('Enter');
        await untilFocused(page.getByLabel('Reason, for the audit log'));
        await page.keyboard.type('Its nodes are being moved.');
        await page.keyboard.press('Enter');
        await page.getByText('Its nodes are being moved.').waitFor();
        const [paused] = await pauses();
        expect(paused).toEqual({ paused_by: 'admin@example.com', paused_reason: 'Its nodes are being moved.' });
        await page.getByRole('button', { name: 'Resume polygon' }).focus();
        await page.keyboard.press('Enter');
        await untilFocused(page.getByLabel('Reason, for the audit log'));
        await page.keyboard.type('They are back.');
        await page.keyboard.press('Enter');
        await page.getByRole('button', { name: 'Pause polygon' }).waitFor();
        expect(await pauses()).toEqual([{ paused_by: null, paused_reason: null }]);
        const entries = (await auditOf(site, 'admin@example.com')).filter(({ subject }) => subject === chainRef);
        expect(entries).toMatchObject([
          { action: 'listener.pause', environment: 'sandbox', role: 'admin' },
          { action: 'listener.resume', environment: 'sandbox', role: 'admin' },
        ]);
      },
      { as: admin },
    ));

  it('tell the second of two members what the first has done', async () => {
    const body = { reason: 'A test.' };
    const pause = () => admin.call('POST', '/sandbox/networks/polygon/pause', { body });
    const first = await pause();
    expect([first.status, first.body['paused']]).toEqual([200, expect.objectContaining({ by: 'admin@example.com' })]);
    const second = await pause();
    expect([second.status, second.body['error']?.code]).toEqual([409, 'invalid_state_transition']);
    expect(second.body['error']?.message).toContain('was paused by admin@example.com already');
    expect((await admin.call('POST', '/sandbox/networks/polygon/resume', { body })).status).toBe(200);
    expect((await admin.call('POST', '/sandbox/networks/doge/pause', { body })).status).toBe(404);
  });

  it('show what the hot wallets hold and lack, with the commands to copy', () =>
    site.flow(
      async (page) => {
        await opened(page, 'treasury', '25 USDC are missing on polygon');
        expect(await rowOf(page, 'Balances of the hot wallet of polygon', 'USDC')).toMatch(/USDC\s+75\.5\s+75\.5\s+0/);
        expect(await rowOf(page, 'Hot wallets against the books', 'USDC')).toMatch(/Missing\s+75\.5\s+100\.5\s+25\s/);
        expect(await rowOf(page, 'Top-ups', 'top_1')).toMatch(/100\.5 USDC\s+polygon/);
        const write = 'npx coffer treasury write-off --network polygon --env sandbox --token USDC --reason "<why>"';
        expect(await page.getByText(write).count()).toBe(1);
      },
      { as: viewer },
    ));

  it('name every broken rule with its rows, and the heads of the chains in the command to copy', async () => {
    const { body } = await viewer.get('/sandbox/books');
    expect(body['audits']).toEqual([
      expect.objectContaining({
        scope: 'everything',
        sealed_to: 7,
        broken_rules: [
          expect.objectContaining({
            name: 'entries_balance',
            rows: ['entry ent_1 does not balance'],
            has_unnamed_rows: true,
          }),
        ],
      }),
    ]);
    await new AuditSealer(site.database).seal();
    const [head] = await query<{ sequence: string; hash: string }>(
      site.database,
      `select sequence, hash from audit_seal order by sequence desc limit 1`,
    );
    const after = await viewer.get('/sandbox/books');
    expect(after.body['audit_log_head']).toMatchObject({ sequence: Number(head?.sequence), hash: head?.hash });
    expect(after.body['commands']).toEqual([
      `npx coffer verify --audit-head ${head?.sequence}:${head?.hash}`,
      'npx coffer withdrawals unfreeze --network <NETWORK> --env sandbox --reason "<why>"',
    ]);
  });

  it('count the addresses of the pools as the database does, and say how long they last', async () => {
    const { body } = await viewer.get('/sandbox/wallet-pool');
    expect(body).toMatchObject({
      vault: 'sealed',
      pools: [
        {
          id: 'evm',
          networks: ['ethereum', 'polygon', 'bnb'],
          free: 8,
          assigned: 1,
          paid: 0,
          retired: 1,
          assigned_in_7_days: 1,
          low_mark: 1500,
        },
      ],
    });
    // Eight free ones, and one was assigned in seven days.
    expect(body['pools'][0]).toMatchObject({ target: 2000, days_left: 56 });
    await aPriceSnapshot(site.database, { USDC: '0.98' });
    expect((await viewer.get('/sandbox/prices')).body['prices']).toEqual([
      expect.objectContaining({ id: 'USDC', price: '0.98', is_quotable: true, is_off_peg: true }),
    ]);
  });

  it('show the sanctions list with its age, and no list of the other environment', async () => {
    const { body } = await viewer.get('/sandbox/sanctions');
    expect(body).toMatchObject({ current: { source: 'OFAC SDN', age_days: 40, is_stale: true }, refusals: [] });
    expect((await viewer.get('/live/sanctions')).status).toBe(404);
  });

  it('draw what was counted in closed hours, with the figures in a table', () =>
    site.flow(
      async (page) => {
        const { body } = await viewer.get('/sandbox/charts?days=7');
        const days: readonly { readonly settled_cents: number }[] = body['days'];
        expect(days).toHaveLength(7);
        expect(days.reduce((sum, { settled_cents: cents }) => sum + cents, 0)).toBe(12_345);
        await opened(page, 'charts?days=7', 'Settled volume');
        await page.getByRole('img', { name: 'Settled volume, by day' }).waitFor();
        await page.getByText('Figures of settled volume').click();
        expect(await rowOf(page, 'Settled volume', '123.45 USD')).toMatch(/^\d{4}-\d\d-\d\d\s+123\.45 USD$/);
      },
      { as: viewer },
    ));

  it('load again by themselves', () =>
    site.flow(
      async (page) => {
        await opened(page, 'networks', 'https://second.example');
        await query(site.database, `update chain_cursor set head_height = 1013 where chain_ref = $1`, [chainRef]);
        await eventually(
          () => rowOf(page, 'Networks', 'polygon'),
          (text) => text.includes('1,013'),
        );
      },
      { as: viewer },
    ));
});

const pauses = () =>
  query<{ paused_by: string | null; paused_reason: string | null }>(
    site.database,
    `select paused_by, paused_reason from chain_cursor where chain_ref = $1`,
    [chainRef],
  );

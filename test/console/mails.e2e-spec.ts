import { describeInChromium } from './chromium.js';
import type { ConsoleClient } from './console-client.js';
import { addMember, signedIn } from './console-service.js';
import type { OpenPage } from './console-world.js';
import { type LightConsole, startLightConsole } from './light-console.js';
import { type Hand, MailDesk } from './mail-desk.js';
import { MAILS } from './mail-examples.js';
import { MailScene } from './mail-scene.js';

const CLICKS_MAX = 4;
/** The search, and the page that it opens. */
const ANSWERS_MAX = 2;

let site: LightConsole;
let scene: MailScene;
let kim: ConsoleClient;
beforeAll(async () => {
  site = await startLightConsole({
    live: true,
    env: { ROLES: 'api,worker', WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true', WEBHOOK_BACKOFF_BASE_MS: '1' },
  });
  scene = await MailScene.start(site);
  kim = await signedIn(
    site,
    await addMember(site, 'kim@example.com', { sandbox: 'admin', live: 'viewer' }, { totp: true }),
  );
});
afterAll(async () => {
  await scene.stop();
  await site.stop();
});

interface Finding {
  readonly sentence: string;
}

describe('a pasted mail about', () => {
  it.each(MAILS)('%s lands where it is explained, with what can be done', async (_what, _ending, mailOf) => {
    const { text, lands, says, offers } = await mailOf(scene);
    const { body: found } = await kim.get(`/sandbox/search?${new URLSearchParams({ q: text }).toString()}`);
    if (lands === null) {
      expect(found['sentence']).toMatch(says);
      return;
    }
    const { page, id } = found['hits'][0].opens;
    expect([found['hits'].length, `${page} ${id}`]).toEqual([1, lands]);
    const { body: shown } = await kim.get(`/sandbox/${page}s/${id}`);
    const sentences: string[] =
      page === 'intent' ? shown['explanation'].findings.map(({ sentence }: Finding) => sentence) : [shown['sentence']];
    const place = sentences.findIndex((sentence) => says.test(sentence));
    expect({ sentences, place }).toMatchObject({ place: expect.any(Number) });
    expect(sentences[place]).toMatch(says);
    if (offers !== undefined) expect(shown['actions'][place].kind).toBe(offers);
  });
});

describeInChromium.each(['mouse', 'keyboard'] as const)('in the console, by %s, a mail about', (hand: Hand) => {
  const times: number[] = [];
  let opened: OpenPage;
  let desk: MailDesk;
  beforeAll(async () => {
    opened = await site.open({ as: kim, permissions: ['clipboard-read', 'clipboard-write'] });
    desk = await MailDesk.open(opened.page, hand);
  });
  afterAll(async () => {
    times.sort((one, other) => one - other);
    console.info(`From the paste to the sentence, by ${hand}: ${times.join(', ')} ms`);
    await opened.close();
  });

  it.each(MAILS)('%s is pasted and read, and the page %s', async (_what, _ending, mailOf) => {
    const { text, lands, says, follow, afterwards } = await mailOf(scene);
    const { page } = desk;
    if (!page.url().includes('/sandbox/')) await page.goto('/admin/sandbox/search');
    const [kind, id] = lands?.split(' ') ?? [];
    const place = id === undefined ? '/sandbox/search?q=' : `/sandbox/${kind}s/${id}`;
    const { milliseconds, answers } = await desk.paste(text, place, says);
    times.push(milliseconds);
    // Not in milliseconds, which a busy machine multiplies: it asks what the text names, then for that, and for nothing between.
    const own = answers.filter((name) => name.includes('/search?') || new URL(name).pathname.endsWith(place));
    expect([...new Set(own)].slice(ANSWERS_MAX)).toEqual([]);
    await follow(desk);
    expect(desk.clicks).toBeLessThanOrEqual(CLICKS_MAX);
    if (afterwards === undefined) return;
    await desk.paste(text, place, afterwards);
    await page.locator('[data-code]').filter({ hasText: says }).waitFor({ state: 'detached' });
  });
});

describeInChromium('a note that is not sent yet', () => {
  it('stays with the intent that it was written for, also where the pages follow each other directly', async () => {
    const [first, second] = [await scene.intent(), await scene.intent()];
    await site.flow(
      async (page) => {
        const shows = async ({ id }: typeof first): Promise<void> => {
          await page.getByRole('heading', { level: 1, name: id }).waitFor();
          await page.getByText('No notes yet.').waitFor();
        };
        await page.goto(`/admin/sandbox/intents/${first.id}`);
        await shows(first);
        await page.getByRole('searchbox').fill(second.id);
        await page.getByRole('searchbox').press('Enter');
        await shows(second);
        const field = page.getByLabel('New note');
        await field.fill('About the second.');
        await page.goBack();
        await shows(first);
        expect(await field.inputValue()).toBe('');
        await page.goForward();
        await shows(second);
        expect(await field.inputValue()).toBe('About the second.');
      },
      { as: kim },
    );
  });
});

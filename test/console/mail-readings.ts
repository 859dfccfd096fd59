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

/** Where the mails are read, and by whom. */
export interface MailPlace {
  readonly site: LightConsole;
  readonly scene: MailScene;
  readonly kim: ConsoleClient;
  stop(): Promise<void>;
}

/** Starts the console, everything that the mails are about, and the session of a colleague. */
export async function openMailPlace(): Promise<MailPlace> {
  const site = await startLightConsole({
    live: true,
    env: { ROLES: 'api,worker', WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true', WEBHOOK_BACKOFF_BASE_MS: '1' },
  });
  const scene = await MailScene.start(site);
  const roles = { sandbox: 'admin', live: 'viewer' } as const;
  const kim = await signedIn(site, await addMember(site, 'kim@example.com', roles, { totp: true }));
  return {
    site,
    scene,
    kim,
    stop: async () => {
      await scene.stop();
      await site.stop();
    },
  };
}

/** Pastes mails in the console, reads the explanation of each and does what is to be done, with one hand. */
export function describeMails(hand: Hand, place: () => MailPlace, mails = MAILS): void {
  describeInChromium(`in the console, by ${hand}, a mail about`, () => {
    const times: number[] = [];
    let opened: OpenPage;
    let desk: MailDesk;
    beforeAll(async () => {
      const { site, kim } = place();
      opened = await site.open({ as: kim, permissions: ['clipboard-read', 'clipboard-write'] });
      desk = await MailDesk.open(opened.page, hand);
    });
    afterAll(async () => {
      times.sort((one, other) => one - other);
      console.info(`From the paste to the sentence, by ${hand}: ${times.join(', ')} ms`);
      await opened.close();
    });

    it.each(mails)('%s is pasted and read, and the page %s', async (_what, _ending, mailOf) => {
      const { text, lands, says, follow, afterwards } = await mailOf(place().scene);
      const { page } = desk;
      if (!page.url().includes('/sandbox/')) await page.goto('/admin/sandbox/search');
      const [kind, id] = lands?.split(' ') ?? [];
      const path = id === undefined ? '/sandbox/search?q=' : `/sandbox/${kind}s/${id}`;
      const { milliseconds, answers } = await desk.paste(text, path, says);
      times.push(milliseconds);
      // Not in milliseconds, which a busy machine multiplies: it asks what the text names, then for that, and for nothing between.
      const own = answers.filter((name) => name.includes('/search?') || new URL(name).pathname.endsWith(path));
      expect([...new Set(own)].slice(ANSWERS_MAX)).toEqual([]);
      await follow(desk);
      expect(desk.clicks).toBeLessThanOrEqual(CLICKS_MAX);
      if (afterwards === undefined) return;
      await desk.paste(text, path, afterwards);
      await page.locator('[data-code]').filter({ hasText: says }).waitFor({ state: 'detached' });
    });
  });
}

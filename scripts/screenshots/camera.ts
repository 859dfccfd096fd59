import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchChromium } from '../../test/console/launch-chromium.ts';
import type { Visit } from './visits.ts';

const WIDTHS = [1280, 390] as const;
const SCHEMES = ['light', 'dark'] as const;
const HEIGHT = 800;
/** Long enough for a loaded machine; the camera waits for conditions. */
const TIMEOUT_MS = 60_000;
/** What a page shows while it loads. */
const LOADING = '.mantine-Skeleton-root, .mantine-Loader-root';

/** Whose console it is. */
export interface Site {
  readonly url: string;
  /** `name=value` of a session; empty for a visitor who is not signed in. */
  readonly cookie: string;
}

/** The form of a picture. */
export interface Shot {
  readonly width: number;
  readonly scheme: (typeof SCHEMES)[number];
  readonly isWhole: boolean;
}

/** Chromium that looks at the pages of a console. */
export class Camera {
  private readonly browser: Browser;
  private readonly site: Site;
  private readonly contexts = new Map<boolean, Promise<BrowserContext>>();

  private constructor(browser: Browser, site: Site) {
    this.browser = browser;
    this.site = site;
  }

  static async open(site: Site): Promise<Camera> {
    return new Camera(await launchChromium(), site);
  }

  /** Takes a page at both widths in both schemes, as a whole. */
  async takeAll(visit: Visit, dir: string): Promise<void> {
    mkdirSync(dir, { recursive: true });
    const page = await this.show(visit);
    for (const width of WIDTHS) {
      for (const scheme of SCHEMES) {
        const path = join(dir, `${visit.name}-${width}-${scheme}.png`);
        await take(page, { width, scheme, isWhole: true }, path);
      }
    }
    await page.close();
  }

  /** Takes one picture of a page. */
  async takeOne(visit: Visit, shot: Shot, path: string): Promise<void> {
    const page = await this.show(visit);
    await take(page, shot, path);
    await page.close();
  }

  close(): Promise<void> {
    return this.browser.close();
  }

  private async show({ path, access }: Visit): Promise<Page> {
    const page = await (await this.contextFor(access !== 'public')).newPage();
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    await untilLoaded(page);
    return page;
  }

  private contextFor(isSignedIn: boolean): Promise<BrowserContext> {
    const open = this.contexts.get(isSignedIn) ?? this.openContext(isSignedIn);
    this.contexts.set(isSignedIn, open);
    return open;
  }

  private async openContext(isSignedIn: boolean): Promise<BrowserContext> {
    const { url, cookie } = this.site;
    const context = await this.browser.newContext({
      baseURL: url,
      viewport: { width: 1280, height: HEIGHT },
      reducedMotion: 'reduce',
      timezoneId: 'UTC',
    });
    context.setDefaultTimeout(TIMEOUT_MS);
    const [name = '', value = ''] = cookie.split('=');
    if (isSignedIn) await context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Strict' }]);
    return context;
  }
}

async function take(page: Page, { width, scheme, isWhole }: Shot, path: string): Promise<void> {
  await page.setViewportSize({ width, height: HEIGHT });
  await page.emulateMedia({ colorScheme: scheme });
  await page.locator(`html[data-mantine-color-scheme=${scheme}]`).waitFor();
  await untilLoaded(page);
  await page.screenshot({ path, fullPage: isWhole, animations: 'disabled' });
}

async function untilLoaded(page: Page): Promise<void> {
  await page.locator(LOADING).first().waitFor({ state: 'detached' });
}

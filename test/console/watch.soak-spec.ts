import { describeInChromium } from './chromium.js';
import type { ConsoleClient } from './console-client.js';
import { addMember, signedIn } from './console-service.js';
import { type LightConsole, startLightConsole } from './light-console.js';
import { expectSoundWithRows, WATCHED_PAGES } from './watched-pages.js';
import { watchedScene } from './watched-scene.js';

let site: LightConsole;
let viewer: ConsoleClient;

describeInChromium('the pages that watch the service', () => {
  beforeAll(async () => {
    site = await startLightConsole();
    await watchedScene(site);
    viewer = await signedIn(site, await addMember(site, 'viewer@example.com', { sandbox: 'viewer' }));
  });
  afterAll(() => site.stop());

  it.each(WATCHED_PAGES)(
    'of %s have no violation of WCAG 2.2 A and AA with rows in both schemes, and fit 320 px',
    (path, text) => site.flow((page) => expectSoundWithRows(page, path, text), { as: viewer, colorScheme: 'light' }),
  );
});

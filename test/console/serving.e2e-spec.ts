import { buildPages } from './console-world.js';
import { type ConsoleService, startConsole } from './console-service.js';

let world: ConsoleService;
const get = (path: string, headers: Record<string, string> = {}) => fetch(`${world.url}${path}`, { headers });
const nonceOf = (policy: string | null): string => /'nonce-([^']+)'/.exec(policy ?? '')?.[1] ?? '';

describe('the pages of the console', () => {
  beforeAll(async () => {
    buildPages();
    world = await startConsole();
  });
  afterAll(() => world.stop());

  it('are one document at every address, with a nonce that is made for each answer', async () => {
    const answers = await Promise.all(['/admin', '/admin/', '/admin/live/deliveries/dlv_1'].map((path) => get(path)));
    const nonces = answers.map(({ headers }) => nonceOf(headers.get('content-security-policy')));
    expect(new Set(nonces).size).toBe(3);
    for (const [i, answer] of answers.entries()) {
      expect(answer.status).toBe(200);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(await answer.text()).toContain(`<meta property="csp-nonce" nonce="${nonces[i]}">`);
    }
  });

  it('allow files of this host alone, and styles with the nonce', async () => {
    const policy = (await get('/admin')).headers.get('content-security-policy');
    expect(policy).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-" +
        `${nonceOf(policy)}'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; ` +
        "base-uri 'none'; frame-ancestors 'none'",
    );
  });

  it('name files that are sent compressed, and kept for good', async () => {
    const [script = ''] = /\/admin\/assets\/index-[^"]+\.js/.exec(await (await get('/admin')).text()) ?? [];
    const plain = await get(script, { 'accept-encoding': 'identity' });
    const source = await plain.text();
    for (const encoding of ['br', 'gzip']) {
      const answer = await get(script, { 'accept-encoding': encoding });
      expect(answer.headers.get('content-encoding')).toBe(encoding);
      expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(answer.headers.get('vary')).toBe('Accept-Encoding');
      expect(await answer.text()).toBe(source);
    }
    expect((await get(script, { 'accept-encoding': 'br;q=0, gzip;q=0' })).headers.get('content-encoding')).toBeNull();
  });

  it('leave unknown files and the API their own answers', async () => {
    for (const path of [
      '/admin/assets/gone-1234.js',
      '/admin/assets/../index.html',
      '/admin/api/nothing',
      '/admin/api',
    ]) {
      const answer = await fetch(`${world.url}${path}`);
      expect([path, answer.status]).toEqual([path, path.endsWith('index.html') ? 200 : 404]);
    }
    expect((await fetch(`${world.url}/admin/sandbox`, { method: 'POST' })).status).toBe(404);
  });
});

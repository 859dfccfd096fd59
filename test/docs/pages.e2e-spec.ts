import { ERROR_CODES } from '../../src/domain/errors.js';
import { DOCS_PAGES } from '../../src/docs-pages/docs-pages.controller.js';
import { startWorld, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const get = async (path: string) => {
  const response = await fetch(new URL(path, world.url));
  return { status: response.status, headers: response.headers, text: await response.text() };
};

describe('the pages under /docs', () => {
  it.each(DOCS_PAGES)('%s is HTML that keeps to the content security policy', async (page) => {
    const { status, headers, text } = await get(`/docs/${page}`);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('content-security-policy')).toContain("style-src 'self'");
    expect(text).toMatch(/^<!doctype html>/);
    expect(text).not.toMatch(/<script|<style|\sstyle=|\son\w+=/);
    expect(text).not.toContain('.md"');
  });

  it('have an anchor for every error code, where the doc_url of an error leads', async () => {
    const { body } = await world.api.get<{ error: { doc_url: string } }>('/v1/payment-intents/pi_unknown');
    const { origin, pathname, hash } = new URL(body.error.doc_url);
    expect(`${origin}${pathname}`).toBe(`${world.url}/docs/errors`);
    const { text } = await get(pathname);
    expect(text).toContain(`id="${hash.slice(1)}"`);
    for (const code of ERROR_CODES) expect(text).toContain(`<h2 id="${code}">${code}</h2>`);
  });

  it('link to each other, to their stylesheet and to the API, and every link is answered', async () => {
    for (const page of DOCS_PAGES) {
      const { text } = await get(`/docs/${page}`);
      const links = [...text.matchAll(/href="([^"#]+)[^"]*"/g)].map(
        ([, href = '']) => new URL(href, `${world.url}/docs/${page}`),
      );
      const own = [...new Set(links.filter(({ origin }) => origin === world.url).map(({ pathname }) => pathname))];
      expect(own).toEqual(expect.arrayContaining(['/docs', '/docs/pages.css', '/docs/errors']));
      for (const path of own) expect({ path, status: (await get(path)).status }).toEqual({ path, status: 200 });
    }
  });

  it('do not hide Swagger UI and its files, and are not part of the API document', async () => {
    expect((await get('/docs')).text).toContain('swagger-ui');
    expect((await get('/docs/swagger-ui.css')).status).toBe(200);
    expect((await get('/openapi.json')).text).not.toContain('/docs/errors"');
  });

  it('answer with the error object for a page that does not exist', async () => {
    const { status, text } = await get('/docs/architecture');
    expect(status).toBe(404);
    expect(JSON.parse(text)).toMatchObject({ error: { code: 'not_found' } });
  });
});

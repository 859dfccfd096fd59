import { anchorOf } from './heading-anchor.js';
import { markdownPage } from './markdown-page.js';

describe('a page made of markdown', () => {
  it('has its first heading as its title, and nothing inline', () => {
    const html = markdownPage('# Errors & more\n\nText.\n');
    expect(html).toContain('<title>Errors &amp; more · Coffer</title>');
    expect(html).not.toMatch(/<script|<style|style=|onclick/);
  });

  it('uses an error code in a heading as its anchor', () => {
    expect(markdownPage('## rate_limited\n')).toContain('<h2 id="rate_limited">rate_limited</h2>');
  });

  it.each([
    ['Verify in Node', 'verify-in-node'],
    ['`GET /v1/events`, after a gap', 'get-v1events-after-a-gap'],
    ['At-least-once', 'at-least-once'],
  ])('turns %p into the anchor %p', (heading, anchor) => {
    expect(anchorOf(heading)).toBe(anchor);
  });

  it('links from one document to another on the served pages', () => {
    const html = markdownPage('[a](webhooks.md#retries) [b](errors.md) [c](#here) [d](https://example.com/x.md)');
    expect([...html.matchAll(/<a href="([^"]+)">[abcd]</g)].map(([, href]) => href)).toEqual([
      'webhooks#retries',
      'errors',
      '#here',
      'https://example.com/x.md',
    ]);
  });

  it('shows HTML of a document as text, everywhere, and removes comments', () => {
    const evil = '<img src=x onerror=alert(1)>';
    const html = markdownPage(`# ${evil}\n\n${evil}\n\nin ${evil} line, \`${evil}\`\n\n\`\`\`html\n${evil}\n\`\`\`\n`);
    expect(html).not.toContain('<img');
    expect(markdownPage('<!-- for editors -->\n\nText')).not.toContain('editors');
  });

  it('keeps tables and fenced code', () => {
    const html = markdownPage('| a | b |\n|---|---|\n| 1 | 2 |\n\n```sh\ncurl "$API"\n```\n');
    expect(html).toContain('<td>2</td>');
    expect(html).toContain('curl &quot;$API&quot;');
  });
});

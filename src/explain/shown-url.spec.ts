import { shownUrl } from './shown-url.js';

describe('the URL of an endpoint', () => {
  it.each([
    ['https://shop.example/hooks?token=abc#top', 'https://shop.example/hooks'],
    ['http://user:pass@shop.example:8080/', 'http://shop.example:8080/'],
  ])('%s is shown as %s', (url, shown) => {
    expect(shownUrl(url)).toBe(shown);
  });
});

import { cookieOf, isLoopback, refusalOf } from './console-site.js';

describe('the cookie of the console', () => {
  it.each<[url: string, name: string, secure: boolean]>([
    ['https://pay.example.com', '__Host-coffer', true],
    ['https://pay.example.com:8443', '__Host-coffer', true],
    ['http://127.0.0.1:3000', 'coffer_3000', false],
    ['http://localhost', 'coffer_80', false],
  ])('at %s is %s', (url, name, secure) => {
    expect(cookieOf(url)).toEqual({ name, secure });
  });
});

describe('signing in', () => {
  it.each(['http://127.0.0.1:3000', 'http://localhost:3000', 'http://[::1]:3000', 'https://pay.example.com'])(
    'is possible at %s with live networks',
    (url) => {
      expect(refusalOf(url, true)).toBeNull();
    },
  );

  it.each(['http://pay.example.com', 'http://10.0.0.5:3000', 'http://0.0.0.0:3000', 'http://localhost.example.com'])(
    'is refused at %s with live networks, and possible with test money alone',
    (url) => {
      expect(refusalOf(url, true)).toContain(`BASE_URL (${url})`);
      expect(refusalOf(url, false)).toBeNull();
    },
  );

  it('takes all of 127.0.0.0/8 as this machine', () => {
    expect(['127.8.9.1', 'a.localhost', '[::ffff:127.0.0.1]', '128.0.0.1'].map(isLoopback)).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });
});

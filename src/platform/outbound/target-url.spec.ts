import { DomainError } from '../../domain/errors.js';
import type { TargetPolicy } from './target-address.js';
import { parseTargetUrl } from './target-url.js';

const STRICT: TargetPolicy = { environment: 'sandbox', allowPrivate: false };
const OPEN: TargetPolicy = { environment: 'sandbox', allowPrivate: true };
const LIVE: TargetPolicy = { environment: 'live', allowPrivate: true };

/** The message with which a URL is refused; fails when it is not refused, or not with the param `url`. */
function refusalOf(text: string, policy: TargetPolicy): string {
  try {
    parseTargetUrl(text, policy);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    expect(error).toMatchObject({ code: 'invalid_request', details: { param: 'url' } });
    return error.message;
  }
  throw new Error(`${text} was not refused.`);
}

describe('parseTargetUrl', () => {
  it.each([
    ['https://example.com/hooks?a=1', 'https://example.com/hooks?a=1'],
    ['http://example.com', 'http://example.com/'],
    ['http://example.com:443/', 'http://example.com:443/'],
    ['https://example.com:80/', 'https://example.com:80/'],
    ['https://example.com:1024/', 'https://example.com:1024/'],
    ['https://example.com:65535/', 'https://example.com:65535/'],
    ['https://[2606:4700:4700::1111]:8443/', 'https://[2606:4700:4700::1111]:8443/'],
    ['https://müller.example/ä', 'https://xn--mller-kva.example/%C3%A4'],
  ])('[J-130] takes %s', (text, href) => {
    expect(parseTargetUrl(text, STRICT).href).toBe(href);
  });

  it('[J-130] takes https only for a live endpoint', () => {
    expect(parseTargetUrl('https://example.com', LIVE).protocol).toBe('https:');
    expect(refusalOf('http://example.com', LIVE)).toBe('A live endpoint must use https://.');
  });

  it.each([
    ['ftp://example.com', 'must start with https:// or http://'],
    ['gopher://example.com', 'must start with https:// or http://'],
    ['file:///etc/passwd', 'must start with https:// or http://'],
    ['data:text/plain,x', 'must start with https:// or http://'],
    ['https:example.com', 'must start with https:// or http://'],
    ['//example.com', 'must start with https:// or http://'],
    ['', 'must start with https:// or http://'],
    ['https://', 'is malformed'],
    ['https://example.com:65536', 'is malformed'],
    ['https://1.2.3.4.5/', 'is malformed'],
    ['https://[fe80::1%25eth0]/', 'is malformed'],
    ['https://user@example.com', 'user name or a password'],
    ['https://user:secret@example.com', 'user name or a password'],
    ['https://:secret@example.com', 'user name or a password'],
    ['https://good.example\\@evil.example', 'white space, control characters or backslashes'],
    ['https://exam\tple.com', 'white space, control characters or backslashes'],
    [' https://example.com', 'white space, control characters or backslashes'],
    ['https://example.com/\0', 'white space, control characters or backslashes'],
    ['https://example.com:0', 'The port must be'],
    ['https://example.com:22', 'The port must be'],
    ['https://example.com:25', 'The port must be'],
    ['https://example.com:1023', 'The port must be'],
    [`https://example.com/${'a'.repeat(2048)}`, 'longer than 2048'],
    [`https://example.com/${'ä'.repeat(1000)}`, 'longer than 2048'],
  ])('[J-130] refuses %s and says why', (text, sentence) => {
    expect(refusalOf(text, OPEN)).toContain(sentence);
  });

  it.each([
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '127.1',
    '127.0.0.1.',
    '１２７.０.０.１',
    '127。0。0。1',
    '①②⑦.0.0.1',
    '10.0.0.1',
    '[::1]',
    '[fd00::1]',
    'localhost',
    'LOCALHOST',
    'localhost.',
    'api.localhost',
  ])('[J-127] refuses https://%s unless the sandbox is opened, and always for live', (host) => {
    expect(refusalOf(`https://${host}:8443/`, STRICT)).toContain('private, local or reserved');
    expect(refusalOf(`https://${host}:8443/`, LIVE)).toContain('private, local or reserved');
    expect(parseTargetUrl(`https://${host}:8443/`, OPEN).port).toBe('8443');
  });

  it.each([
    '0',
    '0.0.0.0',
    '169.254.169.254',
    '100.64.0.1',
    '[::]',
    '[::ffff:7f00:1]',
    '[::ffff:127.0.0.1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[2001::1]',
    '[fe80::1]',
    '[fec0::1]',
  ])('[J-127] refuses https://%s under every policy', (host) => {
    for (const policy of [STRICT, OPEN, LIVE]) {
      expect(refusalOf(`https://${host}/`, policy)).toContain('private, local or reserved');
    }
  });

  it('checks names that only look local after DNS', () => {
    for (const host of ['localhost.example.com', 'notlocalhost', 'internal', '127.0.0.1.nip.io']) {
      expect(parseTargetUrl(`https://${host}/`, STRICT).hostname).toBe(host);
    }
  });
});

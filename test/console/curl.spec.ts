import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { curlOf, shellQuoted } from '../../admin-ui/src/features/deliveries/curl.js';

/** Prints its arguments as JSON; a shell calls it in the place of curl. */
const PRINT = `"${process.execPath}" -e 'console.log(JSON.stringify(process.argv.slice(1)))' --`;

/** The arguments that a shell makes of text. */
function argumentsIn(shell: 'sh' | 'bash', text: string): unknown {
  return JSON.parse(execFileSync(shell, ['-s'], { input: `${PRINT} ${text}\n`, encoding: 'utf8' }));
}

const isPlain = (text: string): boolean => !/\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}/u.test(text);
const hostile = fc.constantFrom(
  `'; touch /tmp/owned; '`,
  '$(id)`id`${HOME}',
  '\\',
  "\\'",
  "'",
  '!!',
  '\n; id #',
  '\u0003\nid\n',
  '\u001b[2J',
  '\u202Egnp.exe',
  '\u0085',
  '\u20281',
  '7',
  '-K/etc/passwd',
  '@/etc/passwd',
);
const grapheme = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\u0000'));
/** Texts that hold hostile parts between any others. */
const texts = fc.array(fc.oneof(hostile, grapheme), { maxLength: 8 }).map((parts) => parts.join(''));

describe('text that is quoted for a shell', () => {
  it('is one argument of bash, byte for byte, whatever it holds', () => {
    fc.assert(
      fc.property(fc.array(texts, { minLength: 20, maxLength: 40 }), (all) => {
        expect(argumentsIn('bash', all.map(shellQuoted).join(' '))).toEqual(all);
      }),
      { numRuns: 6 },
    );
  });

  it('is one argument of every POSIX shell as well, if it has no controls and marks of direction', () => {
    fc.assert(
      fc.property(fc.array(texts.filter(isPlain), { minLength: 20, maxLength: 40 }), (all) => {
        expect(argumentsIn('sh', all.map(shellQuoted).join(' '))).toEqual(all);
      }),
      { numRuns: 6 },
    );
  });

  it('shows a terminal nothing but printable characters in one line', () => {
    fc.assert(fc.property(texts, (text) => isPlain(shellQuoted(text))));
  });

  it('has no NUL, which no argument can hold', () => {
    expect(shellQuoted('a\u0000b')).toBe("'ab'");
  });
});

describe('a request as a command of curl', () => {
  const sent = {
    url: 'https://shop.example.com/hooks?[a]=1',
    headers: { 'content-type': 'application/json', 'webhook-id': 'evt_1', 'x-webhook-signature': null },
    signedAt: 1_769_860_440,
    body: `{"note":"it's \u202E"}`,
  };

  it('sends the body and the headers as they were sent, with the time of the signature, but without it', () => {
    expect(argumentsIn('bash', curlOf(sent).replace(/^curl /, ''))).toEqual([
      '--http1.1',
      '--globoff',
      '--request',
      'POST',
      '--url',
      sent.url,
      '--header',
      'content-type: application/json',
      '--header',
      'webhook-id: evt_1',
      '--header',
      'x-webhook-signature: t=1769860440,v1=<not shown: HMAC-SHA256 of "t.body" with the secret of the endpoint>',
      '--header',
      'accept:',
      '--data-raw',
      sent.body,
    ]);
  });
});

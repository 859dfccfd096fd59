import { type CheckedSignature, checkSignature } from './signature-check.js';
import { signWebhook } from './webhook-signature.js';

const NOW = new Date('2026-01-31T12:00:00.000Z');
const T = Math.floor(NOW.getTime() / 1_000) - 10;
const BODY = '{"id":"evt_1","b":2,"a":"x"}';
const SECRET = 'whsec_current';
const OLD = 'whsec_previous';
const header = signWebhook([SECRET], BODY, T);

const given = (change: Partial<CheckedSignature> = {}): CheckedSignature => ({
  header,
  body: BODY,
  secret: SECRET,
  previousSecret: null,
  sentBodies: [],
  now: NOW,
  ...change,
});

describe('the check of a signature', () => {
  it.each<[what: string, change: Partial<CheckedSignature>, text: RegExp]>([
    ['as it was sent', {}, /signed with the secret of this endpoint/],
    ['with the name of the header before it', { header: `X-Webhook-Signature: ${header}` }, /secret of this endpoint/],
    [
      'in upper case',
      { header: header.replace(/v1=.*/, (v) => `v1=${v.slice(3).toUpperCase()}`) },
      /secret of this endpoint/,
    ],
    ['with spaces', { header: header.replace(',', ', ') }, /secret of this endpoint/],
    ['by the previous secret', { header: signWebhook([OLD], BODY, T), previousSecret: OLD }, /previous secret/],
    ['by both secrets', { header: signWebhook(['whsec_next', SECRET], BODY, T) }, /secret of this endpoint/],
  ])('accepts one %s', (_what, change, text) => {
    const verdict = checkSignature(given(change));
    expect(verdict.valid).toBe(true);
    expect(verdict.steps.at(-1)?.text).toMatch(text);
  });

  it.each<[what: string, change: Partial<CheckedSignature>, step: string, text: RegExp]>([
    ['an empty header', { header: '' }, 'format', /empty/],
    ['a bare signature', { header: 'sha256=abc' }, 'format', /another format/],
    ['no time', { header: header.replace(/^t=\d+,/, '') }, 'format', /no t=/],
    ['a time that is no number', { header: header.replace(/^t=\d+/, 't=now') }, 'format', /whole Unix seconds/],
    ['no signature', { header: `t=${T}` }, 'format', /no v1=/],
    ['a header that was cut off', { header: header.slice(0, -4) }, 'format', /60 characters/],
    ['an old signature', { now: new Date(NOW.getTime() + 400_000) }, 'timestamp', /410 s ago/],
    ['a time ahead', { now: new Date(NOW.getTime() - 400_000) }, 'timestamp', /390 s ahead/],
    ['a time in milliseconds', { header: signWebhook([SECRET], BODY, T * 1_000) }, 'timestamp', /milliseconds/],
    ['a line end behind the body', { body: `${BODY}\n` }, 'signature', /added behind the body/],
    ['a removed line end', { header: signWebhook([SECRET], `${BODY}\n`, T) }, 'signature', /removed from the end/],
    ['a byte order mark', { body: `\uFEFF${BODY}` }, 'signature', /byte order mark/],
    ['indented JSON', { body: JSON.stringify(JSON.parse(BODY), null, 2) }, 'signature', /parsed and written again/],
    [
      'fields in another order',
      { body: '{"a":"x","b":2,"id":"evt_1"}', sentBodies: [BODY] },
      'signature',
      /parsed and written/,
    ],
    [
      'another secret',
      { header: signWebhook(['whsec_other'], BODY, T), sentBodies: [BODY] },
      'signature',
      /exactly what the service has sent/,
    ],
    ['another body', { body: '{"id":"evt_2"}' }, 'signature', /Neither the body/],
    [
      'a secret that no longer signs',
      { header: signWebhook([OLD], BODY, T) },
      'signature',
      /another secret has signed/,
    ],
  ])('says what is wrong with %s', (_what, change, step, text) => {
    const verdict = checkSignature(given(change));
    expect(verdict.valid).toBe(false);
    expect(verdict.steps.find((one) => !one.ok)).toMatchObject({ step, text: expect.stringMatching(text) });
  });

  it('never repeats a secret or the right signature', () => {
    const verdict = checkSignature(given({ header: signWebhook([OLD], BODY, T) }));
    const text = JSON.stringify(verdict);
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain(/v1=(.*)/.exec(header)?.[1] ?? 'none');
  });
});

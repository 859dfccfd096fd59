import { webcrypto } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { Stripe } from 'stripe';
import { newWebhookSecret, signWebhook } from './webhook-signature.js';

/** One test vector, which the documentation's samples check too; the headers were made in Python. */
interface Vector {
  name: string;
  payload: string;
  secret: string;
  /** The header's time, or null when it has none that can be read. */
  t: number | null;
  /** The receiver's clock. */
  now: number;
  header: string;
  valid: boolean;
  reason: string | null;
}

const vectors: Vector[] = JSON.parse(
  readFileSync(new URL('../../test/vectors/webhook-signatures.json', import.meta.url), 'utf8'),
);

const NOW = 1_790_000_000;
const TWO_SECRETS = ['whsec_new', 'whsec_old'] as const;

/** An HMAC by another code path than `createHmac`: the Web Crypto API. */
async function webCryptoHmac(secret: string, payload: string): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await webcrypto.subtle.importKey('raw', Buffer.from(secret), algorithm, false, ['sign']);
  return Buffer.from(await webcrypto.subtle.sign('HMAC', key, new TextEncoder().encode(payload))).toString('hex');
}

describe('signWebhook', () => {
  it('[spec 6.3] writes exactly t and one v1 in lower-case hex, without spaces', () => {
    expect(signWebhook(['whsec_new'], '{}', NOW)).toMatch(/^t=1790000000,v1=[0-9a-f]{64}$/);
  });

  it('[J-137] signs with every secret of a rotation, the newest first', () => {
    const [, newest, oldest] = signWebhook(TWO_SECRETS, '{}', NOW).split(',');
    expect(`t=${NOW},${newest}`).toBe(signWebhook(['whsec_new'], '{}', NOW));
    expect(`t=${NOW},${oldest}`).toBe(signWebhook(['whsec_old'], '{}', NOW));
  });

  it.each(vectors.filter(({ valid, header }) => valid && /^t=\d+,v1=[0-9a-f]+$/.test(header)))(
    '[J-136] [spec 6.3] makes the header that Python made: $name',
    ({ secret, payload, t, header }) => {
      expect(signWebhook([secret], payload, Number(t))).toBe(header);
    },
  );

  it('[J-136] [spec 6.3] agrees with Web Crypto over the bytes of any unicode body', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), fc.nat(), async (body, t) => {
        const expected = await webCryptoHmac('whsec_new', `${t}.${body}`);
        expect(signWebhook(['whsec_new'], body, t)).toBe(`t=${t},v1=${expected}`);
        expect(signWebhook(['whsec_new'], Buffer.from(body), t)).toBe(`t=${t},v1=${expected}`);
      }),
    );
  });

  it('refuses to sign without a secret or with a time that is not whole seconds', () => {
    expect(() => signWebhook([], '{}', NOW)).toThrow('at least one secret');
    expect(() => signWebhook([''], '{}', NOW)).toThrow('at least one secret');
    expect(() => signWebhook(['whsec_new'], '{}', NOW + 0.5)).toThrow('whole Unix seconds');
    expect(() => signWebhook(['whsec_new'], '{}', -1)).toThrow('whole Unix seconds');
  });
});

/** Receives at `NOW` as a merchant who uses Stripe's library would. */
function receive(payload: Buffer, header: string, secret: string): Stripe.Event {
  return Stripe.webhooks.constructEvent(payload, header, secret, 300, undefined, NOW * 1000);
}

describe('the verifier of Stripe’s library, which merchants already run', () => {
  const body = Buffer.from('{"id":"evt_1","data":{"reference":"Größe 9 🧾","amount_cents":2500}}');

  it('[J-136] [spec 6.3] accepts our header over the exact bytes, also on a retry with a new t', () => {
    for (const signedAt of [NOW - 240, NOW]) {
      const event = receive(body, signWebhook(['whsec_new'], body, signedAt), 'whsec_new');
      expect(event).toEqual(JSON.parse(body.toString()));
    }
  });

  it('[J-137] [spec 6.3] accepts both secrets of a rotation and no other', () => {
    const header = signWebhook(TWO_SECRETS, body, NOW);
    expect(receive(body, header, 'whsec_new').id).toBe('evt_1');
    expect(receive(body, header, 'whsec_old').id).toBe('evt_1');
    expect(() => receive(body, header, 'whsec_other')).toThrow(Stripe.errors.StripeSignatureVerificationError);
  });

  it('[J-137] [spec 6.3] refuses a tampered body and a replay', () => {
    const tampered = Buffer.from(body.toString().replace('2500', '9900'));
    const header = signWebhook(['whsec_new'], body, NOW);
    expect(() => receive(tampered, header, 'whsec_new')).toThrow('No signatures found matching');
    const replayed = signWebhook(['whsec_new'], body, NOW - 301);
    expect(() => receive(body, replayed, 'whsec_new')).toThrow('outside the tolerance zone');
  });
});

describe('newWebhookSecret', () => {
  it('returns 256 random bits behind the whsec_ prefix', () => {
    const secrets = Array.from({ length: 100 }, () => newWebhookSecret());
    for (const secret of secrets) expect(secret).toMatch(/^whsec_[A-Za-z0-9_-]{43}$/);
    expect(new Set(secrets).size).toBe(100);
  });
});

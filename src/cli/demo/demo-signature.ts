import { createHmac, timingSafeEqual } from 'node:crypto';

const TOLERANCE_SECONDS = 300;

/** The result of verifying a delivery. */
export type Verdict = { readonly valid: true } | { readonly valid: false; readonly reason: string };

/**
 * Verifies `X-Webhook-Signature` by the recipe of docs/webhooks.md, without code of the service: the demo must notice
 * when the service signs in another way than it documents.
 */
export function verifySignature(header: string, rawBody: Buffer, secret: string, nowSeconds: number): Verdict {
  const parts = header.split(',').map((part) => {
    const at = part.indexOf('=');
    return at === -1 ? null : { name: part.slice(0, at), value: part.slice(at + 1) };
  });
  const times = parts.filter((part) => part?.name === 't').map((part) => part?.value ?? '');
  const signatures = parts.filter((part) => part?.name === 'v1').map((part) => part?.value ?? '');
  const [time = ''] = times;
  if (parts.includes(null) || times.length !== 1 || !/^\d{1,15}$/.test(time) || signatures.length === 0) {
    return { valid: false, reason: 'the header is not t=<seconds>,v1=<hex>' };
  }
  const expected = createHmac('sha256', secret)
    .update(Buffer.concat([Buffer.from(`${time}.`), rawBody]))
    .digest('hex');
  if (!signatures.some((signature) => isSame(signature, expected))) {
    return { valid: false, reason: 'no signature matches the body' };
  }
  if (Math.abs(nowSeconds - Number(time)) > TOLERANCE_SECONDS) {
    return { valid: false, reason: 'it was signed more than 5 minutes from now' };
  }
  return { valid: true };
}

function isSame(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}

import { createHmac, randomBytes } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;
const TIMESTAMP = /^\d{1,15}$/;

/** Returns a new endpoint secret: `whsec_` and 32 random bytes in base64url. The key is the whole string with its prefix. */
export function newWebhookSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64url');
}

/**
 * Returns the value of `X-Webhook-Signature` for exactly these body bytes: `t=<unix>,v1=<hex>`, without spaces, with one
 * `v1` per secret while a rotation overlaps. Pass the newest secret first. Source: spec 6.3.
 */
export function signWebhook(secrets: readonly string[], body: string | Buffer, unixSeconds: number): string {
  if (secrets.length === 0 || secrets.includes('')) throw new Error('A webhook is signed with at least one secret.');
  const timestamp = String(unixSeconds);
  if (!TIMESTAMP.test(timestamp)) throw new Error(`A signature's time is in whole Unix seconds, not ${timestamp}.`);
  return [`t=${timestamp}`, ...secrets.map((secret) => `v1=${digest(secret, timestamp, body)}`)].join(',');
}

/** Hex HMAC-SHA256 over the time as written in the header, a dot, and the body's bytes. */
function digest(secret: string, timestamp: string, body: string | Buffer): string {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
}

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Seconds by which a signature's time may differ from the receiver's clock (spec 6.3). */
export const TOLERANCE_SECONDS = 300;

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;
const TIMESTAMP = /^\d{1,15}$/;

/** Why a receiver refuses a delivery. */
export type SignatureFault = 'malformed_header' | 'signature_mismatch' | 'timestamp_out_of_tolerance';

/** What a receiver concludes from a header; `signedAt` is in Unix seconds. */
export type SignatureVerdict = { valid: true; signedAt: number } | { valid: false; reason: SignatureFault };

/** The receiver's clock in Unix seconds, and the tolerance in seconds. */
export interface VerifyOptions {
  nowSeconds: number;
  toleranceSeconds?: number;
}

/** A new endpoint secret: `whsec_` and 32 random bytes in base64url. The whole string, prefix included, is the key. */
export function newWebhookSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64url');
}

/**
 * The value of `X-Webhook-Signature` for these exact body bytes: `t=<unix>,v1=<hex>`, without spaces, with one `v1`
 * per secret while a rotation overlaps. Pass the newest secret first. Source: spec 6.3.
 */
export function signWebhook(secrets: readonly string[], body: string | Buffer, unixSeconds: number): string {
  if (secrets.length === 0 || secrets.includes('')) throw new Error('A webhook is signed with at least one secret.');
  const timestamp = String(unixSeconds);
  if (!TIMESTAMP.test(timestamp)) throw new Error(`A signature's time is in whole Unix seconds, not ${timestamp}.`);
  return [`t=${timestamp}`, ...secrets.map((secret) => `v1=${digest(secret, timestamp, body)}`)].join(',');
}

/**
 * Verifies a received header as spec 6.3 tells merchants to: any `v1` may match, and the time may lie in the past or
 * in the future by `toleranceSeconds` at most. `rawBody` must be the bytes as received, never re-serialised JSON.
 */
export function verifyWebhook(
  header: string,
  rawBody: string | Buffer,
  secret: string,
  { nowSeconds, toleranceSeconds = TOLERANCE_SECONDS }: VerifyOptions,
): SignatureVerdict {
  const parsed = parseHeader(header);
  if (parsed === null) return { valid: false, reason: 'malformed_header' };
  const expected = digest(secret, parsed.timestamp, rawBody);
  // Every candidate is compared, so that the time taken does not tell which one matched.
  const matches = parsed.signatures.filter((signature) => equalInConstantTime(signature, expected));
  if (matches.length === 0) return { valid: false, reason: 'signature_mismatch' };
  const signedAt = Number(parsed.timestamp);
  if (Math.abs(nowSeconds - signedAt) > toleranceSeconds) {
    return { valid: false, reason: 'timestamp_out_of_tolerance' };
  }
  return { valid: true, signedAt };
}

/** Hex HMAC-SHA256 over the time as written in the header, a dot, and the body's bytes. */
function digest(secret: string, timestamp: string, body: string | Buffer): string {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
}

/** Null unless there is exactly one decimal `t` and at least one `v1`; parts of other schemes are ignored. */
function parseHeader(header: string): { timestamp: string; signatures: string[] } | null {
  const timestamps: string[] = [];
  const signatures: string[] = [];
  for (const part of header.split(',')) {
    const separator = part.indexOf('=');
    if (separator === -1) return null;
    const value = part.slice(separator + 1);
    if (part.slice(0, separator) === 't') timestamps.push(value);
    if (part.slice(0, separator) === 'v1') signatures.push(value);
  }
  const [timestamp, ...others] = timestamps;
  if (timestamp === undefined || others.length > 0 || !TIMESTAMP.test(timestamp)) return null;
  return signatures.length > 0 ? { timestamp, signatures } : null;
}

function equalInConstantTime(given: string, expected: string): boolean {
  const a = Buffer.from(given);
  const b = Buffer.from(expected);
  return a.length === b.length && timingSafeEqual(a, b);
}

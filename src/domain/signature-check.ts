import { createHmac, timingSafeEqual } from 'node:crypto';

/** Seconds that receivers allow between `t` and their clock. */
const SIGNATURE_TOLERANCE_S = 300;

/** What is known about a request that a receiver refuses. */
export interface CheckedSignature {
  /** The value of `X-Webhook-Signature`, as it was pasted; its name may stand before it. */
  readonly header: string;
  /** The body as it was pasted. */
  readonly body: string;
  /** The secret that signs now. */
  readonly secret: string;
  /** The secret that was replaced, while it still signs. */
  readonly previousSecret: string | null;
  /** The bodies that the service may have sent to this endpoint, to find what has changed. */
  readonly sentBodies: readonly string[];
  /** The time of the receiver's check. */
  readonly now: Date;
}

export type SignatureStepName = 'format' | 'timestamp' | 'signature';

/** One step of the check, in words for staff. */
export interface SignatureStep {
  readonly step: SignatureStepName;
  readonly ok: boolean;
  readonly text: string;
}

/** Steps in their order; the check stops after one that says why nothing further can be said. */
export interface SignatureVerdict {
  readonly valid: boolean;
  readonly steps: readonly SignatureStep[];
}

interface ParsedHeader {
  readonly t: string;
  readonly v1: readonly string[];
}

/** Checks a signature as a receiver does, and says at the first step that fails why. Source: spec 6.3. */
export function checkSignature(given: CheckedSignature): SignatureVerdict {
  const header = given.header.trim().replace(/^x-webhook-signature\s*:\s*/i, '');
  const parsed = parse(header);
  if (typeof parsed === 'string') return { valid: false, steps: [{ step: 'format', ok: false, text: parsed }] };
  const format: SignatureStep = {
    step: 'format',
    ok: true,
    text: `The header has a time and ${parsed.v1.length === 1 ? 'one signature' : `${parsed.v1.length} signatures`}.`,
  };
  const timestamp = timestampStep(parsed.t, given.now);
  const signature = signatureStep(parsed, given);
  return { valid: timestamp.ok && signature.ok, steps: [format, timestamp, signature] };
}

function parse(header: string): ParsedHeader | string {
  if (header === '') return 'The header is empty. It is called X-Webhook-Signature.';
  if (/^sha256=|^[0-9a-f]{64}$/i.test(header)) {
    return 'This is a bare signature of another format. The header of this service begins with t= and has v1= behind it.';
  }
  const parts = header.split(',').map((part) => part.trim().split('='));
  const values = (name: string): string[] => parts.filter(([key]) => key === name).map(([, value = '']) => value);
  const [t] = values('t');
  const v1 = values('v1');
  if (t === undefined) return 'The header has no t=, the time of the signature.';
  if (!/^\d{1,15}$/.test(t)) return 'The time t is not in whole Unix seconds.';
  if (v1.length === 0) return 'The header has no v1=, the signature.';
  const cut = v1.find((one) => !/^[0-9a-f]{64}$/i.test(one));
  if (cut !== undefined)
    return `A signature v1 has ${cut.length} characters; it has 64 hexadecimal ones. Was the header cut off?`;
  return { t, v1 };
}

function timestampStep(t: string, now: Date): SignatureStep {
  const age = Math.floor(now.getTime() / 1_000) - Number(t);
  const at = new Date(Number(t) * 1_000);
  if (!Number.isFinite(at.getTime()) || Number(t) > 100_000_000_000) {
    return { step: 'timestamp', ok: false, text: 'The time t is in milliseconds, and not what the service has sent.' };
  }
  if (age > SIGNATURE_TOLERANCE_S) {
    return {
      step: 'timestamp',
      ok: false,
      text:
        `The signature is from ${at.toISOString()}, ${age} s ago; receivers allow ${SIGNATURE_TOLERANCE_S} s. That is ` +
        'expected for a request of the past. A receiver that says so of a fresh one has a wrong clock or a slow queue.',
    };
  }
  if (age < -SIGNATURE_TOLERANCE_S) {
    return {
      step: 'timestamp',
      ok: false,
      text: `The signature is ${-age} s ahead of our clock: the time t was changed.`,
    };
  }
  return {
    step: 'timestamp',
    ok: true,
    text: `The signature is from ${at.toISOString()}, within ${SIGNATURE_TOLERANCE_S} s.`,
  };
}

function signatureStep({ t, v1 }: ParsedHeader, given: CheckedSignature): SignatureStep {
  const { body, secret, previousSecret } = given;
  const isSigned = (by: string, bytes: string): boolean => v1.some((one) => isSame(one, digest(by, t, bytes)));
  const step = (ok: boolean, text: string): SignatureStep => ({ step: 'signature', ok, text });
  if (isSigned(secret, body)) return step(true, 'The body is signed with the secret of this endpoint.');
  if (previousSecret !== null && isSigned(previousSecret, body)) {
    return step(true, 'The body is signed with the previous secret, which still signs. Give the receiver the new one.');
  }
  const secrets = previousSecret === null ? [secret] : [secret, previousSecret];
  for (const [text, changed] of variantsOf(given)) {
    if (changed !== body && secrets.some((one) => isSigned(one, changed))) return step(false, text);
  }
  if (given.sentBodies.includes(body)) {
    return step(
      false,
      'The body is exactly what the service has sent, and the signature is not by the secret of this endpoint: it was made ' +
        'with another secret, by somebody else, or the header belongs to another request.',
    );
  }
  return step(
    false,
    'Neither the body nor any change that frameworks make to it fits the signature: another secret has signed it, or header ' +
      'and body are of different requests.',
  );
}

/** What receivers do to bodies before they verify them, with what it would have been. */
function* variantsOf({ body, sentBodies }: CheckedSignature): Generator<[text: string, changed: string]> {
  const raw = 'The receiver must verify the raw bytes before anything parses them.';
  const trimmed = body.trimEnd();
  yield ['A line end or space was added behind the body. ' + raw, trimmed];
  yield ['A line end was removed from the end of the body. ' + raw, `${body}\n`];
  yield ['The line ends of the body were changed. ' + raw, body.replaceAll('\r\n', '\n')];
  yield ['A byte order mark was added before the body. ' + raw, body.replace(/^\uFEFF/, '')];
  const value = parsedJson(trimmed);
  if (value !== undefined) {
    const text = `The body was parsed and written again: the JSON is the same, its bytes are not. ${raw}`;
    yield [text, JSON.stringify(value)];
    for (const sent of sentBodies) {
      if (canonical(parsedJson(sent)) === canonical(value)) yield [text, sent];
    }
  }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** JSON with the fields of objects in order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

const digest = (secret: string, t: string, body: string): string =>
  createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex');

function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(Buffer.from(given, 'hex'), Buffer.from(expected, 'hex'));
}

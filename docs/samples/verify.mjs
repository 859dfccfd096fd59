import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';

const TOLERANCE_SECONDS = 300;

/** True when the delivery was signed with `secret`, is unchanged, and its time is within 5 minutes of the clock. */
export function verifyWebhook(rawBody, header, secret, nowSeconds = Math.floor(Date.now() / 1000)) {
  const times = [];
  const signatures = [];
  for (const part of header.split(',')) {
    const at = part.indexOf('=');
    if (at === -1) return false;
    if (part.slice(0, at) === 't') times.push(part.slice(at + 1));
    if (part.slice(0, at) === 'v1') signatures.push(part.slice(at + 1));
  }
  if (times.length !== 1 || !/^[0-9]{1,15}$/.test(times[0])) return false;
  const expected = createHmac('sha256', secret).update(`${times[0]}.`).update(rawBody).digest('hex');
  const matches = signatures.filter((signature) => isSame(signature, expected));
  return matches.length > 0 && Math.abs(nowSeconds - Number(times[0])) <= TOLERANCE_SECONDS;
}

function isSame(given, expected) {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

// `node verify.mjs vectors.json` ends with 1 when the code above disagrees with a test vector.
if (process.argv[1] === import.meta.filename) {
  const vectors = JSON.parse(readFileSync(process.argv[2]));
  const wrong = vectors.filter((v) => verifyWebhook(Buffer.from(v.payload), v.header, v.secret, v.now) !== v.valid);
  for (const { name } of wrong) console.error(`wrong: ${name}`);
  console.log(`${vectors.length - wrong.length} of ${vectors.length} vectors agree`);
  process.exitCode = vectors.length > 0 && wrong.length === 0 ? 0 : 1;
}

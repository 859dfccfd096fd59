import { Secret, TOTP } from 'otpauth';

/** The parameters that every authenticator app knows: RFC 6238 with SHA-1, six digits, 30 s. */
const PERIOD_SECONDS = 30;
const PARAMETERS = { issuer: 'Coffer', algorithm: 'SHA1', digits: 6, period: PERIOD_SECONDS };
const SECRET_BYTES = 20;
/** Clocks may differ by one period in each direction. */
const WINDOW = 1;

/** A new secret of 160 bits, in base32. */
export const newTotpSecret = (): string => new Secret({ size: SECRET_BYTES }).base32;

/** The link that authenticator apps read from a QR code. */
export const otpauthUri = (secret: string, email: string): string =>
  new TOTP({ ...PARAMETERS, label: email, secret: Secret.fromBase32(secret) }).toString();

/** Returns the period whose code this is, counted from 1970; null when it is none of the allowed ones. */
export function stepOfCode(secret: string, code: string, now: Date): number | null {
  if (!/^\d{6}$/.test(code)) return null;
  const timestamp = now.getTime();
  const delta = new TOTP({ ...PARAMETERS, secret: Secret.fromBase32(secret) }).validate({
    token: code,
    timestamp,
    window: WINDOW,
  });
  return delta === null ? null : Math.floor(timestamp / 1000 / PERIOD_SECONDS) + delta;
}

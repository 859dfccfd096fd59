import { newTotpSecret, otpauthUri, stepOfCode } from './totp.js';

/** RFC 6238, appendix B, SHA-1: the last six of eight digits. The secret is the ASCII text 12345678901234567890. */
const RFC_SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const VECTORS: readonly [seconds: number, code: string, step: number][] = [
  [59, '287082', 0x1],
  [1_111_111_109, '081804', 0x23523ec],
  [1_111_111_111, '050471', 0x23523ed],
  [1_234_567_890, '005924', 0x273ef07],
  [2_000_000_000, '279037', 0x3f940aa],
  [20_000_000_000, '353130', 0x27bc86aa],
];

const at = (seconds: number): Date => new Date(seconds * 1000);

describe('codes of authenticators', () => {
  it.each(VECTORS)('at %i s are those of RFC 6238 [M-167]', (seconds, code, step) => {
    expect(stepOfCode(RFC_SECRET, code, at(seconds))).toBe(step);
  });

  it('are accepted one period early or late, and not two [M-167]', () => {
    const [seconds, code, step] = [1_234_567_890, '005924', 0x273ef07];
    expect([-60, -30, 0, 30, 60].map((shift) => stepOfCode(RFC_SECRET, code, at(seconds + shift)))).toEqual([
      null,
      step,
      step,
      step,
      null,
    ]);
  });

  it.each(['', '28708', '2870821', ' 287082', '28708a', '２87082'])('are six digits, and not %j', (code) => {
    expect(stepOfCode(RFC_SECRET, code, at(59))).toBeNull();
  });

  it('come from secrets of 160 random bits, which apps read from a link', () => {
    const secrets = new Set(Array.from({ length: 50 }, newTotpSecret));
    expect(secrets.size).toBe(50);
    for (const secret of secrets) expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(otpauthUri(RFC_SECRET, 'kim@example.com')).toBe(
      `otpauth://totp/Coffer:kim%40example.com?issuer=Coffer&secret=${RFC_SECRET}&algorithm=SHA1&digits=6&period=30`,
    );
  });
});

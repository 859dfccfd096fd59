import { parseOptions } from '@node-rs/argon2';
import { PasswordHasher } from './password-hasher.service.js';

const hasher = new PasswordHasher();

describe('the hash of a password', () => {
  it('is argon2id with 64 MiB and three passes, and its own salt [M-166]', async () => {
    const [one, other] = await Promise.all([hasher.hash('correct horse'), hasher.hash('correct horse')]);
    expect(one).toMatch(/^\$argon2id\$v=19\$/);
    expect(parseOptions(one)).toMatchObject({ memoryCost: 65_536, timeCost: 3, parallelism: 1, outputLen: 32 });
    expect(one).not.toBe(other);
    expect(await hasher.verify(one, 'correct horse')).toBe(true);
    expect(await hasher.verify(one, 'Correct horse')).toBe(false);
  });

  it('is also computed where there is no account, and never right there [M-166]', async () => {
    const real = await hasher.hash('correct horse');
    const elapsed = async (known: string | null): Promise<number> => {
      const start = performance.now();
      expect(await hasher.verify(known, 'wrong')).toBe(false);
      return performance.now() - start;
    };
    const times: { known: number; unknown: number }[] = [];
    for (let n = 0; n < 6; n++) times.push({ known: await elapsed(real), unknown: await elapsed(null) });
    const known = Math.min(...times.map((one) => one.known));
    const unknown = Math.min(...times.map((one) => one.unknown));
    // No hash at all takes no time, and one of the library's default cost about a fifth.
    expect(unknown).toBeGreaterThan(known / 3);
    expect(unknown).toBeLessThan(known * 3);
  });

  it('is refused while two run and 16 wait, and admitted again afterwards [M-166]', async () => {
    const admitted = Array.from({ length: 18 }, () => hasher.verify(null, 'wrong'));
    await expect(hasher.verify(null, 'wrong')).rejects.toMatchObject({
      code: 'rate_limited',
      details: { retryAfterSeconds: 2 },
    });
    expect(await Promise.all(admitted)).toEqual(admitted.map(() => false));
    expect(await hasher.verify(null, 'wrong')).toBe(false);
  });
});

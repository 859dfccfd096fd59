import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { DomainError } from '../domain/errors.js';
import { SignInTries } from './sign-in-tries.service.js';

const HERE = '203.0.113.7';

let db: TestDatabase;
let tries: SignInTries;
beforeEach(async () => {
  db = await freshDatabase();
  tries = new SignInTries(db.database);
});
afterEach(() => db.drop());

/** Whether the next try is admitted; otherwise for how many seconds the key is blocked. */
const take = (email: string, address = HERE): Promise<number | 'admitted'> =>
  tries.take(email, address).then(
    () => 'admitted' as const,
    // On a loaded machine a try may also wait too long for the row of its key, and is refused then.
    (error: unknown) => (error instanceof DomainError ? (error.details.retryAfterSeconds ?? 0) : 0),
  );

/** In steps of ten, because some time passes between a try and the refusal of the next one. */
const about = (block: number | 'admitted'): number => Math.round(Number(block) / 10) * 10;

/** Lets time pass for all counts. */
const wait = (seconds: number) =>
  db.query(
    `update sign_in_failure set last_at = last_at - interval '1 second' * $1::int,
       blocked_until = blocked_until - interval '1 second' * $1::int`,
    [seconds],
  );

const addressOf = (n: number): string => `198.51.${n % 250}.${n % 7}`;

describe('failed proofs of identity', () => {
  it('of one account are five of a thousand at the same time, from as many networks [M-166]', async () => {
    const outcomes = await Promise.all(Array.from({ length: 1_000 }, (_, n) => take('kim@example.com', addressOf(n))));
    expect(outcomes.filter((one) => one === 'admitted')).toHaveLength(5);
    expect(await take('lee@example.com')).toBe('admitted');
  });

  it('of one network are 25 of 100 for as many accounts, known or not [M-166]', async () => {
    const outcomes: unknown[] = [];
    for (let n = 0; n < 100; n++) outcomes.push(await take(`nobody-${n}@example.com`, `203.0.113.${n}`));
    expect(outcomes.filter((one) => one === 'admitted')).toHaveLength(25);
    expect(await take('kim@example.com', '203.0.114.1')).toBe('admitted');
  });

  it('of one IPv6 host count together for its whole /64', async () => {
    for (let n = 0; n < 25; n++) expect(await take(`a${n}@example.com`, `2001:db8::${n + 1}`)).toBe('admitted');
    expect(await take('b@example.com', '2001:db8::abcd')).toBeGreaterThan(0);
    expect(await take('b@example.com', '2001:db8:0:1::1')).toBe('admitted');
  });

  it('block for 30 s, and for twice as long after each further one, up to 15 minutes', async () => {
    for (let n = 0; n < 4; n++) expect(await take('kim@example.com')).toBe('admitted');
    const blocks: number[] = [];
    for (let n = 0; n < 6; n++) {
      expect(await take('kim@example.com')).toBe('admitted');
      const block = await take('kim@example.com');
      blocks.push(about(block));
      await wait(Number(block) + 1);
    }
    expect(blocks).toEqual([30, 60, 120, 240, 480, 900]);
  });

  it('are forgotten after 15 minutes without one', async () => {
    for (let n = 0; n < 4; n++) await take('kim@example.com');
    await wait(901);
    for (let n = 0; n < 5; n++) expect(await take('kim@example.com')).toBe('admitted');
    expect(about(await take('kim@example.com'))).toBe(30);
  });

  it('do not include a try that was returned, nor remember the account after one that passed', async () => {
    for (let n = 0; n < 20; n++) await tries.returned(await tries.take('kim@example.com', HERE));
    for (let n = 0; n < 4; n++) await take('kim@example.com');
    const taken = await tries.take('kim@example.com', HERE);
    await db.database.transaction((tx) => tries.passed(tx, taken));
    for (let n = 0; n < 5; n++) expect(await take('kim@example.com')).toBe('admitted');
    expect(about(await take('kim@example.com'))).toBe(30);
  });

  it('keep no address that was typed, and none of a network', async () => {
    await take('my-secret-password', HERE);
    const kept = JSON.stringify(await db.query('select * from sign_in_failure'));
    expect(kept).not.toContain('my-secret');
    expect(kept).not.toContain('203.0');
  });
});

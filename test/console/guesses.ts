import { ConsoleClient } from './console-client.js';
import { addMember, auditOf, type ConsoleService, PASSWORD } from './console-service.js';

const EMAIL = 'guessed@example.com';

/** Guesses a member's password that often, and expects that five are tried and the others are refused, with a time to wait. */
export async function expectFiveGuesses(service: ConsoleService, count: number): Promise<void> {
  await addMember(service, EMAIL, { sandbox: 'admin' });
  const client = (): ConsoleClient => new ConsoleClient(service.url);
  const statuses: number[] = [];
  for (let n = 0; n < count; n++) {
    const { status, headers } = await client().signIn(EMAIL, `guess number ${n}`);
    statuses.push(status);
    if (status === 429) expect(Number(headers.get('Retry-After'))).toBeGreaterThan(0);
  }
  expect(statuses.slice(0, 5)).toEqual([401, 401, 401, 401, 401]);
  expect(new Set(statuses.slice(5))).toEqual(new Set([429]));
  expect(await auditOf(service, EMAIL)).toHaveLength(5);
  expect((await client().signIn(EMAIL, PASSWORD)).status).toBe(429);
}
